package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.promql.PromqlFunction;
import io.widerow.query.series.HistogramSum;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.HistogramValue.Hint;
import io.widerow.query.series.Labels;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A function over the windows of one series, whose samples are numbers, native histograms or both.
///
/// - Threads: one.
final class RangeFunctions {
  /// Samples of all series from which other threads help.
  private static final long SHARED_LEAST = 1 << 16;

  private final PromqlFunction function;
  private final SampleSource.Samples samples;
  private final long rangeMillis;
  private final String name;
  private final Place place;
  private final Annotations annotations;
  private final Window numbers;

  // The samples in the window.
  private int from;
  private int until;

  /// A function over the windows of several series.
  ///
  /// @param rangeMillis length of the windows
  /// @param place of the series in the text of the query
  record Call(PromqlFunction function, long rangeMillis, Place place, Annotations annotations) {
    /// A row for each series.
    ///
    /// @param all the samples of each, as those of one
    /// @param ends of the windows, which do not descend
    /// @param parameters of functions that have one
    /// @param steps their times, from which predictions count
    Row[] rows(
        List<SampleSource.Samples> all,
        long[] ends,
        double[] parameters,
        StepTimes steps,
        Helpers helpers) {
      boolean keepsName =
          function == PromqlFunction.LAST_OVER_TIME || function == PromqlFunction.FIRST_OVER_TIME;
      Row[] rows = new Row[all.size()];
      Helpers able = isShared(all) ? helpers : Helpers.NONE;
      able.share(
          rows.length,
          i -> {
            SampleSource.Samples samples = all.get(i);
            Labels labels = samples.labels();
            rows[i] =
                new RangeFunctions(function, samples, rangeMillis, place, annotations)
                    .run(keepsName ? labels : LabelEdits.unnamed(labels), ends, parameters, steps);
          });
      return rows;
    }

    /// True when the work is worth the way to another thread. Histograms may give annotations,
    /// which are of one thread.
    private static boolean isShared(List<SampleSource.Samples> all) {
      long samples = 0;
      for (SampleSource.Samples each : all) {
        if (each.histograms() != null) {
          return false;
        }
        samples += each.millis().length;
      }
      return samples > SHARED_LEAST;
    }
  }

  /// @param samples in ascending order of times, without markers
  /// @param place of them in the text of the query
  RangeFunctions(
      PromqlFunction function,
      SampleSource.Samples samples,
      long rangeMillis,
      Place place,
      Annotations annotations) {
    this.function = function;
    this.samples = samples;
    this.rangeMillis = rangeMillis;
    this.place = place;
    this.annotations = annotations;
    this.name = samples.labels().get(Labels.NAME);
    this.numbers = new Window(numbers(samples), rangeMillis);
  }

  private static SampleSource.Samples numbers(SampleSource.Samples all) {
    if (all.histograms() == null) {
      return all;
    }
    int[] at =
        IntStream.range(0, all.millis().length).filter(i -> all.histogram(i) == null).toArray();
    return new SampleSource.Samples(
        all.labels(),
        IntStream.of(at).mapToLong(i -> all.millis()[i]).toArray(),
        IntStream.of(at).mapToDouble(i -> all.values()[i]).toArray());
  }

  /// The values of a row.
  ///
  /// @param ends of the windows, which do not descend
  /// @param parameters of functions that have one
  /// @param steps their times, from which predictions count
  Row run(Labels labels, long[] ends, double[] parameters, StepTimes steps) {
    Row row = Row.empty(labels, ends.length);
    boolean mixed = samples.histograms() != null;
    for (int i = 0; i < ends.length; i++) {
      numbers.moveTo(ends[i]);
      if (mixed && moveTo(ends[i])) {
        withHistograms(row, i, ends[i], parameters[i], steps.time(i));
      } else {
        row.values()[i] = numbers.apply(function, parameters[i], steps.time(i));
      }
    }
    return row;
  }

  /// Returns whether there are histograms in the window.
  private boolean moveTo(long end) {
    long[] millis = samples.millis();
    while (until < millis.length && millis[until] <= end) {
      until++;
    }
    while (from < until && millis[from] <= end - rangeMillis) {
      from++;
    }
    return until - from > numbers.count();
  }

  private void withHistograms(Row row, int step, long end, double parameter, long nowMillis) {
    boolean hasNumbers = numbers.count() > 0;
    switch (function) {
      case COUNT_OVER_TIME -> row.values()[step] = until - from;
      case PRESENT_OVER_TIME -> row.values()[step] = 1;
      case LAST_OVER_TIME -> put(row, step, until - 1);
      case FIRST_OVER_TIME -> put(row, step, from);
      case CHANGES -> row.values()[step] = pairs(false);
      case RESETS -> row.values()[step] = pairs(true);
      case SUM_OVER_TIME, AVG_OVER_TIME, RATE, INCREASE, DELTA -> {
        if (hasNumbers) {
          annotations.warn(place, "encountered a mix of histograms and floats" + named());
          return;
        }
        HistogramValue made =
            switch (function) {
              case SUM_OVER_TIME, AVG_OVER_TIME -> total();
              default -> extrapolated(end);
            };
        if (made != null) {
          row.set(step, made);
        }
      }
      case IRATE, IDELTA -> instant(row, step);
      default -> {
        if (hasNumbers) {
          annotations.info(
              place,
              "ignored histograms in a range containing both floats and histograms" + named());
          row.values()[step] = numbers.apply(function, parameter, nowMillis);
        }
      }
    }
  }

  private String named() {
    return Annotations.named(name);
  }

  private HistogramValue histogram(int at) {
    return Objects.requireNonNull(samples.histogram(at));
  }

