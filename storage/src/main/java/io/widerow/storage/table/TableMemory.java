package io.widerow.storage.table;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Lease;
import io.widerow.storage.fragment.FragmentEncoder;
import io.widerow.storage.fragment.Keys;
import io.widerow.storage.fragment.Purge;
import io.widerow.storage.fragment.RowMerge;
import io.widerow.storage.journal.MutationRecord;
import io.widerow.storage.rows.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/// A memtable: mutations in the order of arrival, and a skip list over them, all in one piece of
/// native memory.
///
/// ```
///   | record | record | ...  free  ... | node | node | head |
/// ```
///
/// The list is sorted by key; of equal keys the latest fragment comes first. A node has the LSN of
/// its group, so that a reader passes over what came after its view. When a key has many fragments,
/// the writer adds one that says what all of them say; readers that see it need no earlier one.
///
/// ```
///   0        4       8     16      20      24       28
///   +--------+-------+-----+-------+-------+--------+---- ~ ----+
///   | record | flags | lsn | depth | since | merged | next[]    |
///   +--------+-------+-----+-------+-------+--------+---- ~ ----+
/// ```
///
/// `depth` counts the fragments of the key from the last merged one on, `since` their bytes, and
/// `merged` has the bytes of that one.
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
  private static final long NEXT = 28;
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
    for (int level = 0; level < LEVELS; level++) {
      memory.set(INT, head + NEXT + 4L * level, 0);
    }
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

  /// Copies the records of a group to where they stay, and shows them to nobody yet.
  MemorySegment stage(MemorySegment group) {
    MemorySegment place = memory.asSlice(tail, group.byteSize());
    return place.copyFrom(group);
  }

  /// Shows what was staged, to readers of views from this LSN on.
  ///
  /// @param count of its records
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
    long fragment = record + MutationRecord.HEADER_BYTES + keyBytes;
    int length = MutationRecord.length(memory, record);
    boolean hides = (memory.get(ValueLayout.JAVA_BYTE, fragment) & FragmentEncoder.HIDES_ROWS) != 0;
    if (hides) {
      hidesRows = true;
    }
    long older = findBefore(memory, record + MutationRecord.HEADER_BYTES, keyBytes);
    int flags = hides ? HIDES_ROWS : 0;
    if (older == 0 || !hasKey(older, record)) {
      link(record, flags, lsn, 1, length, 0);
    } else {
      int depth = memory.get(INT, older + DEPTH) + 1;
      int since = memory.get(INT, older + SINCE) + length;
      int mergedBytes = memory.get(INT, older + MERGED);
      link(record, flags, lsn, depth, since, mergedBytes);
      if (depth >= DEPTH_MERGED && since >= mergedBytes && since < MERGED_BYTES_MAX) {
        addMerged(record, keyBytes, lsn, left);
      }
    }
    isEmpty = false;
  }

  private boolean hasKey(long node, long record) {
    long other = recordOf(node);
    return Keys.compare(
            memory,
            other + MutationRecord.HEADER_BYTES,
            MutationRecord.keyBytes(memory, other),
            memory,
            record + MutationRecord.HEADER_BYTES,
            MutationRecord.keyBytes(memory, record))
        == 0;
  }

  private void addMerged(long record, int keyBytes, long lsn, int left) {
    long first = findBefore(memory, record + MutationRecord.HEADER_BYTES, keyBytes);
    merge.begin();
    int flags = addTo(merge, first, Long.MAX_VALUE);
    merged.clear();
    if (!merge.write(encoder, merged, Long.MIN_VALUE, Purge.NOTHING)) {
      return;
    }
    int length = MutationRecord.HEADER_BYTES + keyBytes + merged.length();
    if (!fits(length, 1 + left)) {
      return;
    }
    long at = tail;
    MutationRecord.write(memory, at, length, keyBytes, MutationRecord.partition(memory, record));
    MemorySegment.copy(
        memory,
        record + MutationRecord.HEADER_BYTES,
        memory,
        at + MutationRecord.HEADER_BYTES,
        keyBytes);
    memory
        .asSlice(at + MutationRecord.HEADER_BYTES + keyBytes, merged.length())
        .copyFrom(merged.memory(0));
    tail += length;
    findBefore(memory, at + MutationRecord.HEADER_BYTES, keyBytes);
    link(at, flags | IS_MERGED, lsn, 0, 0, length);
  }

  /// Links a node in front of the fragments of its key, where [#findBefore] looked last.
  private void link(long record, int flags, long lsn, int depth, int since, int mergedBytes) {
    int height = height();
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
    for (int level = 0; level < height; level++) {
      long from = before[level] + NEXT + 4L * level;
      memory.set(INT, node + NEXT + 4L * level, memory.get(INT, from));
      LINK.setRelease(memory, from, (int) node);
    }
  }

  private int height() {
    randomBits ^= randomBits << 13;
    randomBits ^= randomBits >>> 7;
    randomBits ^= randomBits << 17;
    return Math.min(LEVELS, 1 + Long.numberOfTrailingZeros(randomBits | 1L << 62) / 2);
  }

  private long next(long node, int level) {
    return (int) LINK.getAcquire(memory, node + NEXT + 4L * level);
  }

  private long recordOf(long node) {
    return memory.get(INT, node);
  }

  /// Compares the key of a node with another one.
  private int compare(long node, MemorySegment key, long keyAt, int keyBytes) {
    long record = recordOf(node);
    return Keys.compare(
        memory,
        record + MutationRecord.HEADER_BYTES,
        MutationRecord.keyBytes(memory, record),
        key,
        keyAt,
        keyBytes);
  }

  /// For the writer: the first node whose key is not before a key, and on each level the node
  /// before it. 0 when there is none.
  private long findBefore(MemorySegment key, long keyAt, int keyBytes) {
    long node = head;
    long found = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
      found = next(node, level);
      while (found != 0 && compare(found, key, keyAt, keyBytes) < 0) {
        node = found;
        found = next(node, level);
      }
      before[level] = node;
    }
    return found;
  }

  /// The first node whose key is not before a key; 0 when there is none.
  private long find(MemorySegment key, long keyAt, int keyBytes) {
    return find(key, keyAt, keyBytes, 0);
  }

  /// The first node whose key compares with a key as at least this.
  private long find(MemorySegment key, long keyAt, int keyBytes, int least) {
    long node = head;
    long found = 0;
    for (int level = LEVELS - 1; level >= 0; level--) {
      found = next(node, level);
      while (found != 0 && compare(found, key, keyAt, keyBytes) < least) {
        node = found;
        found = next(node, level);
      }
    }
    return found;
  }

  /// The last node whose key is before a key; 0 when there is none.
  private long findLast(MemorySegment key, long keyAt, int keyBytes) {
    long node = head;
    for (int level = LEVELS - 1; level >= 0; level--) {
      long found = next(node, level);
      while (found != 0 && compare(found, key, keyAt, keyBytes) < 0) {
        node = found;
        found = next(node, level);
      }
    }
    return node == head ? 0 : node;
  }

  /// Adds the fragments of the key of a node, the first of its key, to a merge.
  ///
  /// @return flags of the nodes that a merged one keeps
  private int addTo(RowMerge to, long first, long lsnMost) {
    int flags = 0;
    long record = recordOf(first);
    for (long node = first; node != 0 && hasKey(node, record); node = next(node, 0)) {
      if (memory.get(LONG, node + LSN) > lsnMost) {
        continue;
      }
      long at = recordOf(node);
      int keyBytes = MutationRecord.keyBytes(memory, at);
      long fragment = at + MutationRecord.HEADER_BYTES + keyBytes;
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
    return descending ? new Down(range, lsnMost) : new Up(range, lsnMost);
  }

  /// Its keys from the least to the greatest.
  private class Up extends Fragments {
    private final KeyRange range;
    final long lsnMost;
    long node; // the first of the present key
    private boolean begun;

    Up(KeyRange range, long lsnMost) {
      this.range = range;
      this.lsnMost = lsnMost;
    }

    @Override
    boolean next() {
      node = begun ? behind() : find(range.from(), 0, range.fromBytes());
      begun = true;
      while (node != 0) {
        stand();
        if (!range.isBeforeEnd(memory, keyAt, keyBytes)) {
          node = 0;
        } else if (isShown()) {
          return true;
        } else {
          node = behind();
        }
      }
      return false;
    }

    void stand() {
      long record = recordOf(node);
      memory = TableMemory.this.memory;
      keyAt = record + MutationRecord.HEADER_BYTES;
      keyBytes = MutationRecord.keyBytes(memory, record);
      partition = MutationRecord.partition(memory, record);
    }

    /// True when a fragment of the key is in the view.
    boolean isShown() {
      long record = recordOf(node);
      for (long at = node; at != 0 && hasKey(at, record); at = TableMemory.this.next(at, 0)) {
        if (memory.get(LONG, at + LSN) <= lsnMost) {
          return true;
        }
      }
      return false;
    }

    /// The first node of the key behind the present one. A key may have very many nodes, so that
    /// only the first one after it is tried before it is searched for.
    private long behind() {
      if (node == 0) {
        return 0;
      }
      long at = TableMemory.this.next(node, 0);
      return at == 0 || !hasKey(at, recordOf(node)) ? at : find(memory, keyAt, keyBytes, 1);
    }

    @Override
    void addTo(RowMerge merge) {
      TableMemory.this.addTo(merge, node, lsnMost);
    }
  }

  /// Its keys from the greatest to the least.
  private final class Down extends Up {
    private final KeyRange range;
    private boolean begun;

    Down(KeyRange range, long lsnMost) {
      super(range, lsnMost);
      this.range = range;
    }

    @Override
    boolean next() {
      long last =
          begun
              ? node == 0 ? 0 : findLast(memory, keyAt, keyBytes)
              : findLast(range.until(), 0, range.untilBytes());
      begun = true;
      while (last != 0) {
        long record = recordOf(last);
        int bytes = MutationRecord.keyBytes(TableMemory.this.memory, record);
        node = find(TableMemory.this.memory, record + MutationRecord.HEADER_BYTES, bytes);
        stand();
        if (!range.isFromStart(memory, keyAt, keyBytes)) {
          break;
        }
        if (isShown()) {
          return true;
        }
        last = findLast(memory, keyAt, keyBytes);
      }
      node = 0;
      return false;
    }
  }

  @Override
  public void close() {
    lease.close();
  }
}
