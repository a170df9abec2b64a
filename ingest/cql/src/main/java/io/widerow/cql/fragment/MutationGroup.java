package io.widerow.cql.fragment;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.WriteTooLargeException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.journal.MutationRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The mutations of one group as records, in the order in which they were added. It is reused.
///
/// - Threads: one.
public final class MutationGroup implements Mutations {
  /// A cell as it was added.
  public static final class Cell {
    private static final Comparator<Cell> ORDER =
        Comparator.<Cell>comparingInt(cell -> cell.column)
            .thenComparing(cell -> cell.path, Comparator.nullsFirst(Arrays::compareUnsigned));

    final int column;
    final byte @Nullable [] path;
    final byte @Nullable [] value; // null for a tombstone
    final long timestamp;
    final int ttl;
    final long expiry;

    Cell(
        int column,
        byte @Nullable [] path,
        byte @Nullable [] value,
        long timestamp,
        int ttl,
        long expiry) {
      this.column = column;
      this.path = path;
      this.value = value;
      this.timestamp = timestamp;
      this.ttl = ttl;
      this.expiry = ttl > 0 ? expiry : Long.MAX_VALUE;
    }

    private int rank() {
      return value == null ? 2 : ttl > 0 ? 1 : 0;
    }

    /// True when it wins over another of its name, as [FragmentReader#wins] has it.
    boolean wins(Cell other) {
      if (timestamp != other.timestamp) {
        return timestamp > other.timestamp;
      }
      if (rank() != other.rank()) {
        return rank() > other.rank();
      }
      if (expiry != other.expiry) {
        return expiry > other.expiry;
      }
      if (ttl != other.ttl) {
        return ttl < other.ttl;
      }
      byte[] mine = value;
      byte[] its = other.value;
      return mine != null && its != null && Arrays.compareUnsigned(mine, its) > 0;
    }
  }

  private final int recordBytesMax;
  private final ByteSink out = new ByteSink();
  private final FragmentEncoder encoder = new FragmentEncoder();
  private final List<Integer> limits = new ArrayList<>(); // ends of the records
  private final List<Cell> cells = new ArrayList<>();
  private final List<RangeDeletion> ranges = new ArrayList<>();
  private final Map<Integer, Long> columns = new TreeMap<>();
  private byte @Nullable [] key; // of the row that was begun
  private int partition;
  private @Nullable Cell live;
  private long rowDeleted;
  private long partitionDeleted;

  /// @param recordBytesMax the most bytes of one record
  public MutationGroup(int recordBytesMax) {
    this.recordBytesMax = recordBytesMax;
  }

  public void clear() {
    out.clear();
    limits.clear();
    key = null;
    clearRow();
  }

  private void clearRow() {
    cells.clear();
    ranges.clear();
    columns.clear();
    live = null;
    rowDeleted = Long.MIN_VALUE;
    partitionDeleted = Long.MIN_VALUE;
  }

  @Override
  public Mutations row(byte[] newKey, int newPartition) {
    if (newKey.length > MAX_KEY || newPartition < 0 || newPartition >= newKey.length) {
      throw new IllegalArgumentException(
          "a key has at most %d bytes and more than its partition, got %d with a partition of %d"
              .formatted(MAX_KEY, newKey.length, newPartition));
    }
    end();
    key = newKey.clone();
    partition = newPartition;
    return this;
  }

  private void requireRow() {
    if (key == null) {
      throw new IllegalStateException("no row was begun");
    }
  }

  private void requireHeader() {
    byte[] now = key;
    if (now == null || now[partition] != 0) {
      throw new IllegalArgumentException("only the header of a partition deletes other rows");
    }
  }

  private static int requireTtl(int ttl) {
    if (ttl < 0) {
      throw new IllegalArgumentException("a ttl must not be negative, got " + ttl);
    }
    return ttl;
  }

