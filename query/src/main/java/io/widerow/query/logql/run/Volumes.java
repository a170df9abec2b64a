package io.widerow.query.logql.run;

import io.widerow.event.TypeGlob;
import io.widerow.query.PartitionSpans;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.TypeGlobs;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.TypeInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The volume of events, without reading them.
///
/// - [#stats] adds up what the catalog of partitions knows.
/// - [#volume] counts events by labels, and takes the bytes of a line from a sample of each type.
///
/// - Threads: one.
public final class Volumes {
  /// The number of sampled lines of each type for the average length.
  private static final int SAMPLED = 100;

  private final LogqlContext execution;

  public Volumes(LogqlContext execution) {
    this.execution = execution;
  }

  /// The data that a selector may read.
  ///
  /// @param streams types
  /// @param chunks partitions
  /// @param bytes on disk, of the events that are in segments
  /// @param entries events
  public record Stats(long streams, long chunks, long bytes, long entries) {}

  /// Estimates from the catalog; of the matchers only those of the type count.
  public Stats stats(List<Matcher> matchers, long fromNanos, long untilNanos) {
    Map<String, TypeInfo> known = new HashMap<>();
    execution.view().types(TypeGlobs.ALL).forEach(type -> known.put(type.type(), type));
    execution.hold(PartitionSpans.BYTES * known.size());
    Set<String> types = new HashSet<>();
    double[] sums = new double[3]; // chunks, bytes, entries
    PartitionSpans.forEach(
        execution.view(),
        type -> isWanted(type, matchers),
        fromNanos,
        untilNanos,
        partitions -> {
          for (PartitionInfo info : partitions) {
            double part = part(info, fromNanos, untilNanos);
            if (part > 0) {
              String type = info.key().type();
              types.add(type);
              double events = info.isCounted() ? info.events() * part : 0;
              TypeInfo of = known.get(type);
              sums[0]++;
              if (of != null && of.events() > 0) {
                sums[1] += (double) of.bytes() / of.events() * events;
              }
              sums[2] += events;
            }
          }
        });
    return new Stats(types.size(), (long) sums[0], Math.round(sums[1]), Math.round(sums[2]));
  }

  private static boolean isWanted(String type, List<Matcher> matchers) {
    return matchers.stream()
        .filter(matcher -> matcher.name().equals(LabelMapping.SERVICE))
        .allMatch(matcher -> matcher.test(type));
  }

  /// The share of a partition's time that is in a range, 0 to 1.
  private static double part(PartitionInfo info, long fromNanos, long untilNanos) {
    double from = Math.max(fromNanos, info.timeFirstNanos());
    double until = Math.min((double) untilNanos, info.timeLastNanos() + 1.0);
    double whole = info.timeLastNanos() + 1.0 - info.timeFirstNanos();
    return until <= from ? 0 : Math.min(1, (until - from) / whole);
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
    Metric.Range count =
        new Metric.Range(
            Metric.RangeFunction.COUNT_OVER_TIME,
            lines,
            null,
            List.of(),
            windowNanos,
            1, // volumes are of a half-open range
            0,
            new Metric.Labels(false, List.copyOf(named)));
    Map<String, Double> lengths = new HashMap<>();
    Map<LabelSet, LogqlSeries> sums = new TreeMap<>();
    SeriesNames names = SeriesNames.only(List.copyOf(named));
    long until = steps.at(steps.count() - 1);
    for (LogqlSeries one : new RangeSamples(execution, count, steps, names).series()) {
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
    return sums.values().stream()
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

  /// The average length of the newest lines of a type.
  private double length(LogQuery lines, String type, long fromNanos, long untilNanos) {
    RangeQuery query =
        LogqlSelection.of(lines, execution.labels())
            .range(fromNanos, untilNanos)
            .withTypes(new TypeGlobs(List.of(TypeGlob.of(type))))
            .withDescending(true);
    EventLines shown = new EventLines(execution.labels(), null, true, execution.lineMemory());
    Pipeline pipeline = new Pipeline(new LogQuery(lines.matchers(), List.of()), 0);
    long bytes = 0;
    int count = 0;
    try (RangeReader reader = execution.open(query)) {
      while (count < SAMPLED && reader.nextWhenReady() == Step.EVENT) {
        Line line = shown.show(reader.event());
        if (pipeline.run(line)) {
          bytes += line.bytes();
          count++;
        }
      }
    }
    return count == 0 ? 0 : (double) bytes / count;
  }
}
