package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The decoder of derived columns, as a [DerivedEncoder] writes them.
///
/// - Threads: one.
final class DerivedDecoder implements PieceDecoder.SymbolReader {
  private static final long[] NONE = new long[0];

  private final LongDecoder longs;
  private final List<long[]> symbolsBefore = new ArrayList<>(); // by column, an array of its own
  private int[] sizesBefore = new int[16];
  private int[] countsBefore = new int[16];
  private int column;
  private long[] hits = new long[0];
  private long[] missed = new long[0];
  private long[] last = new long[0];
  private final ColumnLines columnLines;
  private @Nullable EventTimes times;

  DerivedDecoder(LongDecoder longs, ColumnLines columnLines) {
    this.longs = longs;
    this.columnLines = columnLines;
  }

  long heldBytes() {
    return Long.BYTES * (hits.length + (long) missed.length + last.length);
  }

  /// Starts the columns of a new set of lines.
  ///
  /// @param newTimes of their events; null when no column is derived from them
  void clear(@Nullable EventTimes newTimes) {
    times = newTimes;
    column = -1;
    symbolsBefore.clear();
  }

  /// Starts the next column.
  void begin() {
    column++;
    if (column == sizesBefore.length) {
      sizesBefore = Arrays.copyOf(sizesBefore, 2 * column);
      countsBefore = Arrays.copyOf(countsBefore, 2 * column);
    }
    if (column == symbolsBefore.size()) {
      symbolsBefore.add(NONE);
    }
    sizesBefore[column] = 0;
  }

  @Override
  public void read(ByteSource in, long[] symbols, int count, int form, int size) {
    int leader = in.readCount(0, column + 1, "leading column") - 1;
    if (leader < 0) {
      longs.decode(in, count, symbols);
    } else if (leader == column) {
      readTimes(in, symbols, count, form);
    } else {
      readFollowed(in, leader, symbols, count);
    }
    if (size > 0) {
      symbolsBefore.set(column, symbols);
      sizesBefore[column] = size;
      countsBefore[column] = count;
    }
  }

  private void readTimes(ByteSource in, long[] symbols, int count, int form) {
    EventTimes events = times;
    if (events == null || !EventTimes.isTime(form)) {
      throw in.corrupt("column %d cannot be derived from times".formatted(column));
    }
    long limit = EventTimes.limit(form);
    longs.decode(in, count, symbols, -limit / 2, limit / 2 - 1, "difference of times");
    int[] lines = columnLines.of(column, count);
    for (int i = 0; i < count; i++) {
      symbols[i] = EventTimes.wrapped(symbols[i] + events.ofDay(lines[i], form), 0, limit);
    }
  }

  private void readFollowed(ByteSource in, int leader, long[] symbols, int count) {
    if (sizesBefore[leader] == 0 || countsBefore[leader] != count) {
      throw in.corrupt("column %d cannot lead column %d".formatted(leader, column));
    }
    int bytes = (count + 7) / 8;
    hits = LongDecoder.room(hits, bytes);
    longs.decode(in, bytes, hits);
    int misses = in.readCount(0, count, "missed symbols");
    missed = LongDecoder.room(missed, misses);
    longs.decode(in, misses, missed);
    last = LongDecoder.room(last, sizesBefore[leader]);
    Arrays.fill(last, 0, sizesBefore[leader], 0);
    long[] leading = symbolsBefore.get(leader);
    int next = 0;
    for (int i = 0; i < count; i++) {
      int code = (int) leading[i];
      if (((hits[i >>> 3] >>> (i & 7)) & 1) == 0) {
        if (next == misses) {
          throw in.corrupt("more than %d missed symbols".formatted(misses));
        }
        last[code] = missed[next++];
      }
      symbols[i] = last[code];
    }
  }
}
