package io.widerow.storage.cassandra;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Measures the cost of a backlog: the memory of a daemon's store after a long outage, while it
/// applies its backlog, compared with an idle store. The keyspace drops all writes. Run it with a
/// small heap:
///
/// ```
/// java -Xmx128m ... BacklogCost <empty directory> <MiB of backlog> <late events of 100>
/// java -Xmx128m ... BacklogCost <the same directory>            the backlog of an earlier start
/// ```
final class BacklogCost {
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final int BATCH_EVENTS = 500;
  private static final long MIB = 1 << 20;
  private static final long HOUR = 3_600_000_000_000L;

  private BacklogCost() {}

  /// A cluster that is away, and then takes everything.
  private static final class Sink extends MemoryKeyspace {
    final AtomicLong bytes = new AtomicLong();
    final AtomicLong rounds = new AtomicLong();
    volatile boolean isAway;

    @Override
    public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
      bytes.addAndGet(value.remaining());
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
      return CompletableFuture.completedFuture(mine);
    }

    @Override
    public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
      rounds.incrementAndGet();
      return super.applied(daemon, applied);
    }

    @Override
    public CompletableFuture<List<DaemonRow>> daemons() {
      return isAway
          ? CompletableFuture.failedFuture(
              new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "away"))
          : super.daemons();
    }
  }

  /// @param args directory; MiB of records and share of late events, when there is no backlog yet
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]).toAbsolutePath();
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(2, 4)
            .withBuckets(60, Map.of())
            .withMemory(64 * MIB, Duration.ofMinutes(1))
            .withJournal(16 * MIB, 64 * MIB)
            .withDiskReserveBytes(0);
    Sink keyspace = new Sink();
    try (ExecutorService background = Executors.newFixedThreadPool(2)) {
      long opening = System.nanoTime();
      CassandraStore store =
          CassandraStore.open(
              keyspace, config, ApplyOptions.of("here"), new NoReading(), background);
      System.out.printf("opened after %d ms%n", (System.nanoTime() - opening) / 1_000_000);
      tell("idle");
      if (args.length > 1) {
        keyspace.isAway = true;
        fill(store, Long.parseLong(args[1]) * MIB, Integer.parseInt(args[2]));
        tell("filled, cluster away");
        if (args.length > 3) {
          Runtime.getRuntime().halt(0); // the next start has the backlog
        }
        keyspace.isAway = false;
      }
      drain(store, keyspace);
      tell("idle again");
      store.close();
    }
  }

  private static void fill(CassandraStore store, long bytes, int late) {
    var random = new SplittableRandom(1);
    long from = store.nowNanos() - HOUR;
    byte[] text = new byte[1_000];
    long filled = 0;
    int number = 0;
    try (EventBatch batch = new EventBatch(1 << 12, 4 << 20)) {
      while (filled < bytes) {
        long now = from + (long) ((double) filled / bytes * HOUR);
        batch.clear();
        for (int i = 0; i < BATCH_EVENTS; i++) {
          for (int at = 0; at < text.length; at++) {
            text[at] = (byte) ('a' + random.nextInt(26));
          }
          boolean isLate = random.nextInt(100) < late;
          batch.begin(TYPE, 0, TYPE.length, isLate ? now - random.nextLong(HOUR) : now + i);
          batch.putString(BODY, 0, BODY.length, text);
          if (batch.end() != null) {
            throw new AssertionError("refused");
          }
        }
        int lane = number % store.lanes();
        Appends.all(store.lane(lane), batch, number);
        store.lane(lane).claim(ByteBuffer.allocate(16).putInt(number++).array());
        long _ = store.lane(lane).commit(Durability.OS);
        filled += batch.bytes();
      }
    }
  }

  private static void drain(CassandraStore store, Sink keyspace) throws IOException {
    long start = System.nanoTime();
    long heap = 0;
    long anonymous = 0;
    long resident = 0;
    while (store.cluster().pendingEvents() > 0) {
      heap = Math.max(heap, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
      anonymous = Math.max(anonymous, status("RssAnon:"));
      resident = Math.max(resident, status("VmRSS:"));
      Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    System.out.printf(
        "drained after %d ms, %d rounds, %d MiB of values%n",
        (System.nanoTime() - start) / 1_000_000, keyspace.rounds.get(), keyspace.bytes.get() / MIB);
    System.out.printf(
        "most meanwhile: heap used %d MiB, anonymous %d MiB, resident %d MiB%n",
        heap / MIB, anonymous >> 10, resident >> 10);
  }

  private static void tell(String when) throws IOException {
    System.gc();
    long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    System.out.printf(
        "%s: heap used %d MiB, anonymous %d MiB, resident %d MiB%n",
        when, used / MIB, status("RssAnon:") >> 10, status("VmRSS:") >> 10);
  }

  /// A line of the process's status, in KiB.
  private static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no line " + name);
  }
}
