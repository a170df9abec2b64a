package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Lease;
import io.widerow.storage.journal.MutationRecord;
import io.widerow.storage.rows.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A memtable: mutations in the order of arrival, and a skip list over them, all in one piece of
/// native memory.
///
/// ```
///   | record | record | ...  free  ... | node | node | head |
/// ```
///
/// The list is sorted by key; of equal keys the latest fragment comes first. A node has the LSN of
/// its group, so that a reader skips nodes that came after its view. When a key has many fragments,
/// the writer adds one with their combined content; readers that see it need no earlier one.
///
/// ```
///   0        4       8     16      20      24       28     32      40
///   +--------+-------+-----+-------+-------+--------+------+-------+---- ~ ----+
///   | record | flags | lsn | depth | since | merged | more | start | next[]    |
///   +--------+-------+-----+-------+-------+--------+------+-------+---- ~ ----+
/// ```
///
/// `depth` counts the fragments of the key from the last merged one on, `since` their bytes, and
/// `merged` has the bytes of that one. `start` has the key's first 8 bytes and `more` the next 4,
/// with zeros behind a shorter key: these 12 bytes hold the token of a partition, so most
/// comparisons of a search read the node alone, and not the record, which is elsewhere.
///
/// - Threads: one writes; any read, without a lock. The writer publishes a node by a release store
///   of what leads to it.
/// - Memory: one piece, freed with the last lease.
final class TableMemory implements AutoCloseable {
  private static final int LEVELS = 12;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final VarHandle LINK = INT.varHandle();
  private static final long FLAGS = 4;
  private static final long LSN = 8;
  private static final long DEPTH = 16;
  private static final long SINCE = 20;
  private static final long MERGED = 24;
  private static final long MORE = 28;
  private static final long START = 32;
  private static final long NEXT = 40;
  private static final int RECORD_HEADER = MutationRecord.HEADER_BYTES;
  private static final int NEAR = 8; // steps on the lowest level
  private static final int NODE_BYTES_MAX = (int) NEXT + 4 * LEVELS + 8;
  private static final int HIDES_ROWS = 1;
  private static final int IS_MERGED = 2;
  private static final int DEPTH_MERGED = 8;
  private static final int MERGED_BYTES_MAX = 1 << 20;
  private static final Path PLACE = Path.of("memory");

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Lease lease = new Lease(arena::close);
  private final long head;
  private final long madeNanos;
  private final long lsnBefore;
  private final long[] before = new long[LEVELS]; // writer only, as are the next ones
  private final RowMerge merge = new RowMerge();
  private final FragmentEncoder encoder = new FragmentEncoder();
  private final ByteSink merged = new ByteSink();
  private final WriteHints hints;
  private long tail; // end of the records
  private long nodes; // start of the nodes
  private long randomBits = 0x9E3779B97F4A7C15L;
  private volatile long lsnLast;
  private volatile boolean isEmpty = true;
  private volatile boolean hidesRows;

  /// @param bytes of the piece, 64 KiB to 1 GiB
  /// @param lsnBefore LSN of the last group before it
  /// @param madeNanos of the monotonic clock
  TableMemory(long bytes, long lsnBefore, long madeNanos) {
    this.memory = NativeMemory.allocate(bytes & -8L, arena);
    this.head = memory.byteSize() - NODE_BYTES_MAX & -8L;
    this.nodes = head;
    this.lsnBefore = lsnBefore;
    this.lsnLast = lsnBefore;
    this.madeNanos = madeNanos;
    this.hints = new WriteHints(memory);
    for (int level = 0; level < LEVELS; level++) {
      memory.set(INT, head + NEXT + 4L * level, 0);
    }
  }

  MemorySegment memory() {
    return memory;
  }

  /// LSN of the group of a node.
  long lsnOf(long node) {
    return memory.get(LONG, node + LSN);
  }

  boolean tryAcquire() {
    return lease.tryAcquire();
  }

  void release() {
    lease.release();
  }

  long madeNanos() {
    return madeNanos;
  }

  long lsnBefore() {
    return lsnBefore;
  }

  /// LSN of the last group in it.
  long lsnLast() {
    return lsnLast;
  }

  boolean isEmpty() {
    return isEmpty;
  }

