package io.widerow.storage.segment;

import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.text.TextDictionary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Selector of the leading columns, which distinguish the series of a block. It considers columns
/// of few distinct texts, those with most distinct texts first, and takes each that splits the
/// series further without making too many. If the host determines region, rack and team, it leads
/// alone.
///
/// Considering all columns costs about as much as their dictionaries. So the result is reused for
/// the next blocks with the same columns. If no column became smaller, these blocks do without
/// series.
///
/// - Threads: one.
final class SeriesFinder {
  /// Least average number of events of a series.
  private static final int SERIES_EVENTS = 4;

  private static final int EVENTS_MIN = 64;

  /// Blocks until all columns are considered again.
  private static final int BLOCKS = 16;

  private final boolean hasty;
  private final TextDictionary dictionary = new TextDictionary();
  private final List<ColumnBuilder> columns = new ArrayList<>(); // considered last
  private final List<ColumnBuilder> leaders = new ArrayList<>();
  private long[] codes = new long[0];
  private int blocks; // since then

  SeriesFinder(boolean hasty) {
    this.hasty = hasty;
  }

  /// The leading columns of the last [#find].
  List<ColumnBuilder> leaders() {
    return leaders;
  }

  /// Finds the series of a block, possibly none. Sets `leads` of the leading columns and clears it
  /// on earlier ones.
  void find(List<ColumnBuilder> block, int events, Series series) {
    series.clear();
    if (block.size() < 2 || events < EVENTS_MIN) {
      columns.clear();
      choose(List.of());
      return;
    }
    if (++blocks < BLOCKS && columns.equals(block)) {
      if (leaders.isEmpty() || part(leaders, events, series) == leaders.size()) {
        return;
      }
    }
    columns.clear();
    columns.addAll(block);
    blocks = 0;
    chooseAmong(block, events, series);
    if (leaders.isEmpty()) {
      series.clear();
    }
  }

  private void chooseAmong(List<ColumnBuilder> block, int events, Series series) {
    List<Candidate> candidates = new ArrayList<>();
    for (ColumnBuilder column : block) {
      int different = column.kind.isText() ? different(column, events) : 0;
      if (different > 0) {
        candidates.add(new Candidate(column, different));
      }
    }
    candidates.sort(Comparator.comparingInt(candidate -> -candidate.different));
    List<ColumnBuilder> chosen = new ArrayList<>();
    series.begin(events);
    for (Candidate candidate : candidates) {
      if (chosen.size() < Series.LEADERS_MAX && part(candidate.column, events, series)) {
        chosen.add(candidate.column);
      }
    }
    choose(chosen);
  }

  /// Forgets the blocks before.
  void renew() {
    columns.clear();
    blocks = 0;
    choose(List.of());
  }

  /// Reports that the series made no column of the block smaller.
  void foundUseless() {
    choose(List.of());
  }

  private void choose(List<ColumnBuilder> chosen) {
    leaders.forEach(leader -> leader.leads = false);
    leaders.clear();
    leaders.addAll(chosen);
    leaders.forEach(leader -> leader.leads = true);
  }

  /// Splits the events by the columns of `by`, as far as that is possible.
  private int part(List<ColumnBuilder> by, int events, Series series) {
    series.begin(events);
    int parted = 0;
    while (parted < by.size() && part(by.get(parted), events, series)) {
      parted++;
    }
    return parted;
  }

  private boolean part(ColumnBuilder column, int events, Series series) {
    int size = different(column, events);
    if (size == 0) {
      return false;
    }
    size += column.count < events ? 1 : 0;
    if (!series.mayBeSplit(size)) {
      return false;
    }
    TextDictionary.spread(codes, column.rows, column.count, events, series.codes());
    return series.split(size, events / SERIES_EVENTS);
  }

  /// Number of distinct texts of a column; 0 when there are too many.
  private int different(ColumnBuilder column, int events) {
    codes = LongDecoder.room(codes, column.count);
    boolean few = dictionary.build(column.texts, events / SERIES_EVENTS, hasty, codes);
    return few ? dictionary.size() : 0;
  }

  private record Candidate(ColumnBuilder column, int different) {}
}