  private void put(Row row, int step, int at) {
    HistogramValue histogram = samples.histogram(at);
    if (histogram == null) {
      row.values()[step] = samples.values()[at];
    } else {
      row.set(step, histogram);
    }
  }

  /// How many samples differ from the one before, or begin again.
  private int pairs(boolean resets) {
    int count = 0;
    for (int i = from + 1; i < until; i++) {
      HistogramValue before = samples.histogram(i - 1);
      HistogramValue now = samples.histogram(i);
      if (before != null && now != null) {
        count += (resets ? HistogramSum.isReset(before, now) : !before.isSame(now)) ? 1 : 0;
      } else if (before != null || now != null) {
        count++;
      } else {
        double one = samples.values()[i - 1];
        double other = samples.values()[i];
        boolean bothNaN = Double.isNaN(one) && Double.isNaN(other);
        count += (resets ? other < one : one != other && !bothNaN) ? 1 : 0;
      }
    }
    return count;
  }

  private @Nullable HistogramValue total() {
    HistogramTotal total = new HistogramTotal();
    for (int i = from; i < until; i++) {
      if (!total.add(histogram(i))) {
        annotations.warnOfSchemas(name, place);
        return null;
      }
    }
    total.annotate(annotations, place);
    return total.value(function == PromqlFunction.AVG_OVER_TIME);
  }

  private @Nullable HistogramValue extrapolated(long end) {
    if (until - from < 2) {
      return null;
    }
    boolean isCounter = function != PromqlFunction.DELTA;
    HistogramValue difference = difference(isCounter);
    if (difference == null) {
      return null;
    }
    long[] millis = samples.millis();
    double first = histogram(from).count();
    boolean risesFromZero = isCounter && difference.count() > 0 && first >= 0;
    return difference.times(
        Window.extrapolation(
            millis[from],
            millis[until - 1],
            until - from,
            end,
            rangeMillis,
            risesFromZero ? first / difference.count() : Double.POSITIVE_INFINITY,
            function == PromqlFunction.RATE));
  }

  private @Nullable HistogramValue difference(boolean isCounter) {
    HistogramValue first = histogram(from);
    HistogramValue last = histogram(until - 1);
    boolean someGauge = first.hint() == Hint.GAUGE || last.hint() == Hint.GAUGE;
    boolean allGauge = first.hint() == Hint.GAUGE && last.hint() == Hint.GAUGE;
    if (isCounter && HistogramSum.isReset(first, histogram(from + 1))) {
      first = histogram(from + 1).emptied(false); // its buckets do not matter
    }
    HistogramValue coarsest = last;
    for (int i = from + 1; i < until - 1 && isCounter; i++) {
      HistogramValue each = histogram(i);
      someGauge |= each.hint() == Hint.GAUGE;
      if (each.isCustom() != first.isCustom()) {
        annotations.warnOfSchemas(name, place);
        return null;
      }
      coarsest = each.isCoarser(coarsest) ? each : coarsest;
    }
    HistogramSum sum = new HistogramSum(last.inBucketsOf(coarsest));
    if (!sum.add(first, -1)) {
      annotations.warnOfSchemas(name, place);
      return null;
    }
    annotations.informOfReconciled(sum.isReconciled(), "subtraction", place);
    if (isCounter) {
      if (someGauge) {
        annotations.warn(place, "this native histogram metric is not a counter: " + quoted());
      }
      HistogramValue before = first;
      HistogramSum resets = new HistogramSum(sum.value());
      for (int i = from + 1; i < until; i++) {
        HistogramValue now = histogram(i);
        if (HistogramSum.isReset(before, now) && !resets.add(before, 1)) {
          annotations.warnOfSchemas(name, place);
          return null;
        }
        before = now;
      }
      annotations.informOfReconciled(resets.isReconciled(), "addition", place);
      return resets.value().with(Hint.GAUGE);
    }
    if (!allGauge) {
      annotations.warn(place, "this native histogram metric is not a gauge: " + quoted());
    }
    return sum.value().with(Hint.GAUGE);
  }

  private String quoted() {
    return Annotations.quoted(name);
  }

  /// From the last two samples.
  private void instant(Row row, int step) {
    if (until - from < 2) {
      return;
    }
    boolean isRate = function == PromqlFunction.IRATE;
    HistogramValue before = samples.histogram(until - 2);
    HistogramValue last = samples.histogram(until - 1);
    if (before == null && last == null) {
      row.values()[step] = numbers.apply(function, 0, 0);
      return;
    }
    if (before == null || last == null) {
      annotations.warn(place, "encountered a mix of histograms and floats" + named());
      return;
    }
    boolean oneGauge = before.hint() == Hint.GAUGE || last.hint() == Hint.GAUGE;
    boolean bothGauge = before.hint() == Hint.GAUGE && last.hint() == Hint.GAUGE;
    if (isRate && oneGauge) {
      annotations.warn(place, "this native histogram metric is not a counter: " + quoted());
    } else if (!isRate && !bothGauge) {
      annotations.warn(place, "this native histogram metric is not a gauge: " + quoted());
    }
    HistogramSum sum = new HistogramSum(last);
    if (!isRate || !HistogramSum.isReset(before, last)) {
      if (!sum.add(before, -1)) {
        annotations.warnOfSchemas(name, place);
        return;
      }
      annotations.informOfReconciled(sum.isReconciled(), "subtraction", place);
    }
    long[] millis = samples.millis();
    double seconds = (millis[until - 1] - millis[until - 2]) / 1e3;
    row.set(step, sum.value().with(Hint.GAUGE).times(isRate ? 1 / seconds : 1));
  }
}
