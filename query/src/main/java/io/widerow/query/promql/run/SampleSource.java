package io.widerow.query.promql.run;

import io.widerow.query.logql.Matcher;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SampledSeries;
import io.widerow.query.series.SeriesRemarks;
import io.widerow.query.series.SeriesScan;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The samples that selectors read.
public interface SampleSource {
  /// A marker in place of a value: the series has ended.
  long STALE_BITS = SampledSeries.STALE_BITS;

  /// The samples of a series, in ascending order of times.
  ///
  /// @param millis since the Unix epoch
  /// @param histograms where a sample is one; null when none is
  @SuppressWarnings("ArrayRecordComponent") // handed over, and never changed
  record Samples(
      Labels labels,
      long[] millis,
      double[] values,
      @Nullable HistogramValue @Nullable [] histograms) {
    public Samples(Labels labels, long[] millis, double[] values) {
      this(labels, millis, values, null);
    }

    /// The histogram that a sample is; null for a number.
    public @Nullable HistogramValue histogram(int at) {
      @Nullable HistogramValue[] all = histograms;
      return all == null ? null : all[at];
    }

    /// The samples after one time, up to another.
    Samples within(long afterMillis, long lastMillis) {
      int from = 0;
      int until = millis.length;
      while (from < until && millis[from] <= afterMillis) {
        from++;
      }
      while (until > from && millis[until - 1] > lastMillis) {
        until--;
      }
      @Nullable HistogramValue[] all = histograms;
      return new Samples(
          labels,
          Arrays.copyOfRange(millis, from, until),
          Arrays.copyOfRange(values, from, until),
          all == null ? null : Arrays.copyOfRange(all, from, until));
    }

    /// The samples without markers.
    Samples unmarked() {
      boolean some = false;
      for (double value : values) {
        some |= Row.isNone(value);
      }
      if (!some) {
        return this;
      }
      @Nullable HistogramValue[] all = histograms;
      int[] kept = IntStream.range(0, values.length).filter(i -> !Row.isNone(values[i])).toArray();
      return new Samples(
          labels,
          IntStream.of(kept).mapToLong(i -> millis[i]).toArray(),
          IntStream.of(kept).mapToDouble(i -> values[i]).toArray(),
          all == null
              ? null
              : IntStream.of(kept).mapToObj(i -> all[i]).toArray(HistogramValue[]::new));
    }

    /// The latest sample at each of some times, which do not descend.
    ///
    /// @param lookbackMillis how old it may be
    /// @param times whether the values are the times of the samples, in seconds
    Row latest(long[] ends, long lookbackMillis, boolean times) {
      Row latest = Row.empty(labels, ends.length);
      int at = 0;
      for (int i = 0; i < ends.length; i++) {
        while (at < millis.length && millis[at] <= ends[i]) {
          at++;
        }
        boolean fresh = at > 0 && millis[at - 1] > ends[i] - lookbackMillis;
        if (fresh && !Row.isNone(values[at - 1])) {
          HistogramValue histogram = times ? null : histogram(at - 1);
          if (histogram != null) {
            latest.set(i, histogram);
          } else {
            latest.values()[i] = times ? millis[at - 1] / 1e3 : values[at - 1];
          }
        }
      }
      return latest;
    }
  }

  /// The series whose labels pass all matchers, with their samples in a range, in any order.
  ///
  /// @param fromMillis the first time
  /// @param lastMillis the last time
  List<Samples> select(List<Matcher> matchers, long fromMillis, long lastMillis);

  /// The same; samples outside some ranges may be missing.
  ///
  /// @param ranges ascending and disjoint, at least one
  /// @param remarks takes what is to be said about the series
  default List<Samples> select(
      List<Matcher> matchers, List<SeriesScan.Range> ranges, SeriesRemarks remarks) {
    return select(matchers, ranges.getFirst().fromMillis(), ranges.getLast().lastMillis());
  }
}
