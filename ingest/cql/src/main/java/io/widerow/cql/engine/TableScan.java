package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.cql.store.TableCursor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A cursor over the rows of a view: merges the sources, applies deletions of headers, and passes
/// over what has expired.
///
/// - Threads: one.
final class TableScan implements TableCursor {
  private final LeasedView view;
  private final KeyRange range;
  private final boolean descending;
  private final long nowSeconds;
  private final MergedRows rows;
  private final @Nullable HiddenRows hidden; // null when nothing hides rows
  private long deleted; // of the present row
  private boolean live;
  private boolean isAhead; // the present cell was not given out yet
  private @Nullable FragmentReader cell;
  private boolean closed;

  /// @param view whose state has one more lease, for this
  TableScan(LeasedView view, KeyRange range, boolean descending, long nowSeconds) {
    this.view = view;
    this.range = range;
    this.descending = descending;
    this.nowSeconds = nowSeconds;
    this.rows =
        new MergedRows(range.isEmpty() ? List.of() : view.sources(range, descending), descending);
    this.hidden = view.hidesRows() ? new HiddenRows() : null;
  }

  @Override
  public boolean next() {
    while (rows.next()) {
      RowMerge merge = rows.merge();
      deleted = merge.rowDeleted();
      HiddenRows hiding = hidden;
      if (hiding != null) {
        findHeader(hiding);
        deleted = Math.max(deleted, hiding.deleted(rows));
      }
      merge.ready();
      live = merge.isLive(deleted, nowSeconds);
      cell = liveCell();
      isAhead = cell != null;
      if (live || isAhead) {
        return true;
      }
    }
    cell = null;
    isAhead = false;
    return false;
  }

  /// Sets `hiding` to the partition of the current row. Going up, its header came before, if it is
  /// in the range.
  private void findHeader(HiddenRows hiding) {
    if (!hiding.isOf(rows)) {
      hiding.begin(rows);
      KeyRange header = hiding.header();
      boolean comes = !descending && range.isFromStart(header.from(), 0, header.fromBytes());
      if (!comes) {
        try (var found = new MergedRows(view.sources(header, false), false)) {
          while (found.next()) {
            hiding.add(found.merge());
          }
        }
        return;
      }
    }
    if (!descending && rows.isHeader()) {
      hiding.add(rows.merge());
    }
  }

  private @Nullable FragmentReader liveCell() {
    RowMerge merge = rows.merge();
    FragmentReader next = merge.nextCell(deleted);
    while (next != null && (next.isTombstone() || nowSeconds >= next.expiry())) {
      next = merge.nextCell(deleted);
    }
    return next;
  }

  @Override
  public ByteBuffer key() {
    return ByteBuffer.wrap(rows.key(), 0, rows.keyBytes()).slice();
  }

  /// The common prefix of the keys of the row's partition.
  byte[] partition() {
    return Arrays.copyOf(rows.key(), rows.partition());
  }

  /// Whether the row is one of a partition.
  boolean isIn(byte[] partition) {
    return rows.isIn(partition);
  }

  boolean isHeader() {
    return rows.isHeader();
  }

  @Override
  public boolean isLive() {
    return live;
  }

  @Override
  public long liveExpiry() {
    return rows.merge().liveExpiry();
  }

  @Override
  public boolean nextCell() {
    if (isAhead) {
      isAhead = false;
      return true;
    }
    cell = cell == null ? null : liveCell();
    return cell != null;
  }

  private FragmentReader now() {
    return Objects.requireNonNull(cell, "no present cell");
  }

  @Override
  public int column() {
    return now().column();
  }

  @Override
  public @Nullable ByteBuffer path() {
    FragmentReader now = now();
    return now.pathBytes() < 0 ? null : slice(now.memory(), now.pathAt(), now.pathBytes());
  }

  @Override
  public ByteBuffer value() {
    FragmentReader now = now();
    return slice(now.memory(), now.valueAt(), now.valueBytes());
  }

  private static ByteBuffer slice(MemorySegment memory, long at, int bytes) {
    return memory.asSlice(at, bytes).asByteBuffer().asReadOnlyBuffer();
  }

  @Override
  public long timestamp() {
    return now().timestamp();
  }

  @Override
  public int ttl() {
    return now().ttl();
  }

  @Override
  public long expiry() {
    return now().expiry();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      rows.close();
      view.scanEnded();
    }
  }
}
