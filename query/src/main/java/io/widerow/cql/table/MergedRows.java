package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.table.TableSource.Position;
import io.widerow.cql.type.Wire;
import io.widerow.table.TableCursor;
import io.widerow.table.TableView;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The rows of several partitions in one clustering order, those of equal clustering keys by their
/// tokens. Where the rows of each partition are limited, a page reads those again that were shown
/// before it: only they tell how many are left.
///
/// - Threads: one.
/// - Memory: holds its view and a cursor for each partition until it is closed.
final class MergedRows implements RowCursor {
  private static final long PARTITION_BYTES = 256 << 10; // of a block and its decompressor

  private final TableView view;
  private final RowReader reader;
  private final RowFilter filter;
  private final List<Partition> all = new ArrayList<>();
  private final PriorityQueue<Partition> heads;
  private @Nullable Partition last; // whose row is shown
  private @Nullable TableRow current;
  private byte[] currentKey = {};

  MergedRows(
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
      for (byte[] partition : partitions) {
        filter.hold(PARTITION_BYTES);
        Partition opened = new Partition(partition, after);
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
    int order =
        Arrays.compareUnsigned(
            one.key,
            one.prefix.length,
            one.key.length,
            other.key,
            other.prefix.length,
            other.key.length);
    if (order != 0) {
      return filter.descending() ? -order : order;
    }
    return Arrays.compareUnsigned(one.prefix, other.prefix);
  }

  /// One partition, and the row at which it stands.
  private final class Partition {
    private final byte[] prefix;
    private final Deque<Span> left = new ArrayDeque<>();
    private @Nullable TableCursor cursor;
    private @Nullable TableRow row;
    private byte[] key = {};
    private int count; // of its rows so far

    Partition(byte[] prefix, @Nullable Position after) {
      this.prefix = prefix;
      boolean limited = filter.rowsOfPartition() != Integer.MAX_VALUE;
      List<Span> spans = filter.spans().spans(prefix);
      filter.hold(KeySpans.KEY_BYTES * spans.size());
      for (Span span : spans) {
        Span rest = after == null ? span : rest(span, after.key());
        addSpan(limited && after != null ? before(span, rest) : rest);
      }
      if (limited && after != null) {
        countShown();
        for (Span span : filter.spans().spans(prefix)) {
          addSpan(rest(span, after.key()));
        }
      }
    }

    private void addSpan(Span span) {
      if (Arrays.compareUnsigned(span.from(), span.until()) >= 0) {
        return;
      }
      if (filter.descending()) {
        left.addFirst(span);
      } else {
        left.addLast(span);
      }
    }

    /// What of a range comes before the rest of it.
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

    /// What comes after a row of this partition or of another one.
    private Span rest(Span span, byte[] last) {
      int length = reader.keys().read(ByteBuffer.wrap(last)).prefix();
      byte[] here = Arrays.copyOf(prefix, prefix.length + last.length - length);
      System.arraycopy(last, length, here, prefix.length, last.length - length);
      boolean own = Arrays.compareUnsigned(prefix, 0, prefix.length, last, 0, length) <= 0;
      if (own) { // the row of this clustering key was shown
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
      while (true) {
        TableCursor open = cursor;
        if (open == null) {
          filter.requireGoingOn();
          Span next = left.poll();
          if (next == null) {
            return false;
          }
          open = reader.scan(next.from(), next.until(), filter.descending());
          cursor = open;
        }
        if (!open.next()) {
          close();
          continue;
        }
        TableRow found = reader.row(open, reader.header(prefix));
        if (filter.test(found)) {
          row = found;
          key = Wire.bytes(open.key());
          count++;
          return true;
        }
      }
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
    view.close();
  }
}
