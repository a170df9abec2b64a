package io.widerow.storage.segment;

import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.text.TextDictionary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Finds the columns that tell the series of a block apart: columns of few texts, those with most
/// different ones first, each that parts the series further without making too many of them. Where
/// a host tells region, rack and team, it leads alone.
///
/// Looking at all columns costs about as much as their dictionaries, so what was found serves the
/// next blocks of the same columns, and where no column was smaller for it, these do without.
///
/// - Threads: one.
final class SeriesFinder {
  /// Events that a series must have on average.
  private static final int SERIES_EVENTS = 4;

  private static final int EVENTS_MIN = 64;

  /// Blocks until all columns are looked at again.
  private static final int BLOCKS = 16;

  private final boolean hasty;
  private final TextDictionary dictionary = new TextDictionary();
  private final List<ColumnBuilder> columns = new ArrayList<>(); // that were looked at last
  private final List<ColumnBuilder> leaders = new ArrayList<>();
  private long[] codes = new long[0];
  private int blocks; // since then

  SeriesFinder(boolean hasty) {
    this.hasty = hasty;
  }

  /// The columns that lead in the block for which [#find] was called last.
  List<ColumnBuilder> leaders() {
    return leaders;
  }

  /// Finds the series of a block; there may be none. Sets `leads` of the columns that tell them
  /// apart, and clears it where it was set before.
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

  /// Says that no column of the block was smaller for its series.
  void foundUseless() {
    choose(List.of());
  }

  private void choose(List<ColumnBuilder> chosen) {
    leaders.forEach(leader -> leader.leads = false);
    leaders.clear();
    leaders.addAll(chosen);
    leaders.forEach(leader -> leader.leads = true);
  }

  /// Parts the events by all of `by`, as far as that goes.
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

  /// How many different texts a column has; 0 when they are too many.
  private int different(ColumnBuilder column, int events) {
    codes = LongDecoder.room(codes, column.count);
    boolean few = dictionary.build(column.texts, events / SERIES_EVENTS, hasty, codes);
    return few ? dictionary.size() : 0;
  }

  private record Candidate(ColumnBuilder column, int different) {}
}