  /// True when it may have deletions of partitions or ranges.
  boolean hidesRows() {
    return hidesRows;
  }

  long usedBytes() {
    return memory.byteSize();
  }

  /// Bytes of a piece that has room for a group.
  static long bytesFor(int bytes, int count) {
    return bytes + (count + 2L) * NODE_BYTES_MAX;
  }

  /// True when a group fits.
  boolean fits(int bytes, int count) {
    return tail + bytes + (long) count * NODE_BYTES_MAX <= nodes;
  }

  /// Copies the records of a group to where they stay; no reader sees them yet.
  MemorySegment stage(MemorySegment group) {
    MemorySegment place = memory.asSlice(tail, group.byteSize());
    return place.copyFrom(group);
  }

  /// Shows the staged records to readers of views from this LSN on.
  ///
  /// @param count number of records
  void add(long bytes, int count, long lsn) {
    long at = tail;
    tail += bytes;
    long limit = tail;
    lsnLast = lsn;
    int left = count;
    while (at < limit) {
      addRecord(at, lsn, --left);
      at += MutationRecord.length(memory, at);
    }
  }

  /// @param left how many records of the group come after it: the room for their nodes is theirs
  private void addRecord(long record, long lsn, int left) {
    int keyBytes = MutationRecord.keyBytes(memory, record);
    long fragment = record + RECORD_HEADER + keyBytes;
    int length = MutationRecord.length(memory, record);
    boolean hides = (memory.get(ValueLayout.JAVA_BYTE, fragment) & FragmentEncoder.HIDES_ROWS) != 0;
    if (hides) {
      hidesRows = true;
    }
    int height = height();
    long older = findBefore(memory, record + RECORD_HEADER, keyBytes, height);
    int flags = hides ? HIDES_ROWS : 0;
    if (older == 0 || !hasKey(older, record + RECORD_HEADER, keyBytes)) {
      link(record, height, flags, lsn, 1, length, 0);
    } else {
      int depth = memory.get(INT, older + DEPTH) + 1;
      int since = memory.get(INT, older + SINCE) + length;
      int mergedBytes = memory.get(INT, older + MERGED);
      link(record, height, flags, lsn, depth, since, mergedBytes);
      if (depth >= DEPTH_MERGED && since >= mergedBytes && since < MERGED_BYTES_MAX) {
        addMerged(record, keyBytes, lsn, left);
      }
    }
    isEmpty = false;
  }

  /// True when the keys of two nodes begin alike.
  private static boolean isOneStart(MemorySegment memory, long node, long other) {
    return startOf(memory, node) == startOf(memory, other)
        && moreOf(memory, node) == moreOf(memory, other);
  }

  private static long startOf(MemorySegment memory, long node) {
    return memory.get(LONG, node + START);
  }

  private static int moreOf(MemorySegment memory, long node) {
    return memory.get(INT, node + MORE);
  }

  /// True when two nodes have one key.
  boolean isOneKey(long node, long other) {
    long record = recordOf(other);
    return node == other
        || (isOneStart(memory, node, other)
            && hasKey(node, record + RECORD_HEADER, MutationRecord.keyBytes(memory, record)));
  }

  private boolean hasKey(long node, long keyAt, int keyBytes) {
    long start = Keys.start(memory, keyAt, keyBytes);
    int more = Keys.more(memory, keyAt, keyBytes);
    return compare(node, start, more, memory, keyAt, keyBytes) == 0;
  }

  private void addMerged(long record, int keyBytes, long lsn, int left) {
    long first = find(memory, record + RECORD_HEADER, keyBytes);
    merge.begin();
    int flags = addTo(merge, first, Long.MAX_VALUE);
    merged.clear();
    if (!merge.write(encoder, merged, Long.MIN_VALUE, TombstonePolicy.NOTHING)) {
      return;
    }
    int length = RECORD_HEADER + keyBytes + merged.length();
    if (!fits(length, 1 + left)) {
      return;
    }
    long at = tail;
    MutationRecord.write(memory, at, length, keyBytes, MutationRecord.partition(memory, record));
    MemorySegment.copy(memory, record + RECORD_HEADER, memory, at + RECORD_HEADER, keyBytes);
    memory.asSlice(at + RECORD_HEADER + keyBytes, merged.length()).copyFrom(merged.memory(0));
    tail += length;
    int height = height();
    findBefore(memory, at + RECORD_HEADER, keyBytes, height);
    link(at, height, flags | IS_MERGED, lsn, 0, 0, length);
  }

