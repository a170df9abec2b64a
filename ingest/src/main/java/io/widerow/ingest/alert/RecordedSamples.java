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

    SampleSource.Samples within(Labels labels, long from, long last) {
      int first = 0;
      while (first < count && millis[first] < from) {
        first++;
      }
      int until = count;
      while (until > first && millis[until - 1] > last) {
        until--;
      }
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
          if (!own.contains(each.labels().get(NAME))) {
            found.put(each.labels(), each);
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
