package io.widerow.query.logql.run;

import io.widerow.event.TypeGlob;
import io.widerow.query.PartitionSpans;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.query.survey.BudgetedScan;
import io.widerow.storage.PartitionInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The volume of events.
///
/// - [#stats] counts the events, streams and bytes of a selector.
/// - [#volume] adds up bytes of lines by labels.
///
/// Events are counted in groups, without reading lines. The bytes of up to a million lines are
/// exact; of more, they are taken from lines that are spread evenly over the range.
///
/// - Threads: one.
public final class Volumes {
  private static final long LINES_EXACT = 1_000_000;
  private static final int CHECK_EVENTS = 1_024; // between two looks whether the client is there
  private static final long SAMPLE_NANOS = Duration.ofSeconds(1).toNanos(); // of each type

  private final LogqlContext execution;

  public Volumes(LogqlContext execution) {
    this.execution = execution;
  }

  /// The data of a selector.
  ///
  /// @param streams sets of labels
  /// @param chunks partitions
  /// @param bytes of lines
  /// @param entries events
  public record Stats(long streams, long chunks, long bytes, long entries) {}

  /// The data of a selector in a half-open range.
  public Stats stats(List<Matcher> matchers, long fromNanos, long untilNanos) {
    if (fromNanos >= untilNanos) {
      return new Stats(0, 0, 0, 0);
    }
    LogQuery lines = new LogQuery(matchers, List.of());
    Steps steps = Steps.at(untilNanos);
    long windowNanos = untilNanos - fromNanos;
    List<String> types = List.of(LabelMapping.SERVICE);
    List<LogqlSeries> counts = counts(lines, types, steps, windowNanos);
    long entries = (long) sum(counts);
    if (entries == 0) {
      return new Stats(0, 0, 0, 0);
    }
    double bytes = sum(volume(lines, Set.copyOf(types), counts, steps, windowNanos));
    long[] chunks = new long[1];
    PartitionSpans.forEach(
        execution.view(),
        type -> isWanted(type, matchers),
        fromNanos,
        untilNanos,
        partitions -> {
          for (PartitionInfo info : partitions) {
            boolean overlaps =
                info.timeFirstNanos() < untilNanos && info.timeLastNanos() >= fromNanos;
            chunks[0] += overlaps ? 1 : 0;
          }
        });
    int streams = new LabelCatalog(execution, fromNanos, untilNanos).streams(matchers).size();
    return new Stats(streams, chunks[0], Math.round(bytes), entries);
  }

  private static double sum(List<LogqlSeries> series) {
    return series.stream().mapToDouble(Volumes::total).sum();
  }

  private static boolean isWanted(String type, List<Matcher> matchers) {
    return matchers.stream()
        .filter(matcher -> matcher.name().equals(LabelMapping.SERVICE))
        .allMatch(matcher -> matcher.test(type));
  }

  private List<LogqlSeries> counts(LogQuery lines, List<String> by, Steps steps, long windowNanos) {
    return series(Metric.RangeFunction.COUNT_OVER_TIME, lines, by, steps, windowNanos);
  }

  /// The series of a function with some labels. Windows are half-open as ranges are: an event at
  /// their end is not in them.
  private List<LogqlSeries> series(
      Metric.RangeFunction function,
      LogQuery lines,
      List<String> by,
      Steps steps,
      long windowNanos) {
    Metric.Range range =
        new Metric.Range(
            function,
            lines,
            null,
            List.of(),
            windowNanos,
            1,
            0,
            new Metric.Labels(false, List.copyOf(by)));
    return new RangeSamples(execution, range, steps, SeriesNames.only(by)).series();
  }

  /// Bytes of lines by labels, at each step of those in the window before it. The greatest first.
  ///
  /// @param byLabels the labels; empty for those of the matchers
  /// @param limit at most so many series
  public List<LogqlSeries> volume(
      LogQuery lines, List<String> byLabels, Steps steps, long windowNanos, long limit) {
    Set<String> by = new LinkedHashSet<>(byLabels);
    if (by.isEmpty()) {
      lines.matchers().forEach(matcher -> by.add(matcher.name()));
    }
    Set<String> named = new LinkedHashSet<>(by);
    named.add(LabelMapping.SERVICE);
    List<LogqlSeries> counts = counts(lines, List.copyOf(named), steps, windowNanos);
    return largest(volume(lines, by, counts, steps, windowNanos), limit);
  }

