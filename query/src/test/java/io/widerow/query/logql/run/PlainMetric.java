package io.widerow.query.logql.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A metric query as text, and its value at an instant by looking at all lines.
final class PlainMetric {
  private static final long SECOND = 1_000_000_000L;
  private static final List<String> ADDED =
      List.of("count_over_time", "rate", "bytes_over_time", "bytes_rate", "sum_over_time");

  private final SplittableRandom random;
  private final PlainQuery lines;
  private final String function;
  private final String unwrapped;
  private final boolean skipsErrors; // of unwrapping
  private final long rangeNanos;
  private final long offsetNanos;
  private final String outer;
  private final List<String> by;
  private final boolean without;
  private final String operation;
  private final String replaced; // what `label_replace` does; empty for none
  private final PlainPairs pairs;

  PlainMetric(SplittableRandom random) {
    this.random = random;
    lines = new PlainQuery(random, random.nextBoolean());
    if (random.nextInt(4) > 0) {
      lines.withoutErrors();
    }
    boolean unwraps = random.nextBoolean();
    skipsErrors = random.nextInt(6) > 0;
    function =
        unwraps
            ? pick(
                "sum_over_time",
                "avg_over_time",
                "min_over_time",
                "max_over_time",
                "first_over_time",
                "last_over_time",
                "stddev_over_time",
                "stdvar_over_time",
                "quantile_over_time",
                "rate_counter",
                "rate")
            : pick(
                "count_over_time",
                "count_over_time",
                "rate",
                "bytes_over_time",
                "bytes_rate",
                "absent_over_time");
    unwrapped =
        unwraps
            ? pick(
                "code", "wait_ms", "wait_ms", "ratio", "wait_ms_2", "duration(took)", "bytes(size)")
            : "";
    rangeNanos = Long.parseLong(pick("30", "60", "90", "7")) * SECOND;
    offsetNanos = random.nextInt(4) == 0 ? 30 * SECOND : 0;
    outer =
        pick(
            "", "sum", "sum", "sum", "avg", "max", "min", "count", "stdvar", "topk", "approx_topk");
    boolean groups = random.nextInt(4) > 0 && !outer.isEmpty() && !hasTies();
    pairs = new PlainPairs(random);
    groups &= pairs.isNone();
    by = groups ? pickNames() : List.of();
    without = groups && random.nextInt(4) == 0;
    operation = pick("", "", " * 2", " > 1", " > bool 1", " != 2", " <= 1");
    replaced = hasTies() ? "" : pick("", "", "env", "service_name");
    if (isSumOfAll() || function.equals("absent_over_time")) {
      lines.withoutErrors(); // else parsers only find what labels need, and fewer mistakes
    }
  }

  /// True when the range function itself adds what the outer one would add.
  private boolean isSumOfAll() {
    return outer.equals("sum") && !without && ADDED.contains(function) && pairs.isNone();
  }

