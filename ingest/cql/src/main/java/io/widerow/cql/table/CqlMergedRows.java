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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The rows of several partitions in one clustering order, those of equal clustering keys in the
/// order of their partitions. A partition that has only static columns comes before all rows of
/// that order. Where the rows of each partition are limited, a page reads those again that were
/// shown before it: only then the number of remaining ones is known.
///
/// - Threads: one.
/// - Memory: holds its view and a cursor for each partition until it is closed.
final class CqlMergedRows implements RowCursor {
  private static final long PARTITION_BYTES = 256 << 10; // of a block and its decompressor

  private final TableView view;
  private final RowReader reader;
  private final RowFilter filter;
  private final List<Partition> all = new ArrayList<>();
  private final PriorityQueue<Partition> heads;
  private @Nullable Partition last; // whose row is shown
  private @Nullable TableRow current;
  private byte[] currentKey = {};

  CqlMergedRows(
      TableView view,
      RowReader reader,
      List<byte[]> partitions,
      RowFilter filter,
      @Nullable Position after) {
    this.view = view;
    this.reader = reader;
    this.filter = filter;
    this.heads = new PriorityQueue<>(this::compare);
    try {
      Shown shown = after == null ? null : shown(after, partitions);
      for (byte[] partition : partitions) {
        filter.hold(PARTITION_BYTES);
        Partition opened = new Partition(partition, all.size(), shown);
        all.add(opened);
        if (opened.next()) {
          heads.add(opened);
        }
      }
    } catch (RuntimeException refused) {
      all.forEach(Partition::close);
      throw refused;
    }
  }

  private int compare(Partition one, Partition other) {
    int order = compare(one.key, one.prefix.length, other.key, other.prefix.length);
    return order == 0 ? Integer.compare(one.place, other.place) : order;
  }

  /// Orders what keys of rows, or of headers, add to their partitions.
  ///
  /// @param prefix the number of bytes of the key that belong to its partition
  private int compare(byte[] key, int prefix, byte[] other, int otherPrefix) {
    int order = Arrays.compareUnsigned(key, prefix, key.length, other, otherPrefix, other.length);
    return filter.descending() ? -order : order;
  }

  /// The row that was shown last: its key, how many bytes of it are those of its partition, and the
  /// place of that.
  private static final class Shown {
    private final byte[] key;
    private final int prefix;
    private final int place;

    Shown(byte[] key, int prefix, int place) {
      this.key = key;
      this.prefix = prefix;
      this.place = place;
    }
  }

  private Shown shown(Position after, List<byte[]> partitions) {
    for (int place = 0; place < partitions.size(); place++) {
      byte[] partition = partitions.get(place);
      if (after.isIn(partition)) {
        return new Shown(after.key(), partition.length, place);
      }
    }
    throw CqlException.protocol("Invalid value for the paging state");
  }

  /// One partition, and the row at which it stands.
  private final class Partition {
    private final byte[] prefix;
    private final int place; // among the partitions
    private final Deque<Span> spans = new ArrayDeque<>();
    private @Nullable TableCursor cursor;
    private @Nullable TableRow row;
    private byte[] key = {};
    private int count; // of its rows so far
    private @Nullable TableRow alone; // its static columns, until they are shown

    Partition(byte[] prefix, int place, @Nullable Shown after) {
      this.prefix = prefix;
      this.place = place;
      if (hasOnlyStatics()) {
        alone = isLeft(TableKeys.header(prefix), after) ? reader.header(prefix) : null;
        return;
      }
      boolean limited = filter.rowsOfPartition() != Integer.MAX_VALUE;
      List<Span> found = filter.spans().spans(prefix);
      filter.hold(KeySpans.KEY_BYTES * found.size());
      for (Span span : found) {
        Span rest = after == null ? span : rest(span, after);
        addSpan(limited && after != null ? before(span, rest) : rest);
      }
      if (limited && after != null) {
        try {
          countShown();
        } catch (RuntimeException refused) { // no other reader has this partition yet
          close();
          throw refused;
        }
        found.forEach(span -> addSpan(rest(span, after)));
      }
    }

    private boolean hasOnlyStatics() {
      return !filter.spans().isClusteringRestricted()
          && reader.header(prefix) != null
          && reader.first(prefix) == null;
    }

    /// True when a key of this partition comes after the row that was shown last.
    private boolean isLeft(byte[] own, @Nullable Shown after) {
      int order = after == null ? 1 : compare(own, prefix.length, after.key, after.prefix);
      return order > 0 || (order == 0 && after != null && place > after.place);
    }

    private void addSpan(Span span) {
      if (Arrays.compareUnsigned(span.from(), span.until()) >= 0) {
        return;
      }
      if (filter.descending()) {
        spans.addFirst(span);
      } else {
        spans.addLast(span);
      }
    }

    /// The part of a range before the rest of it.
    private Span before(Span span, Span rest) {
      return filter.descending()
          ? new Span(greatest(rest.until(), span.from()), span.until())
          : new Span(span.from(), least(rest.from(), span.until()));
    }

    private void countShown() {
      boolean more = next();
      while (more) {
        more = next();
      }
    }

    private static byte[] greatest(byte[] one, byte[] other) {
      return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
    }

    private static byte[] least(byte[] one, byte[] other) {
      return Arrays.compareUnsigned(one, other) <= 0 ? one : other;
    }

    /// The range after a row of this partition or of another one.
    private Span rest(Span span, Shown last) {
      int bytes = last.key.length - last.prefix;
      byte[] here = Arrays.copyOf(prefix, prefix.length + bytes);
      System.arraycopy(last.key, last.prefix, here, prefix.length, bytes);
      if (place <= last.place) { // the row of this clustering key was shown
        return PartitionRows.behind(span, here, filter.descending());
      }
      return filter.descending()
          ? PartitionRows.behind(span, TableKeys.next(here), true)
          : new Span(
              Arrays.compareUnsigned(span.from(), here) > 0 ? span.from() : here, span.until());
    }

    boolean next() {
      if (count >= filter.rowsOfPartition()) {
        close();
        return false;
      }
      TableRow header = alone;
      alone = null;
      if (header != null) {
        return found(header, TableKeys.header(prefix));
      }
      while (true) {
        TableCursor open = cursor;
        if (open == null) {
          filter.requireGoingOn();
          Span next = spans.poll();
          if (next == null) {
            return false;
          }
          open = reader.rows(next.from(), next.until(), filter.descending(), null);
          cursor = open;
        }
        if (!open.next()) {
          close();
          continue;
        }
        if (found(reader.row(open, reader.header(prefix)), WireCodec.bytes(open.key()))) {
          return true;
        }
      }
    }

    private boolean found(TableRow next, byte[] of) {
      if (!filter.test(next)) {
        return false;
      }
      row = next;
      key = of;
      count++;
      return true;
    }

    void close() {
      if (cursor != null) {
        cursor.close();
        cursor = null;
      }
    }
  }

  @Override
  public boolean next() {
    Partition moved = last;
    last = null;
    if (moved != null && moved.next()) {
      heads.add(moved);
    }
    Partition first = heads.poll();
    if (first == null) {
      return false;
    }
    last = first;
    current = first.row;
    currentKey = first.key;
    return true;
  }

  @Override
  public Row row() {
    return Objects.requireNonNull(current);
  }

  @Override
  public ByteBuffer position() {
    return Position.write(currentKey, 0);
  }

  @Override
  public void close() {
    all.forEach(Partition::close);
    filter.end(view);
    view.close();
  }
}
