package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.store.CursorAround;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.type.WireCodec;
import java.util.Arrays;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The rows of a table in a range of its keys that have an entry in a part of an index, in the
/// order of their keys.
///
/// The entries of one value have that order. Of several values the least keys are collected, as
/// many as fit into a buffer of fixed size, and when they are shown the next ones.
///
/// - Threads: one.
/// - Memory: the keys of one buffer.
final class IndexedRows extends CursorAround {
  private static final int BUFFERED_MAX = 16_384;
  private static final int BUFFERED_BYTES_MAX = 2 << 20; // of the keys

  /// Heap memory of a buffer with its keys.
  static final long BUFFER_BYTES = BUFFERED_BYTES_MAX + 100L * BUFFERED_MAX;

  private final TableView view;
  private final IndexChoice.Part part;
  private final boolean descending;
  private final long nowSeconds;
  private final Runnable check;
  private final byte[] end; // of the range
  private byte[] from; // of the rest of it
  private byte[] until;
  private @Nullable TableCursor entries; // of one value
  private final TreeSet<byte[]> buffer = new TreeSet<>(Arrays::compareUnsigned);
  private boolean whole; // whether no keys are left but the buffered ones
  private @Nullable TableCursor rows; // of the current entry

  /// @param range keys of the table
  /// @param begun the partition that was shown in part before the range; null for none
  /// @param check ends the reading of a query that was cancelled, by throwing
  IndexedRows(
      TableView view,
      IndexChoice.Part part,
      Span range,
      boolean descending,
      long nowSeconds,
      byte @Nullable [] begun,
      Runnable check) {
    this.view = view;
    this.part = part;
    this.from = range.from();
    this.until = range.until();
    this.end = range.until();
    this.descending = descending;
    this.nowSeconds = nowSeconds;
    this.check = check;
    if (part.ofStatics() && begun != null) { // its entry comes before the range
      byte[] behind = TableKeys.behind(begun);
      rows = view.scan(from, greater(from, least(behind, until)), descending, nowSeconds);
      from = greater(from, behind);
    }
  }

  private static byte[] least(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) < 0 ? one : other;
  }

  private static byte[] greater(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) > 0 ? one : other;
  }

  @Override
  public boolean next() {
    while (true) {
      TableCursor open = rows;
      if (open != null) {
        if (open.next()) {
          return true;
        }
        open.close();
        rows = null;
      }
      check.run();
      byte[] key = part.isRange() ? nextBuffered() : nextEntry();
      if (key == null) {
        return false;
      }
      byte[] behind = part.ofStatics() ? least(behindPartition(key), end) : TableKeys.next(key);
      rows = view.scan(key, behind, descending, nowSeconds);
    }
  }

  private static byte[] behindPartition(byte[] header) {
    return TableKeys.behind(Arrays.copyOf(header, header.length - 1));
  }

  /// The key of the next entry of one value; null at the end.
  private byte @Nullable [] nextEntry() {
    TableCursor open = entries;
    if (open == null) {
      Span value = part.values().getFirst();
      byte[] first = part.keys().under(value.from(), from);
      byte[] behind = part.keys().under(value.from(), until);
      open = view.scan(first, greater(first, behind), descending, nowSeconds);
      entries = open;
    }
    return open.next() ? part.keys().row(WireCodec.bytes(open.key())) : null;
  }

  /// The next key of several values; null at the end.
  private byte @Nullable [] nextBuffered() {
    if (buffer.isEmpty() && !whole) {
      collect();
    }
    byte[] key = descending ? buffer.pollLast() : buffer.pollFirst();
    if (key == null) {
      return null;
    }
    if (descending) {
      until = key;
    } else {
      from = TableKeys.next(key);
    }
    return key;
  }

  /// Collects the first keys of the rest of the range.
  private void collect() {
    whole = true;
    long bytes = 0;
    for (Span span : part.values()) {
      try (TableCursor cursor = view.scan(span.from(), span.until(), false, nowSeconds)) {
        while (cursor.next()) {
          check.run();
          byte[] key = part.keys().row(WireCodec.bytes(cursor.key()));
          if (isInRange(key) && buffer.add(key)) {
            bytes += key.length;
          }
          while (buffer.size() > BUFFERED_MAX
              || (bytes > BUFFERED_BYTES_MAX && buffer.size() > 1)) {
            byte[] dropped = descending ? buffer.pollFirst() : buffer.pollLast();
            bytes -= Objects.requireNonNull(dropped).length;
            whole = false;
          }
        }
      }
    }
  }

  private boolean isInRange(byte[] key) {
    return Arrays.compareUnsigned(key, from) >= 0 && Arrays.compareUnsigned(key, until) < 0;
  }

  @Override
  protected TableCursor row() {
    return Objects.requireNonNull(rows, "no present row");
  }

  @Override
  public void close() {
    if (rows != null) {
      rows.close();
      rows = null;
    }
    if (entries != null) {
      entries.close();
      entries = null;
    }
  }
}