  /// @param counts of lines by these labels and the type
  private List<LogqlSeries> volume(
      LogQuery lines, Set<String> by, List<LogqlSeries> counts, Steps steps, long windowNanos) {
    if (sum(counts) <= LINES_EXACT) {
      return series(
          Metric.RangeFunction.BYTES_OVER_TIME, lines, List.copyOf(by), steps, windowNanos);
    }
    Map<String, Double> lengths = new HashMap<>();
    Map<LabelSet, LogqlSeries> sums = new TreeMap<>();
    long until = steps.at(steps.count() - 1);
    for (LogqlSeries one : counts) {
      String type = one.labels().labels().getOrDefault(LabelMapping.SERVICE, "");
      double length =
          lengths.computeIfAbsent(type, of -> length(lines, of, steps.at(0) - windowNanos, until));
      LogqlSeries sum =
          sums.computeIfAbsent(
              one.labels().only(by), key -> new LogqlSeries(key, steps.count(), execution));
      for (int i = 0; i < steps.count(); i++) {
        if (one.has(i)) {
          sum.set(i, (sum.has(i) ? sum.at(i) : 0) + Math.rint(one.at(i) * length));
        }
      }
    }
    return List.copyOf(sums.values());
  }

  private static List<LogqlSeries> largest(List<LogqlSeries> series, long limit) {
    return series.stream()
        .sorted(Comparator.comparingDouble(Volumes::total).reversed())
        .limit(limit)
        .toList();
  }

  private static double total(LogqlSeries series) {
    double total = 0;
    for (int i = 0; i < series.steps(); i++) {
      total += series.has(i) ? series.at(i) : 0;
    }
    return total;
  }

  /// Volumes by the names of labels instead of their values.
  public List<LogqlSeries> volumeOfLabels(
      LogQuery lines, Steps steps, long windowNanos, long limit) {
    long from = steps.at(0) - windowNanos;
    LabelCatalog catalog = new LabelCatalog(execution, from, steps.at(steps.count() - 1));
    List<LogqlSeries> result = new ArrayList<>();
    for (String label : catalog.labels(lines.matchers())) {
      long mark = execution.held();
      Map<Integer, Double> sums = new LinkedHashMap<>();
      for (LogqlSeries one : volume(lines, List.of(label), steps, windowNanos, Long.MAX_VALUE)) {
        boolean has = one.labels().labels().containsKey(label);
        for (int i = 0; has && i < steps.count(); i++) {
          if (one.has(i)) {
            sums.merge(i, one.at(i), Double::sum);
          }
        }
      }
      execution.release(mark);
      TreeMap<String, String> name = new TreeMap<>();
      name.put(label, "");
      LogqlSeries sum = new LogqlSeries(new LabelSet(name), steps.count(), execution);
      sums.forEach(sum::set);
      result.add(sum);
    }
    result.sort(Comparator.comparingDouble(Volumes::total).reversed());
    return result.size() > limit ? result.subList(0, (int) limit) : result;
  }

  /// The average length of the lines of a type, from lines spread evenly over the range.
  private double length(LogQuery lines, String type, long fromNanos, long untilNanos) {
    RangeQuery query =
        LogqlSelection.of(lines, execution.labels())
            .range(fromNanos, untilNanos)
            .withTypes(new TypeGlobs(List.of(TypeGlob.of(type))));
    EventLines shown = new EventLines(execution.labels(), null, true, execution.lineMemory());
    Pipeline pipeline = new Pipeline(lines, 0);
    long[] sums = new long[2]; // bytes, lines
    double _ =
        new BudgetedScan(execution.view(), execution.memory())
            .read(
                query,
                System.nanoTime() + SAMPLE_NANOS,
                event -> {
                  if (sums[1] % CHECK_EVENTS == 0) {
                    execution.check();
                  }
                  Line line = shown.show(event);
                  if (pipeline.run(line)) {
                    sums[0] += line.bytes();
                    sums[1]++;
                  }
                });
    return sums[1] == 0 ? 0 : (double) sums[0] / sums[1];
  }
}