  /// Links a node in front of the fragments of its key, where [#findBefore] looked last.
  private void link(
      long record, int height, int flags, long lsn, int depth, int since, int mergedBytes) {
    nodes = nodes - (NEXT + 4L * height) & -8L;
    if (nodes < tail) {
      throw new IllegalStateException("no room for a node of a group that had room");
    }
    long node = nodes;
    memory.set(INT, node, (int) record);
    memory.set(INT, node + FLAGS, flags);
    memory.set(LONG, node + LSN, lsn);
    memory.set(INT, node + DEPTH, depth);
    memory.set(INT, node + SINCE, since);
    memory.set(INT, node + MERGED, mergedBytes);
    int keyBytes = MutationRecord.keyBytes(memory, record);
    memory.set(LONG, node + START, Keys.start(memory, record + RECORD_HEADER, keyBytes));
    memory.set(INT, node + MORE, Keys.more(memory, record + RECORD_HEADER, keyBytes));
    for (int level = 0; level < height; level++) {
      long from = before[level] + NEXT + 4L * level;
      memory.set(INT, node + NEXT + 4L * level, memory.get(INT, from));
      LINK.setRelease(memory, from, (int) node);
    }
    hints.linked(node, before[0], before[0] == head || !isOneStart(memory, node, before[0]));
  }

  private int height() {
    randomBits ^= randomBits << 13;
    randomBits ^= randomBits >>> 7;
    randomBits ^= randomBits << 17;
    return Math.min(LEVELS, 1 + Long.numberOfTrailingZeros(randomBits | 1L << 62) / 2);
  }

  long next(long node, int level) {
    return (int) LINK.getAcquire(memory, node + NEXT + 4L * level);
  }

  long recordOf(long node) {
    return memory.get(INT, node);
  }

  /// Compares the key of a node with another one, whose start is known.
  private int compare(
      long node, long start, int more, MemorySegment key, long keyAt, int keyBytes) {
    long nodeStart = startOf(memory, node);
    if (nodeStart != start) {
      return Long.compareUnsigned(nodeStart, start);
    }
    int nodeMore = moreOf(memory, node);
    if (nodeMore != more) {
      return Integer.compareUnsigned(nodeMore, more);
    }
    long record = recordOf(node);
    return Keys.compare(
        memory,
        record + RECORD_HEADER,
        MutationRecord.keyBytes(memory, record),
        key,
        keyAt,
        keyBytes);
  }

  /// For the writer: the first node whose key is not before a key, and the node before it on each
  /// level that a node of this height has. 0 when there is none.
  private long findBefore(MemorySegment key, long keyAt, int keyBytes, int height) {
    long near = height > 1 ? -1 : findNear(key, keyAt, keyBytes);
    return near >= 0 ? near : find(key, keyAt, keyBytes, 0, before);
  }

  /// The same on the lowest level, from where the key's partition was written to last; negative
  /// when that is not near. Three of four nodes are on no other level.
  private long findNear(MemorySegment key, long keyAt, int keyBytes) {
    long start = Keys.start(key, keyAt, keyBytes);
    int more = Keys.more(key, keyAt, keyBytes);
    int slot = hints.slot(start, more);
    long node = hints.last(slot);
    if (node == 0 || startOf(memory, node) != start || moreOf(memory, node) != more) {
      return -1;
    }
    if (compare(node, start, more, key, keyAt, keyBytes) >= 0) {
      node = hints.before(slot);
    }
    for (int step = 0; step < NEAR && node != 0; step++) {
      long found = next(node, 0);
      if (found == 0 || compare(found, start, more, key, keyAt, keyBytes) >= 0) {
        before[0] = node;
        return found;
      }
      node = found;
    }
    return -1;
  }

  /// The first node whose key is not before a key; 0 when there is none.
  long find(MemorySegment key, long keyAt, int keyBytes) {
    return find(key, keyAt, keyBytes, 0, null);
  }

  /// The first node whose key is after a key; 0 when there is none.
  long findAfter(MemorySegment key, long keyAt, int keyBytes) {
    return find(key, keyAt, keyBytes, 1, null);
  }

