package io.widerow.storage.rows;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sorted run of an open row: the offsets of its events, in ascending order of ids. The events
/// themselves lie in the rows' memory in order of arrival.
///
/// ```
///   chunks:  [4 entries] [8] [16] ... [8192] [8192] ...     an entry is 4 bytes:
///                                                           offset of the event / 8
/// ```
///
/// The first chunk is small, because most types of a store of metrics have a few events in an hour.
///
/// - Threads: one writer appends and publishes the size with a release store; readers acquire it.
///   Chunks for readers are made by any. The rows' watermark decides which entries a reader may
///   show, see [OpenRows].
/// - Memory: chunks come from the rows' memory and are never moved or freed one by one.
final class Run {
  private static final int CHUNK_MIN_SHIFT = 2;
  private static final int CHUNK_MAX_SHIFT = 13;
  private static final int DOUBLINGS = CHUNK_MAX_SHIFT - CHUNK_MIN_SHIFT;

  /// Entries in all chunks before the first full-sized one.
  private static final int DOUBLED_ENTRIES = (1 << CHUNK_MAX_SHIFT) - (1 << CHUNK_MIN_SHIFT);

  private static final VarHandle SIZE;

  static {
    try {
      SIZE = MethodHandles.lookup().findVarHandle(Run.class, "size", int.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final MemorySegment memory;
  private final boolean merged;
  private @Nullable Map<Long, RowChunk> readers; // guarded by this; null until somebody asks
  private int[] chunks = new int[1]; // their offsets in the memory / 8
  private int chunkCount;
  private int size; // release-stored after the entry it counts
  private long tailTime; // writer only: the id of the last event
  private long tailTail;

  /// @param memory the rows' memory
  /// @param merged whether it is a merge of other runs, so that entries are not in order of arrival
  Run(MemorySegment memory, boolean merged) {
    this.memory = memory;
    this.merged = merged;
  }

  /// Bytes of the rows' memory that the next [#append] needs; mostly 0.
  long bytesForNext() {
    return chunkOf(size) == chunkCount ? chunkEntries(chunkCount) * (long) Integer.BYTES : 0;
  }

  /// Adds an event whose id is not below the last one.
  ///
  /// @param chunkOffset where [#bytesForNext] bytes of the memory are free; ignored when that is 0
  void append(long chunkOffset, long eventOffset, long idTime, long idTail) {
    assert size == 0 || TimeUuid.compare(tailTime, tailTail, idTime, idTail) <= 0 : "run order";
    int chunk = chunkOf(size);
    if (chunk == chunkCount) {
      if (chunkCount == chunks.length) {
        int[] more = Arrays.copyOf(chunks, 2 * chunkCount);
        VarHandle.storeStoreFence(); // a reader may see the entry before it sees the size
        chunks = more;
      }
      chunks[chunkCount++] = (int) (chunkOffset / EventLayout.ALIGNMENT);
    }
    memory.set(JAVA_INT, place(size, chunk), (int) (eventOffset / EventLayout.ALIGNMENT));
    SIZE.setRelease(this, size + 1);
    tailTime = idTime;
    tailTail = idTail;
  }

  boolean takes(long idTime, long idTail) {
    return TimeUuid.compare(tailTime, tailTail, idTime, idTail) <= 0;
  }

  /// True when this run's last id is above the other's.
  boolean tailAbove(Run other) {
    return TimeUuid.compare(tailTime, tailTail, other.tailTime, other.tailTail) > 0;
  }

  /// A lower bound of the entries. All of these can be read.
  int size() {
    return (int) SIZE.getAcquire(this);
  }

  /// True when entries are not in order of arrival, so that a reader must check each one.
  boolean isMerged() {
    return merged;
  }

  /// The chunk of some entries that are there; the same for all readers.
  synchronized RowChunk chunk(int from, int entries) {
    Map<Long, RowChunk> known = readers;
    if (known == null) {
      known = new HashMap<>();
      readers = known;
    }
    return known.computeIfAbsent(
        (long) from << Integer.SIZE | entries,
        _ -> new RowChunk(memory, this, from, from + entries));
  }

  /// Offset of an entry's event in the rows' memory.
  long eventOffset(int entry) {
    int offset = memory.get(JAVA_INT, place(entry, chunkOf(entry)));
    return Integer.toUnsignedLong(offset) * EventLayout.ALIGNMENT;
  }

  /// Offset of an entry in the memory.
  private long place(int entry, int chunk) {
    return Integer.toUnsignedLong(chunks[chunk]) * EventLayout.ALIGNMENT
        + (entry - chunkStart(chunk)) * (long) Integer.BYTES;
  }

  static int chunkOf(int entry) {
    if (entry >= DOUBLED_ENTRIES) {
      return DOUBLINGS + ((entry - DOUBLED_ENTRIES) >>> CHUNK_MAX_SHIFT);
    }
    int scaled = (entry >>> CHUNK_MIN_SHIFT) + 1;
    return 31 - Integer.numberOfLeadingZeros(scaled);
  }

  static int chunkStart(int chunk) {
    return chunk >= DOUBLINGS
        ? DOUBLED_ENTRIES + ((chunk - DOUBLINGS) << CHUNK_MAX_SHIFT)
        : ((1 << chunk) - 1) << CHUNK_MIN_SHIFT;
  }

  static int chunkEntries(int chunk) {
    return 1 << Math.min(CHUNK_MAX_SHIFT, CHUNK_MIN_SHIFT + chunk);
  }
}
