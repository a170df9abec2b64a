package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The encoder of derived columns: it writes the symbols of a template's column as they are, or
/// derived from an earlier (leading) column, predicting the symbol that occurred when the leader
/// last had its current value. A time of day may be derived from the event's time.
///
/// ```
///   varint 0            | longs symbols
///   varint leader + 1   | longs hits, eight to a number, low bit first | longs missed symbols
///   varint own + 1      | longs differences to the events' times of day
/// ```
///
/// A column can lead when it is a dictionary of the same lines; only a thorough compressor tries
/// this. A hasty one derives times only where all differ from their events' times by the same
/// amount.
///
/// - Threads: one.
final class DerivedEncoder implements PieceEncoder.SymbolWriter {
  private final LongEncoder longs;
  private final boolean thorough;
  private final List<Column> columns = new ArrayList<>(); // may end with earlier lines'
  private int begun; // the number of them that belong to the current lines
  private int[] leading = new int[0]; // symbols of the columns that can lead
  private int leadingCount;
  private long[] last = new long[0]; // by symbol of the leader: what occurred with it last
  private long[] hits = new long[0];
  private long[] missed = new long[0];
  private final ByteSink plain = new ByteSink();
  private final ByteSink followed = new ByteSink();
  private final ColumnLines columnLines;
  private @Nullable EventTimes times;
  private boolean usedTimes;
  private long[] differences = new long[0];

  /// A column that was written, and where its symbols are when it can lead.
  private static final class Column {
    private long lines;
    private int size; // of its dictionary; 0 when it cannot lead
    private int offset;
    private int count;
  }

  DerivedEncoder(LongEncoder longs, boolean thorough, ColumnLines columnLines) {
    this.longs = longs;
    this.thorough = thorough;
    this.columnLines = columnLines;
  }

  /// Starts the columns of a new set of lines.
  ///
  /// @param newTimes of their events; null when no column may be derived from them
  void clear(@Nullable EventTimes newTimes) {
    times = newTimes;
    usedTimes = false;
    begun = 0;
    leadingCount = 0;
  }

  /// Starts the next column.
  ///
  /// @param newLines identifies the set of lines that have it
  void begin(long newLines) {
    if (begun == columns.size()) {
      columns.add(new Column());
    }
    Column column = columns.get(begun++);
    column.lines = newLines;
    column.size = 0;
  }

  /// True when a column is derived from the events' times.
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
    Column own = columns.get(begun - 1);
    int leader = leader(own.lines, symbols, count);
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
      keep(own, symbols, count, size);
    }
  }

  /// Keeps a column's symbols, so that later columns can be derived from it.
  private void keep(Column column, long[] symbols, int count, int size) {
    if (leading.length < leadingCount + count) {
      leading = Arrays.copyOf(leading, 2 * (leadingCount + count));
    }
    column.size = size;
    column.offset = leadingCount;
    column.count = count;
    for (int i = 0; i < count; i++) {
      leading[leadingCount++] = (int) symbols[i];
    }
  }

  /// Writes times of day as differences to the events' times, which are constant where a log uses
  /// another time zone. False, with nothing written, when a thorough compressor finds the times
  /// smaller as they are, or a hasty one finds that the differences are not all equal.
  private boolean putTimes(
      long[] symbols, int count, int form, EventTimes events, ByteSink numbers) {
    int own = begun - 1;
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

  /// The earlier column that predicts most symbols; negative when there is none.
  private int leader(long lines, long[] symbols, int count) {
    int best = -1;
    int bestHits = count / 8;
    for (int i = 0; i + 1 < begun; i++) {
      Column column = columns.get(i);
      if (column.size > 0 && column.lines == lines && column.count == count) {
        int found = hits(column, symbols);
        if (found > bestHits) {
          bestHits = found;
          best = i;
        }
      }
    }
    return best;
  }

  private int hits(Column leader, long[] symbols) {
    clearLast(leader.size);
    int found = 0;
    for (int i = 0; i < leader.count; i++) {
      int code = leading[leader.offset + i];
      found += last[code] == symbols[i] ? 1 : 0;
      last[code] = symbols[i];
    }
    return found;
  }

  private void clearLast(int size) {
    last = LongDecoder.room(last, size);
    Arrays.fill(last, 0, size, 0);
  }

  private void putFollowed(long[] symbols, int count, int leaderAt) {
    Column leader = columns.get(leaderAt);
    clearLast(leader.size);
    int hitsCount = (count + 7) / 8;
    hits = LongDecoder.room(hits, hitsCount);
    Arrays.fill(hits, 0, hitsCount, 0);
    missed = LongDecoder.room(missed, count);
    int misses = 0;
    for (int i = 0; i < count; i++) {
      int code = leading[leader.offset + i];
      if (last[code] == symbols[i]) {
        hits[i >>> 3] |= 1L << (i & 7);
      } else {
        missed[misses++] = symbols[i];
        last[code] = symbols[i];
      }
    }
    followed.putVarint(leaderAt + 1L);
    longs.encode(hits, hitsCount, followed);
    followed.putVarint(misses);
    longs.encode(missed, misses, followed);
  }
}