  /// The first node whose key compares with a key as at least this.
  ///
  /// @param passed gets the node before it on each level
  private long find(
      MemorySegment key, long keyAt, int keyBytes, int least, long @Nullable [] passed) {
    long start = Keys.start(key, keyAt, keyBytes);
    int more = Keys.more(key, keyAt, keyBytes);
    long node = head;
    long known = 0; // compared on the level above
    long found = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
      found = next(node, level);
      while (found != 0
          && found != known
          && compare(found, start, more, key, keyAt, keyBytes) < least) {
        node = found;
        found = next(node, level);
      }
      known = found;
      if (passed != null) {
        passed[level] = node;
      }
    }
    return found;
  }

  /// The last node whose key is before a key; 0 when there is none.
  long findLast(MemorySegment key, long keyAt, int keyBytes) {
    long[] passed = new long[LEVELS];
    find(key, keyAt, keyBytes, 0, passed);
    return passed[0] == head ? 0 : passed[0];
  }

  /// Adds the fragments of the key of a node, the first of its key, to a merge.
  ///
  /// @return flags of the nodes that a merged one keeps
  int addTo(RowMerge to, long first, long lsnMost) {
    int flags = 0;
    for (long node = first; node != 0 && isOneKey(node, first); node = next(node, 0)) {
      if (lsnOf(node) > lsnMost) {
        continue;
      }
      long at = recordOf(node);
      int keyBytes = MutationRecord.keyBytes(memory, at);
      long fragment = at + RECORD_HEADER + keyBytes;
      to.add(memory, fragment, at + MutationRecord.length(memory, at), PLACE);
      int nodeFlags = memory.get(INT, node + FLAGS);
      flags |= nodeFlags & HIDES_ROWS;
      if ((nodeFlags & IS_MERGED) != 0) {
        break;
      }
    }
    return flags;
  }

  /// Its fragments in a range of keys, as a view of an LSN sees them.
  Fragments fragments(KeyRange range, boolean descending, long lsnMost) {
    return descending
        ? new MemoryRows.Down(this, range, lsnMost)
        : new MemoryRows(this, range, lsnMost);
  }

  @Override
  public void close() {
    lease.close();
  }

  /// Where the partitions of a memtable were written to last, by the first 12 bytes of their keys.
  /// Writes come to partitions at their end, or at their start when the newest rows are first.
  ///
  /// - Threads: the writer.
  /// - Memory: at most 512 KiB; a partition that it has no room for is forgotten.
  private static final class WriteHints {
    private static final int BYTES_A_SLOT = 1 << 10; // of the memtable
    private static final int SLOTS_LEAST = 64;
    private static final int SLOTS_MOST = 1 << 16;

    private final MemorySegment memory;
    private final int[] last; // the node that was linked last
    private final int[] before; // a node in front of its partition; 0 when none is known

    WriteHints(MemorySegment memory) {
      this.memory = memory;
      long slots = Math.clamp(memory.byteSize() / BYTES_A_SLOT, SLOTS_LEAST, SLOTS_MOST);
      this.last = new int[Integer.highestOneBit((int) slots)];
      this.before = new int[last.length];
    }

    /// The place of a partition; several may share it.
    int slot(long start, int more) {
      long mixed = (start ^ Integer.toUnsignedLong(more) << 32) * 0x9E3779B97F4A7C15L;
      return (int) (mixed >>> 32) & last.length - 1;
    }

    /// The node that was linked last at this place, perhaps one of another partition; 0 for none.
    long last(int slot) {
      return last[slot];
    }

    /// A node in front of the partition of the last one; 0 when none is known.
    long before(int slot) {
      return before[slot];
    }

    /// A node was linked.
    ///
    /// @param ahead the node before it
    /// @param isAheadOfPartition whether that one is of another partition, or the list's head
    void linked(long node, long ahead, boolean isAheadOfPartition) {
      int slot = slot(startOf(memory, node), moreOf(memory, node));
      if (isAheadOfPartition) {
        before[slot] = (int) ahead;
      } else if (last[slot] == 0 || !isOneStart(memory, node, last[slot])) {
        before[slot] = 0;
      }
      last[slot] = (int) node;
    }
  }
}
