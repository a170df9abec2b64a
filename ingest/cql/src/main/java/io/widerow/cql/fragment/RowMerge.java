package io.widerow.cql.fragment;

import io.widerow.storage.codec.ByteSink;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Merges the fragments of one row. Its result does not depend on their order, nor on which of them
/// were merged before. It is reused for row after row.
///
/// 1. Of two cells of one name the one with the greater timestamp counts; at equal ones a
///    tombstone, then a cell that expires, later or with the lesser ttl, then the greater value.
/// 2. A deletion of the row, of the column, of the partition or of a range hides cells that are not
///    younger.
/// 3. Expiry comes last: a cell that has expired still hides older ones.
///
/// - Threads: one.
public final class RowMerge {
  private final List<FragmentReader> pool = new ArrayList<>();
  private final PriorityQueue<FragmentReader> heap =
      new PriorityQueue<>(4, FragmentReader::compareCell);
  private final List<FragmentReader> spent = new ArrayList<>(); // stand on the present cell's name
  private final List<RangeDeletion> ranges = new ArrayList<>();
  private int count;
  private int[] columns = new int[4];
  private long[] columnTimes = new long[4];
  private int columnCount;
  private long rowDeleted;
  private long partitionDeleted;
  private @Nullable FragmentReader live;

  /// Begins a row.
  public void begin() {
    count = 0;
    heap.clear();
    spent.clear();
    ranges.clear();
    columnCount = 0;
    rowDeleted = Long.MIN_VALUE;
    partitionDeleted = Long.MIN_VALUE;
    live = null;
  }

  /// Adds a fragment of the row. The bytes must stay until the row is done.
  public void add(MemorySegment memory, long at, long limit, Path place) {
    if (count == pool.size()) {
      pool.add(new FragmentReader());
    }
    FragmentReader reader = pool.get(count++).over(memory, at, limit, place);
    rowDeleted = Math.max(rowDeleted, reader.rowDeleted());
    partitionDeleted = Math.max(partitionDeleted, reader.partitionDeleted());
    reader.ranges(ranges);
    reader.columns(this::columnDeleted);
    FragmentReader best = live;
    if (reader.isLive() && (best == null || winsLive(reader, best))) {
      live = reader;
    }
  }

  private static boolean winsLive(FragmentReader reader, FragmentReader best) {
    if (reader.liveTimestamp() != best.liveTimestamp()) {
      return reader.liveTimestamp() > best.liveTimestamp();
    }
    if (reader.liveTtl() == 0 || best.liveTtl() == 0) {
      return reader.liveTtl() > best.liveTtl();
    }
    return reader.liveExpiry() != best.liveExpiry()
        ? reader.liveExpiry() > best.liveExpiry()
        : reader.liveTtl() < best.liveTtl();
  }

  private void columnDeleted(int column, long timestamp) {
    int at = Arrays.binarySearch(columns, 0, columnCount, column);
    if (at >= 0) {
      columnTimes[at] = Math.max(columnTimes[at], timestamp);
      return;
    }
    if (columnCount == columns.length) {
      columns = Arrays.copyOf(columns, 2 * columnCount);
      columnTimes = Arrays.copyOf(columnTimes, 2 * columnCount);
    }
    int to = -at - 1;
    System.arraycopy(columns, to, columns, to + 1, columnCount - to);
    System.arraycopy(columnTimes, to, columnTimes, to + 1, columnCount - to);
    columns[to] = column;
    columnTimes[to] = timestamp;
    columnCount++;
  }

  /// Time of the deletion of the row; [Long#MIN_VALUE] for none.
  public long rowDeleted() {
    return rowDeleted;
  }

  /// Time of the deletion of the partition whose header this is; [Long#MIN_VALUE] for none.
  public long partitionDeleted() {
    return partitionDeleted;
  }

  /// Deleted ranges of the partition whose header this is.
  public List<RangeDeletion> ranges() {
    return ranges;
  }

  /// Ends the head of the row and stands before its first cell.
  public void ready() {
    heap.clear();
    spent.clear();
    for (int i = 0; i < count; i++) {
      FragmentReader reader = pool.get(i);
      reader.rewind();
      spent.add(reader);
    }
  }

  /// Whether the row itself is live.
  ///
  /// @param deleted time of what hides the row
  public boolean isLive(long deleted, long nowSeconds) {
    FragmentReader told = live;
    return told != null
        && isYounger(told.liveTimestamp(), deleted)
        && nowSeconds < told.liveExpiry();
  }

