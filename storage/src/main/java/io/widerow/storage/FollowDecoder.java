package io.widerow.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Reads what a [FollowEncoder] wrote.
///
/// - Threads: one.
final class FollowDecoder implements PieceDecoder.SymbolReader {
  private static final long[] NONE = new long[0];

  private final LongDecoder longs;
  private final List<long[]> symbolsBefore = new ArrayList<>(); // the columns' own
  private int[] sizesBefore = new int[16];
  private int[] countsBefore = new int[16];
  private int column;
  private long[] hits = new long[0];
  private long[] missed = new long[0];
  private long[] last = new long[0];

  FollowDecoder(LongDecoder longs) {
    this.longs = longs;
  }

  long heldBytes() {
    return Long.BYTES * (hits.length + (long) missed.length + last.length);
  }

  void clear() {
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
  public void read(ByteSource in, long[] symbols, int count, int size) {
    int leader = in.readCount(0, column, "leading column") - 1;
    if (leader < 0) {
      longs.decode(in, count, symbols);
    } else {
      readFollowed(in, leader, symbols, count);
    }
    if (size > 0) {
      symbolsBefore.set(column, symbols);
      sizesBefore[column] = size;
      countsBefore[column] = count;
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
