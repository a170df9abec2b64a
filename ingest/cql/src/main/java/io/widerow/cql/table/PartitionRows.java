package io.widerow.cql.table;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.table.TableSource.Position;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The rows of some partitions, one partition after the other.
///
/// - Threads: one.
/// - Memory: holds its view until it is closed.
final class PartitionRows implements RowCursor {
  private final TableView view;
  private final RowReader reader;
  private final RowFilter filter;
  private final Deque<byte[]> partitions;
  private final Deque<Span> spans = new ArrayDeque<>(); // of the partition that is read
  private byte[] partition = {};
  private @Nullable TableCursor cursor;
  private @Nullable Position after; // until the partition that it is in
  private boolean begun; // whether a partition is read
  private boolean hasRows; // whether it has any
  private int count; // of its rows that were shown
  private int spansHeld;
  private @Nullable TableRow current;
  private byte[] currentKey = {};

  PartitionRows(
      TableView view,
      RowReader reader,
      List<byte[]> partitions,
      RowFilter filter,
      @Nullable Position after) {
    this.view = view;
    this.reader = reader;
    this.filter = filter;
    this.partitions = new ArrayDeque<>(partitions);
    this.after = after;
    if (after != null) {
      while (!this.partitions.isEmpty() && !after.isIn(this.partitions.getFirst())) {
        this.partitions.removeFirst();
      }
      if (this.partitions.isEmpty()) {
        throw CqlException.protocol("Invalid value for the paging state");
      }
    }
  }

  @Override
  public boolean next() {
    while (true) {
      TableCursor open = cursor;
      if (open != null && count < filter.rowsOfPartition() && open.next()) {
        hasRows = true;
        TableRow row = reader.row(open, reader.header(partition));
        if (show(row, WireCodec.bytes(open.key()))) {
          return true;
        }
        continue;
      }
      closeCursor();
      filter.requireGoingOn();
      Span next = count < filter.rowsOfPartition() ? spans.poll() : null;
      if (next != null) {
        cursor = reader.rows(next.from(), next.until(), filter.descending(), null);
        continue;
      }
      if (begun && !hasRows && showAlone()) {
        return true;
      }
      if (!beginPartition()) {
        return false;
      }
    }
  }

  private boolean showAlone() {
    hasRows = true; // it is asked once
    TableRow header = filter.spans().isClusteringRestricted() ? null : reader.header(partition);
    return header != null && show(header, TableKeys.header(partition));
  }

  private boolean show(TableRow row, byte[] key) {
    if (!filter.test(row)) {
      return false;
    }
    current = row;
    currentKey = key;
    count++;
    return true;
  }

  private boolean beginPartition() {
    byte[] next = partitions.poll();
    if (next == null) {
      begun = false;
      return false;
    }
    begun = true;
    partition = next;
    hasRows = false;
    count = 0;
    spans.clear();
    Position from = after;
    after = null;
    Position inside = from != null && from.isIn(next) ? from : null;
    if (inside != null) {
      hasRows = true;
      count = inside.count();
    }
    List<Span> all = filter.spans().spans(next);
    filter.hold(KeySpans.KEY_BYTES * (all.size() - spansHeld)); // of this partition instead
    spansHeld = all.size();
    for (Span span : all) {
      Span rest = inside == null ? span : behind(span, inside.key(), filter.descending());
      if (Arrays.compareUnsigned(rest.from(), rest.until()) < 0) {
        if (filter.descending()) {
          spans.addFirst(rest);
        } else {
          spans.addLast(rest);
        }
      }
    }
    return true;
  }

  /// The part of a range after a key.
  static Span behind(Span span, byte[] key, boolean descending) {
    if (descending) {
      boolean less = Arrays.compareUnsigned(span.until(), key) < 0;
      return new Span(span.from(), less ? span.until() : key);
    }
    byte[] next = TableKeys.next(key);
    boolean greater = Arrays.compareUnsigned(span.from(), next) > 0;
    return new Span(greater ? span.from() : next, span.until());
  }

  @Override
  public Row row() {
    return Objects.requireNonNull(current);
  }

  @Override
  public ByteBuffer position() {
    return Position.write(currentKey, count);
  }

  private void closeCursor() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }

  @Override
  public void close() {
    closeCursor();
    filter.end(view);
    view.close();
  }
}