  /// Unix time in seconds from which a row that is live itself is no more.
  public long liveExpiry() {
    FragmentReader told = live;
    return told == null ? Long.MAX_VALUE : told.liveExpiry();
  }

  private static boolean isYounger(long timestamp, long deleted) {
    return timestamp > deleted || deleted == Long.MIN_VALUE;
  }

  /// The least timestamp of a part of the row that no deletion of the row hides.
  public long leastTimestamp() {
    FragmentReader told = live;
    long least = told == null ? Long.MAX_VALUE : told.liveTimestamp();
    ready();
    for (FragmentReader cell = nextCell(Long.MIN_VALUE);
        cell != null;
        cell = nextCell(Long.MIN_VALUE)) {
      least = Math.min(least, cell.timestamp());
    }
    return least;
  }

  /// The next cell that no deletion hides, tombstones and expired cells included; null at the end.
  ///
  /// @param deleted time of what hides the row
  public @Nullable FragmentReader nextCell(long deleted) {
    while (true) {
      for (FragmentReader reader : spent) {
        if (reader.nextCell()) {
          heap.add(reader);
        }
      }
      spent.clear();
      FragmentReader best = heap.poll();
      if (best == null) {
        return null;
      }
      spent.add(best);
      FragmentReader next = heap.peek();
      while (next != null && next.compareCell(best) == 0) {
        spent.add(heap.remove());
        best = next.wins(best) ? next : best;
        next = heap.peek();
      }
      if (isYounger(best.timestamp(), Math.max(deleted, columnDeleted(best.column())))) {
        return best;
      }
    }
  }

  private long columnDeleted(int column) {
    int at = columnCount == 0 ? -1 : Arrays.binarySearch(columns, 0, columnCount, column);
    return at < 0 ? Long.MIN_VALUE : columnTimes[at];
  }

  /// Writes one fragment with the combined content of all added fragments.
  ///
  /// @param hidden time of a deletion elsewhere that hides the row; it stays elsewhere
  /// @param purge tombstones and expired cells to drop
  /// @return false when no content remains, and then nothing was written
  public boolean write(FragmentEncoder encoder, ByteSink out, long hidden, TombstonePolicy purge) {
    int start = out.length();
    encoder.begin(out);
    long deleted = Math.max(hidden, Math.max(rowDeleted, partitionDeleted));
    FragmentReader told = live;
    if (told != null
        && isYounger(told.liveTimestamp(), deleted)
        && !purge.expired(told.liveTimestamp(), told.liveExpiry())) {
      encoder.live(told.liveTimestamp(), told.liveTtl(), told.liveExpiry());
    }
    boolean isLatest = isYounger(rowDeleted, Math.max(hidden, partitionDeleted));
    if (rowDeleted > Long.MIN_VALUE && isLatest && !purge.deleted(rowDeleted)) {
      encoder.rowDeleted(rowDeleted);
    }
    if (partitionDeleted > Long.MIN_VALUE && !purge.deleted(partitionDeleted)) {
      encoder.partitionDeleted(partitionDeleted);
    }
    encoder.ranges(rangesLeft(purge));
    writeColumns(encoder, deleted, purge);
    ready();
    for (FragmentReader cell = nextCell(deleted); cell != null; cell = nextCell(deleted)) {
      boolean isGone =
          cell.isTombstone()
              ? purge.deleted(cell.timestamp())
              : purge.expired(cell.timestamp(), cell.expiry());
      if (!isGone) {
        encoder.cell(cell);
      }
    }
    if (encoder.isEmpty()) {
      out.cut(start);
      return false;
    }
    return true;
  }

  private List<RangeDeletion> rangesLeft(TombstonePolicy purge) {
    if (ranges.isEmpty()) {
      return ranges;
    }
    List<RangeDeletion> left = new ArrayList<>();
    for (RangeDeletion range : ranges) {
      if (range.timestamp > partitionDeleted
          && !purge.deleted(range.timestamp)
          && left.stream().noneMatch(range::isWithin)) {
        left.removeIf(other -> other.isWithin(range));
        left.add(range);
      }
    }
    return left;
  }

  private void writeColumns(FragmentEncoder encoder, long deleted, TombstonePolicy purge) {
    int[] numbers = new int[columnCount];
    long[] times = new long[columnCount];
    int left = 0;
    for (int i = 0; i < columnCount; i++) {
      if (isYounger(columnTimes[i], deleted) && !purge.deleted(columnTimes[i])) {
        numbers[left] = columns[i];
        times[left++] = columnTimes[i];
      }
    }
    encoder.columns(numbers, times, left);
  }
}
