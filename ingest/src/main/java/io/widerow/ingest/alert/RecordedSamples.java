package io.widerow.ingest.alert;

import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Samples that rules have recorded and that the store does not have yet: those of the evaluation
/// that is made, or all of a backtest.
///
/// - Threads: one.
final class RecordedSamples {
  private static final String NAME = Labels.NAME;

  private final Set<String> own; // names whose samples are never those of the store
  private final @Nullable List<ExprParts> readers; // null for any
  private final Map<Labels, Recorded> all = new TreeMap<>();
  private @Nullable OwnSamples hidden; // in the store; null for none
  private Evaluation.@Nullable Value shown;

  /// The samples of a series, by time.
  private static final class Recorded {
    private long[] millis = new long[4];
    private double[] values = new double[4];
    private int count;

    void add(long time, double value) {
      int at = count > 0 && millis[count - 1] == time ? count - 1 : count++;
      if (count > millis.length) {
        millis = Arrays.copyOf(millis, 2 * at);
        values = Arrays.copyOf(values, 2 * at);
      }
      millis[at] = time;
      values[at] = value;
    }

    /// The first sample at a time or after it.
    private int at(long time) {
      int found = Arrays.binarySearch(millis, 0, count, time);
      return found < 0 ? -found - 1 : found;
    }

    SampleSource.Samples within(Labels labels, long from, long last) {
      int first = at(from);
      int until = Math.max(first, last == Long.MAX_VALUE ? count : at(last + 1));
      return new SampleSource.Samples(
          labels,
          Arrays.copyOfRange(millis, first, until),
          Arrays.copyOfRange(values, first, until));
    }
  }

  /// @param own names of metrics that only these samples have
  RecordedSamples(Set<String> own) {
    this.own = Set.copyOf(own);
    this.readers = null;
  }

  /// @param readers only samples that one of them selects are kept
  RecordedSamples(Set<String> own, List<ExprParts> readers) {
    this.own = Set.copyOf(own);
    this.readers = List.copyOf(readers);
  }

  /// For an evaluation whose results go to the store.
  RecordedSamples() {
    this(Set.of());
  }

  /// Leaves out samples of the store: those here replace them.
  RecordedSamples hiding(OwnSamples samples) {
    hidden = samples;
    return this;
  }

  void add(Labels labels, long millis, double value) {
    List<ExprParts> some = readers;
    if (some == null || some.stream().anyMatch(each -> each.reads(labels))) {
      all.computeIfAbsent(labels, _ -> new Recorded()).add(millis, value);
    }
  }

  /// Notes the aggregate of a rule that the store keeps.
  void show(Evaluation.Value value) {
    shown = value;
  }

  /// The aggregate of the rule that was evaluated last, if it has one.
  Evaluation.@Nullable Value takeShown() {
    Evaluation.Value last = shown;
    shown = null;
    return last;
  }

  /// The samples of a store, together with these.
  SampleSource over(SampleSource stored) {
    return (matchers, from, last) -> {
      Map<Labels, SampleSource.Samples> found = new TreeMap<>();
      if (!isOwn(matchers)) {
        for (SampleSource.Samples each : stored.select(matchers, from, last)) {
          SampleSource.Samples left = left(each);
          if (!own.contains(each.labels().get(NAME)) && left.millis().length > 0) {
            found.put(each.labels(), left);
          }
        }
      }
      all.forEach((labels, recorded) -> {
        if (matchers.stream().allMatch(each -> each.test(labels.get(each.name())))) {
          SampleSource.Samples mine = recorded.within(labels, from, last);
          if (mine.millis().length > 0) {
            found.merge(labels, mine, RecordedSamples::joined);
          }
        }
      });
      return new ArrayList<>(found.values());
    };
  }

  /// The samples of a series in the store that are not left out.
  private SampleSource.Samples left(SampleSource.Samples stored) {
    OwnSamples hides = hidden;
    if (hides == null || !hides.isSeries(stored.labels())) {
      return stored;
    }
    int[] left =
        IntStream.range(0, stored.millis().length)
            .filter(i -> !hides.isTime(stored.millis()[i]))
            .toArray();
    return new SampleSource.Samples(
        stored.labels(),
        IntStream.of(left).mapToLong(i -> stored.millis()[i]).toArray(),
        IntStream.of(left).mapToDouble(i -> stored.values()[i]).toArray());
  }

  /// True when the store has none of the samples that pass.
  private boolean isOwn(List<Matcher> matchers) {
    return matchers.stream()
        .anyMatch(each ->
            each.name().equals(NAME)
                && each.kind() == Matcher.Kind.EQUAL
                && own.contains(each.text()));
  }

  /// The samples of the store before these, then these.
  private static SampleSource.Samples joined(
      SampleSource.Samples stored, SampleSource.Samples mine) {
    int kept = stored.millis().length;
    while (kept > 0 && stored.millis()[kept - 1] >= mine.millis()[0]) {
      kept--;
    }
    long[] millis = Arrays.copyOf(stored.millis(), kept + mine.millis().length);
    double[] values = Arrays.copyOf(stored.values(), kept + mine.values().length);
    System.arraycopy(mine.millis(), 0, millis, kept, mine.millis().length);
    System.arraycopy(mine.values(), 0, values, kept, mine.values().length);
    return new SampleSource.Samples(stored.labels(), millis, values);
  }
}
