package io.widerow.ingest.config;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// The sizes that follow from the machine: a function of its memory and its processors, or of those
/// that its container may use. Configured values take precedence.
///
/// `ingest/docs/LIMITS.md` has a table of them, which a test holds to this class.
///
/// [#nativeBytes] adds up the native memory. Heap and native memory together stay below the memory
/// of the machine from [#MEMORY_LEAST] on; the rest is for the page cache.
///
/// @param memoryBytes memory of the machine or of the container
/// @param processors of the machine or of the container
public record MachineLimits(long memoryBytes, int processors) {
  private static final long MIB = 1L << 20;

  /// The least memory for which the sum of all limits is below the memory.
  public static final long MEMORY_LEAST = 512 * MIB;

  /// The initial heap, `-Xms` of the launcher, and the least maximum.
  private static final long HEAP_LEAST = 128 * MIB;

  /// Above it references have twice the size, so the JVM stays below it.
  private static final long HEAP_MOST = 32_768 * MIB;

  private static final int HEAP_PART = 4; // the default of -XX:MaxRAMPercentage, 25
  private static final long LANE_MEMORY = 256 * MIB;
  private static final int LANES_MAX = 8;
  private static final int OPEN_PART = 16;
  private static final long OPEN_MOST = 256 * MIB;
  private static final long OPEN_MOST_OF_LANE = 128 * MIB;
  private static final long OPEN_LEAST_OF_LANE = 2 * MIB;
  static final int NETWORK_PART = 16;
  private static final long NETWORK_LEAST = 32 * MIB;
  private static final long NETWORK_MOST = 1_024 * MIB;
  private static final long THREAD_MEMORY = 64 * MIB;
  private static final long IDLE_BATCH_MEMORY = 128 * MIB;
  private static final long IDLE_BATCH_BYTES = 2 * MIB;
  private static final int IDLE_BATCHES_LEAST = 4;
  private static final int IDLE_BATCHES_MOST = 64;
  private static final int LEDGER_PART = 64;
  private static final long LEDGER_KEY_BYTES = 56;
  private static final int LEDGER_KEYS_LEAST = 1 << 17; // the first above FixedLimits.LEDGER_KEYS
  private static final int LEDGER_KEYS_MOST = 1 << 20;

  /// Classes, compiled code, stacks and buffers of compression: 102 MiB after a load at full rate.
  private static final long JVM_BYTES = 112 * MIB;

  private static final long JVM_BYTES_OF_THREAD = MIB;
  private static final int COLLECTOR_PART = 16; // of the heap
  private static final long COLLECTOR_FROM = 1_792 * MIB; // below it the JVM collects serially

  /// The machine of this process.
  private static final class OfProcess {
    static final MachineLimits LIMITS =
        new MachineLimits(
            ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize(),
            Runtime.getRuntime().availableProcessors());
  }

  /// The limits of this process: the JVM reads the control groups, of version 1 or 2.
  public static MachineLimits ofProcess() {
    return OfProcess.LIMITS;
  }

  /// The largest heap, which the JVM computes by itself unless `-Xmx` is given.
  public long heapBytes() {
    return Math.clamp(memoryBytes / HEAP_PART, HEAP_LEAST, HEAP_MOST);
  }

  /// Writer threads.
  public int lanes() {
    return Math.clamp(Math.min(processors / 2, memoryBytes / LANE_MEMORY), 1, LANES_MAX);
  }

  /// What decides the number of lanes.
  String lanesBasis() {
    return memoryBytes / LANE_MEMORY < Math.min(processors / 2, LANES_MAX)
        ? "%s each, of %s".formatted(Size.text(LANE_MEMORY), Size.text(memoryBytes))
        : "half the processors (%d), 1 to %d".formatted(processors, LANES_MAX);
  }

  /// What decides the native memory for open rows.
  String openBytesBasis(int lanes) {
    long open = openBytes(lanes);
    if (open == OPEN_LEAST_OF_LANE * lanes) {
      return Size.text(OPEN_LEAST_OF_LANE) + " a lane at least";
    }
    if (memoryBytes / OPEN_PART - open < MIB) {
      return "1/%d of %s".formatted(OPEN_PART, Size.text(memoryBytes));
    }
    return open == OPEN_MOST
        ? "%s at most, lanes=%d".formatted(Size.text(open), lanes)
        : Size.text(OPEN_MOST_OF_LANE) + " a lane at most";
  }

  /// Native memory for open rows.
  ///
  /// @param lanes number of lanes that is configured
  public long openBytes(int lanes) {
    long most = Math.max(OPEN_MOST, OPEN_MOST_OF_LANE * lanes);
    long part = memoryBytes / OPEN_PART / MIB * MIB;
    return Math.max(Math.min(part, most), OPEN_LEAST_OF_LANE * lanes);
  }

  /// Direct memory of all connections, for bytes on their way in or out.
  public long networkBytes() {
    return Math.clamp(memoryBytes / NETWORK_PART, NETWORK_LEAST, NETWORK_MOST);
  }

  /// Threads that serve connections.
  public int networkThreads() {
    return Math.clamp(memoryBytes / THREAD_MEMORY, 1, Math.max(1, processors));
  }

  /// What decides the number of threads that serve connections.
  String networkThreadsBasis() {
    return networkThreads() < processors
        ? "%s each, of %s".formatted(Size.text(THREAD_MEMORY), Size.text(memoryBytes))
        : "one for each processor";
  }

  /// Threads that search blocks for queries, in addition to the thread of each query. One processor
  /// is left to the writers.
  public int searchThreads() {
    return networkThreads() - 1;
  }

  /// Batches that are kept for the next requests.
  public int idleBatches() {
    return Math.clamp(memoryBytes / IDLE_BATCH_MEMORY, IDLE_BATCHES_LEAST, IDLE_BATCHES_MOST);
  }

  /// The most keys of requests that a ledger keeps to recognize retries, a power of two. Each lane
  /// has a ledger, and the lanes of the last start share another.
  public int ledgerKeysMax(int lanes) {
    long keys = memoryBytes / LEDGER_PART / (lanes + 1) / LEDGER_KEY_BYTES;
    return Integer.highestOneBit(Math.clamp(keys, LEDGER_KEYS_LEAST, LEDGER_KEYS_MOST));
  }

  /// The most native memory of the daemon: everything but the heap and the page cache.
  ///
  /// @param lanes that are configured
  /// @param openBytes that are configured
  /// @param creditBytes bytes of all requests together, a third of them on the heap
  /// @param heapBytes largest heap
  public long nativeBytes(int lanes, long openBytes, long creditBytes, long heapBytes) {
    long rows = 2 * openBytes; // while readers hold rows that are sealed
    long tables = Math.min(openBytes, 128 * MIB * lanes) + Math.min(openBytes / 2, 64 * MIB);
    long requests = creditBytes * 2 / 3 + idleBatches() * IDLE_BATCH_BYTES;
    long ledgers = ledgerKeysMax(lanes) * LEDGER_KEY_BYTES * (lanes + 1) * 3 / 2; // while one grows
    long collector = memoryBytes < COLLECTOR_FROM ? 0 : heapBytes / COLLECTOR_PART;
    long jvm = JVM_BYTES + networkThreads() * JVM_BYTES_OF_THREAD + collector;
    return rows + tables + requests + networkBytes() + ledgers + jvm;
  }
}
