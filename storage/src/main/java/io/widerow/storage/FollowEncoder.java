package io.widerow.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes the symbols of the columns of a template, each either as they are or as they follow from
/// an earlier column: the symbol is what it was when the earlier column last had the value that it
/// has now. A time of day may follow from the times of the events.
///
/// ```
///   varint 0            | longs symbols
///   varint leader + 1   | longs hits, eight to a number, low bit first | longs missed symbols
///   varint own + 1      | longs differences to the events' times of day
/// ```
///
/// A column can lead when it is a dictionary of the same lines, which thorough compressors only
/// try. Others take times from events where all differ by as much, which is what they are for.
///
/// - Threads: one.
final class FollowEncoder implements PieceEncoder.SymbolWriter {
  private final LongEncoder longs;
  private final boolean thorough;
  private final List<long[]> symbolsBefore = new ArrayList<>();
  private final List<Long> linesBefore = new ArrayList<>();
  private final List<Integer> sizesBefore = new ArrayList<>();
  private final ByteSink plain = new ByteSink();
  private final ByteSink followed = new ByteSink();
  private final ColumnLines columnLines;
  private @Nullable EventTimes times;
  private boolean usedTimes;
  private long[] differences = new long[0];
  private long lines;

  FollowEncoder(LongEncoder longs, boolean thorough, ColumnLines columnLines) {
    this.longs = longs;
    this.thorough = thorough;
    this.columnLines = columnLines;
  }

  /// Begins with the columns of other lines.
  ///
  /// @param newTimes of their events; null when none may follow from them
  void clear(@Nullable EventTimes newTimes) {
    times = newTimes;
    usedTimes = false;
    symbolsBefore.clear();
    linesBefore.clear();
    sizesBefore.clear();
  }

  /// Starts the next column.
  ///
  /// @param newLines stands for the lines that have it
  void begin(long newLines) {
    lines = newLines;
    symbolsBefore.add(new long[0]);
    linesBefore.add(newLines);
    sizesBefore.add(0);
  }

  /// True when a column follows from the events' times.
  boolean usedTimes() {
    return usedTimes;
  }

  @Override
  public void put(long[] symbols, int count, int form, int size, ByteSink numbers) {
    if (times != null
        && EventTimes.isTime(form)
        && putTimes(symbols, count, form, times, numbers)) {
      usedTimes = true;
      return;
    }
    if (!thorough) {
      numbers.putVarint(0);
      longs.encode(symbols, count, numbers);
      return;
    }
    int leader = leader(symbols, count);
    plain.clear();
    plain.putVarint(0);
    longs.encode(symbols, count, plain);
    followed.clear();
    if (leader >= 0) {
      putFollowed(symbols, count, leader);
    }
    boolean follows = leader >= 0 && followed.length() < plain.length();
    numbers.put(follows ? followed : plain);
    if (size > 0) {
      int column = symbolsBefore.size() - 1;
      symbolsBefore.set(column, Arrays.copyOf(symbols, count));
      sizesBefore.set(column, size);
    }
  }

  /// Puts times of day that are those of the events or differ from them by as much as all do, as in
  /// another time zone; false, and nothing put, when a thorough compressor finds them smaller as
  /// they are, or a hasty one finds that they differ by more.
  private boolean putTimes(
      long[] symbols, int count, int form, EventTimes events, ByteSink numbers) {
    int own = symbolsBefore.size() - 1;
    int[] linesOf = columnLines.of(own, count);
    differences = LongDecoder.room(differences, count);
    long limit = EventTimes.limit(form);
    boolean same = true;
    for (int i = 0; i < count && (same || thorough); i++) {
      long difference = symbols[i] - events.ofDay(linesOf[i], form);
      differences[i] = EventTimes.wrapped(difference, -limit / 2, limit);
      same &= differences[i] == differences[0];
    }
    if (!same
        && (!thorough
            || longs.estimateBits(differences, count) >= longs.estimateBits(symbols, count))) {
      return false;
    }
    numbers.putVarint(own + 1L);
    longs.encode(differences, count, numbers);
    return true;
  }

  /// The earlier column from which most symbols follow; negative when there is none.
  private int leader(long[] symbols, int count) {
    int best = -1;
    int bestHits = count / 8;
    for (int i = 0; i + 1 < symbolsBefore.size(); i++) {
      if (sizesBefore.get(i) > 0
          && linesBefore.get(i) == lines
          && symbolsBefore.get(i).length == count) {
        int hits = hits(symbolsBefore.get(i), sizesBefore.get(i), symbols, count);
        if (hits > bestHits) {
          bestHits = hits;
          best = i;
        }
      }
    }
    return best;
  }

  private static int hits(long[] leading, int size, long[] symbols, int count) {
    long[] last = new long[size];
    int hits = 0;
    for (int i = 0; i < count; i++) {
      int leader = (int) leading[i];
      hits += last[leader] == symbols[i] ? 1 : 0;
      last[leader] = symbols[i];
    }
    return hits;
  }

  private void putFollowed(long[] symbols, int count, int leader) {
    long[] leading = symbolsBefore.get(leader);
    long[] last = new long[sizesBefore.get(leader)];
    long[] hits = new long[(count + 7) / 8];
    long[] missed = new long[count];
    int misses = 0;
    for (int i = 0; i < count; i++) {
      int code = (int) leading[i];
      if (last[code] == symbols[i]) {
        hits[i >>> 3] |= 1L << (i & 7);
      } else {
        missed[misses++] = symbols[i];
        last[code] = symbols[i];
      }
    }
    followed.putVarint(leader + 1L);
    longs.encode(hits, hits.length, followed);
    followed.putVarint(misses);
    longs.encode(missed, misses, followed);
  }
}
