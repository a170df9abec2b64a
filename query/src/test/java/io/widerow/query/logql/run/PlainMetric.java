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
                "rate")
            : pick("count_over_time", "count_over_time", "rate", "bytes_over_time", "bytes_rate");
    unwrapped =
        unwraps
            ? pick(
                "code", "wait_ms", "wait_ms", "ratio", "wait_ms_2", "duration(took)", "bytes(size)")
            : "";
    rangeNanos = Long.parseLong(pick("30", "60", "90", "7")) * SECOND;
    offsetNanos = random.nextInt(4) == 0 ? 30 * SECOND : 0;
    outer = pick("", "sum", "sum", "avg", "max", "min", "count", "stdvar", "topk");
    boolean groups = random.nextInt(4) > 0 && !outer.isEmpty() && !outer.equals("topk");
    by = groups ? pickNames() : List.of();
    without = groups && random.nextInt(4) == 0;
    operation = pick("", "", " * 2", " > 1", " + bool 1").replace("+ bool", "> bool");
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
        outer.isEmpty()
            ? inner
            : outer + grouping + " (" + (outer.equals("topk") ? "2, " : "") + inner + ")";
    return series + operation;
  }

  /// A series and its sample.
  record Sample(Map<String, String> labels, double value) {}

  /// The value at an instant.
  Collection<Sample> at(long nanos, Collection<PlainLine> all) {
    Map<Map<String, String>, List<Double>> windows = new TreeMap<>(PlainMetric::order);
    for (PlainLine each : all) {
      long end = nanos - offsetNanos;
      if (each.nanos <= end - rangeNanos || each.nanos > end) {
        continue;
      }
      PlainLine line = each.copy();
      if (lines.run(line)) {
        Double value = value(line);
        if (value != null) {
          windows.computeIfAbsent(key(line), _ -> new ArrayList<>()).add(value);
        }
      }
    }
    List<Sample> inner = new ArrayList<>();
    windows.forEach((labels, values) -> inner.add(new Sample(labels, ofWindow(values))));
    return operated(aggregated(inner));
  }

  /// True when a line that is read makes the query fail.
  boolean fails(long from, long until, Collection<PlainLine> all) {
    for (PlainLine each : all) {
      if (each.nanos > from - offsetNanos - rangeNanos && each.nanos <= until - offsetNanos) {
        PlainLine line = each.copy();
        if (fails(line)) {
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
        if (line.has(name) || !line.get(name).isEmpty()) {
          key.put(name, line.get(name));
        }
      }
    }
    return key;
  }

  private double ofWindow(List<Double> values) {
    double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
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
      default -> {
        double rank = 0.75 * (all.length - 1);
        int low = (int) rank;
        double high = sorted[Math.min(low + 1, all.length - 1)];
        yield sorted[low] + (high - sorted[low]) * (rank - low);
      }
    };
  }

  private static double variance(double[] all, double mean) {
    return Arrays.stream(all).map(value -> (value - mean) * (value - mean)).sum() / all.length;
  }

  private List<Sample> aggregated(List<Sample> inner) {
    if (outer.isEmpty()) {
      return inner;
    }
    if (outer.equals("topk")) {
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
        case " > 1" -> {
          if (sample.value > 1) {
            result.add(sample);
          }
        }
        default -> result.add(sample);
      }
    }
    return result;
  }

  private static int order(Map<String, String> one, Map<String, String> other) {
    return new LabelSet(new TreeMap<>(one)).compareTo(new LabelSet(new TreeMap<>(other)));
  }

  /// True when equal numbers may be told apart in any way.
  boolean hasTies() {
    return outer.equals("topk");
  }
}