  private String pick(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private List<String> pickNames() {
    return random.nextBoolean()
        ? List.of(pick("env", "level", "detected_level", "code", "service_name", "wait_ms"))
        : List.of("k8s_pod_name", pick("env", "ok", "method"));
  }

  String text() {
    String unwrap = unwrapped.isEmpty() ? "" : " | unwrap " + unwrapped;
    if (!unwrapped.isEmpty() && skipsErrors) {
      unwrap += " | __error__=\"\"";
    }
    String window = " [" + rangeNanos / SECOND + "s]" + (offsetNanos == 0 ? "" : " offset 30s");
    String quantile = function.startsWith("quantile") ? "0.75, " : "";
    String inner = function + "(" + quantile + lines.text() + unwrap + window + ")";
    String grouping =
        by.isEmpty() ? "" : (without ? " without (" : " by (") + String.join(", ", by) + ")";
    String series =
        outer.isEmpty() ? inner : outer + grouping + " (" + (hasTies() ? "2, " : "") + inner + ")";
    if (!replaced.isEmpty()) {
      series =
          "label_replace(%s, \"swap\", \"<$2$1${x}\", \"%s\", \"(?P<x>[pws])(.*)\")"
              .formatted(series, replaced);
    }
    return pairs.isNone() ? series + operation : pairs.text(inner);
  }

  /// True when it is only evaluated at an instant.
  boolean isInstant() {
    return outer.equals("approx_topk") && pairs.isNone();
  }

  /// A series and its sample.
  record Sample(Map<String, String> labels, double value) {}

  /// The value at an instant.
  Collection<Sample> at(long nanos, Collection<PlainLine> all) {
    Map<Map<String, String>, List<Point>> windows = new TreeMap<>(PlainMetric::order);
    long end = nanos - offsetNanos;
    for (PlainLine each : all) {
      if (each.nanos <= end - rangeNanos || each.nanos > end) {
        continue;
      }
      PlainLine line = each.copy();
      if (lines.run(line)) {
        Double value = value(line);
        if (value != null) {
          windows
              .computeIfAbsent(key(line), _ -> new ArrayList<>())
              .add(new Point(each.nanos, value));
        }
      }
    }
    List<Sample> inner = new ArrayList<>();
    windows.forEach((labels, points) -> inner.add(new Sample(labels, ofWindow(points, end))));
    if (function.equals("absent_over_time")) {
      boolean absent = inner.isEmpty();
      inner.clear();
      if (absent) {
        inner.add(new Sample(lines.equalities(), 1));
      }
    }
    return pairs.isNone()
        ? operated(aggregated(inner).stream().map(this::replaced).toList())
        : pairs.of(inner);
  }

  private record Point(long nanos, double value) {}

  private Sample replaced(Sample sample) {
    String source = replaced.isEmpty() ? "" : sample.labels.getOrDefault(replaced, "");
    if (!source.matches("[pws].*")) {
      return sample;
    }
    Map<String, String> labels = new TreeMap<>(sample.labels);
    labels.values().removeIf(String::isEmpty);
    String first = source.substring(0, 1);
    labels.put("swap", "<" + source.substring(1) + first + first);
    return new Sample(labels, sample.value);
  }

  /// True when a line in the window of any step makes the query fail.
  boolean fails(Steps steps, Collection<PlainLine> all) {
    for (PlainLine each : all) {
      for (int i = 0; i < steps.count(); i++) {
        long end = steps.at(i) - offsetNanos;
        if (each.nanos > end - rangeNanos && each.nanos <= end && fails(each.copy())) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean fails(PlainLine line) {
    if (!lines.run(line)) {
      return false;
    }
    if (unwrapped.isEmpty()) {
      return !line.error.isEmpty();
    }
    return !skipsErrors && !line.get(label()).isEmpty() && value(line) == null;
  }

  private @Nullable Double value(PlainLine line) {
    if (unwrapped.isEmpty()) {
      int bytes = line.text.getBytes(StandardCharsets.UTF_8).length;
      return function.startsWith("bytes") ? (double) bytes : 1.0;
    }
    String label = label();
    if (line.get(label).isEmpty() || !line.error.isEmpty()) {
      return null;
    }
    Matcher parts = Pattern.compile("([0-9.]+)(ms|s|KB|MiB|)").matcher(line.get(label));
    return parts.matches() ? Double.valueOf(PlainQuery.value(parts)) : null;
  }

  private String label() {
    return unwrapped.replaceAll(".*\\(|\\)", "");
  }

  private Map<String, String> key(PlainLine line) {
    Map<String, String> key = new TreeMap<>(line.stream);
    key.values().removeIf(String::isEmpty);
    key.putAll(line.parsed);
    if (!line.error.isEmpty()) {
      key.put("__error__", line.error);
    }
    if (!unwrapped.isEmpty()) {
      key.remove(label());
    }
    if (!without) {
      for (String name : by) {
        boolean isSample = !isSumOfAll() && name.equals(label()); // no label, but of a group
        if (!isSample && (line.has(name) || !line.get(name).isEmpty())) {
          key.put(name, line.get(name));
        }
      }
    }
    return key;
  }

  private double ofWindow(List<Point> points, long end) {
    double[] all = points.stream().mapToDouble(Point::value).toArray();
    double sum = Arrays.stream(all).sum();
    double mean = sum / all.length;
    double[] sorted = all.clone();
    Arrays.sort(sorted);
    return switch (function) {
      case "count_over_time" -> all.length;
      case "bytes_over_time", "sum_over_time" -> sum;
      case "rate", "bytes_rate" -> sum / (rangeNanos / 1e9);
      case "avg_over_time" -> mean;
      case "min_over_time" -> sorted[0];
      case "max_over_time" -> sorted[all.length - 1];
      case "first_over_time" -> all[0];
      case "last_over_time" -> all[all.length - 1];
      case "stdvar_over_time" -> variance(all, mean);
      case "stddev_over_time" -> Math.sqrt(variance(all, mean));
      case "rate_counter" -> increase(points, end) / (rangeNanos / 1e9);
      case "absent_over_time" -> 1;
      default -> {
        double rank = 0.75 * (all.length - 1);
        int low = (int) rank;
        double high = sorted[Math.min(low + 1, all.length - 1)];
        yield sorted[low] + (high - sorted[low]) * (rank - low);
      }
    };
  }

  /// As Prometheus extrapolates it.
  private double increase(List<Point> points, long end) {
    if (points.size() < 2) {
      return 0;
    }
    double increase = points.getLast().value - points.getFirst().value;
    for (int i = 1; i < points.size(); i++) {
      double before = points.get(i - 1).value;
      increase += points.get(i).value < before ? before : 0;
    }
    double sampled = (points.getLast().nanos - points.getFirst().nanos) / 1e9;
    double between = sampled / (points.size() - 1);
    double toStart = (points.getFirst().nanos - (end - rangeNanos)) / 1e9;
    double toEnd = (end - points.getLast().nanos) / 1e9;
    double before = toStart < between * 1.1 ? toStart : between / 2;
    double first = points.getFirst().value;
    if (increase > 0 && first >= 0) {
      before = Math.min(before, sampled * (first / increase));
    }
    double after = toEnd < between * 1.1 ? toEnd : between / 2;
    return increase * ((sampled + before + after) / sampled);
  }

  private static double variance(double[] all, double mean) {
    return Arrays.stream(all).map(value -> (value - mean) * (value - mean)).sum() / all.length;
  }

  private List<Sample> aggregated(List<Sample> inner) {
    if (outer.isEmpty()) {
      return inner;
    }
    if (hasTies()) {
      List<Sample> sorted = new ArrayList<>(inner);
      sorted.sort((one, other) -> Double.compare(other.value, one.value));
      return sorted.subList(0, Math.min(2, sorted.size()));
    }
    Map<Map<String, String>, List<Double>> groups = new TreeMap<>(PlainMetric::order);
    for (Sample sample : inner) {
      Map<String, String> key = new TreeMap<>(sample.labels);
      if (without) {
        key.keySet().removeAll(by);
      } else {
        key.keySet().retainAll(by);
      }
      groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(sample.value);
    }
    List<Sample> result = new ArrayList<>();
    groups.forEach((labels, values) -> {
      double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
      double sum = Arrays.stream(all).sum();
      result.add(
          new Sample(
              labels,
              switch (outer) {
                case "sum" -> sum;
                case "avg" -> sum / all.length;
                case "max" -> Arrays.stream(all).max().orElseThrow();
                case "min" -> Arrays.stream(all).min().orElseThrow();
                case "count" -> all.length;
                default -> variance(all, sum / all.length);
              }));
    });
    return result;
  }

  private List<Sample> operated(List<Sample> samples) {
    List<Sample> result = new ArrayList<>();
    for (Sample sample : samples) {
      switch (operation) {
        case " * 2" -> result.add(new Sample(sample.labels, sample.value * 2));
        case " > bool 1" -> result.add(new Sample(sample.labels, sample.value > 1 ? 1 : 0));
        case " > 1" -> addIf(sample.value > 1, sample, result);
        case " != 2" -> addIf(sample.value != 2, sample, result);
        case " <= 1" -> addIf(sample.value <= 1, sample, result);
        default -> result.add(sample);
      }
    }
    return result;
  }

  private static void addIf(boolean holds, Sample sample, List<Sample> result) {
    if (holds) {
      result.add(sample);
    }
  }

  static int order(Map<String, String> one, Map<String, String> other) {
    return new LabelSet(new TreeMap<>(one)).compareTo(new LabelSet(new TreeMap<>(other)));
  }

  /// True when equal numbers may be told apart in any way.
  boolean hasTies() {
    return outer.endsWith("topk");
  }
}