  private static int requireColumn(int column) {
    if (column < 0) {
      throw new IllegalArgumentException("a column must not be negative, got " + column);
    }
    return column;
  }

  @Override
  public Mutations live(long timestamp, int ttl, long expiry) {
    requireRow();
    Cell told = new Cell(0, null, new byte[0], timestamp, requireTtl(ttl), expiry);
    Cell before = live;
    live = before == null || told.wins(before) ? told : before;
    return this;
  }

  @Override
  public Mutations deleteRow(long timestamp) {
    requireRow();
    rowDeleted = Math.max(rowDeleted, timestamp);
    return this;
  }

  @Override
  public Mutations cell(
      int column, byte @Nullable [] path, byte[] value, long timestamp, int ttl, long expiry) {
    requireRow();
    cells.add(
        new Cell(
            requireColumn(column),
            path == null ? null : path.clone(),
            value.clone(),
            timestamp,
            requireTtl(ttl),
            expiry));
    return this;
  }

  @Override
  public Mutations deleteCell(int column, byte @Nullable [] path, long timestamp) {
    requireRow();
    byte[] kept = path == null ? null : path.clone();
    cells.add(new Cell(requireColumn(column), kept, null, timestamp, 0, 0));
    return this;
  }

  @Override
  public Mutations deleteCells(int column, long timestamp) {
    requireRow();
    columns.merge(requireColumn(column), timestamp, Math::max);
    return this;
  }

  @Override
  public Mutations deletePartition(long timestamp) {
    requireHeader();
    partitionDeleted = Math.max(partitionDeleted, timestamp);
    return this;
  }

  @Override
  public Mutations deleteRange(byte[] from, byte[] until, long timestamp) {
    requireHeader();
    ranges.add(new RangeDeletion(from.clone(), until.clone(), timestamp));
    return this;
  }

  /// Ends the last row. Call it before the records are read.
  public void end() {
    byte[] row = key;
    if (row == null) {
      return;
    }
    int start = out.length();
    out.reserve(MutationRecord.HEADER_BYTES);
    out.advance(MutationRecord.HEADER_BYTES);
    out.put(row, 0, row.length);
    encode();
    int length = out.length() - start;
    if (length > recordBytesMax) {
      throw new WriteTooLargeException(
          "a write to one row has at most %2$d bytes, got %1$d; write its columns one by one"
              .formatted(length, recordBytesMax));
    }
    MutationRecord.write(MemorySegment.ofArray(out.bytes()), start, length, row.length, partition);
    limits.add(out.length());
    key = null;
    clearRow();
  }

  private void encode() {
    encoder.begin(out);
    Cell told = live;
    if (told != null) {
      encoder.live(told.timestamp, told.ttl, told.expiry);
    }
    if (rowDeleted > Long.MIN_VALUE) {
      encoder.rowDeleted(rowDeleted);
    }
    if (partitionDeleted > Long.MIN_VALUE) {
      encoder.partitionDeleted(partitionDeleted);
    }
    encoder.ranges(ranges);
    if (!columns.isEmpty()) {
      int[] numbers = columns.keySet().stream().mapToInt(Integer::intValue).toArray();
      long[] times = columns.values().stream().mapToLong(Long::longValue).toArray();
      encoder.columns(numbers, times, numbers.length);
    }
    cells.sort(Cell.ORDER);
    for (int i = 0; i < cells.size(); i++) {
      Cell best = cells.get(i);
      while (i + 1 < cells.size() && Cell.ORDER.compare(best, cells.get(i + 1)) == 0) {
        i++;
        best = cells.get(i).wins(best) ? cells.get(i) : best;
      }
      encoder.cell(best);
    }
  }

  /// The number of records.
  public int count() {
    return limits.size();
  }

  /// Where the n-th record ends.
  public int limit(int record) {
    return limits.get(record);
  }

  public int bytes() {
    return out.length();
  }

  /// The records, one after the other.
  public MemorySegment records() {
    return out.memory(0);
  }
}
