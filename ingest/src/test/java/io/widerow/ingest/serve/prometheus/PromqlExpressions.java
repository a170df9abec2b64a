package io.widerow.ingest.serve.prometheus;

import java.util.List;
import java.util.SplittableRandom;

/// Generated expressions of PromQL over [PromqlSeries]. They name no external label: a query with
/// one goes unchanged to the remote store, which has the label, and to the local store of
/// Prometheus, which does not.
final class PromqlExpressions {
  private static final List<String> RANGES = List.of("20s", "30s", "1m", "90s", "3m");
  private static final List<String> COUNTERS =
      List.of("rate", "increase", "irate", "resets", "changes");
  private static final List<String> GAUGES =
      List.of(
          "avg_over_time",
          "min_over_time",
          "max_over_time",
          "sum_over_time",
          "count_over_time",
          "stddev_over_time",
          "stdvar_over_time",
          "last_over_time",
          "present_over_time",
          "delta",
          "idelta",
          "deriv",
          "changes");
  private static final List<String> AGGREGATES =
      List.of(
          "sum", "avg", "min", "max", "count", "group"); // stddev of NaN changed in Prometheus 3
  private static final List<String> MATCHERS =
      List.of(
          "job=\"api\"",
          "job!=\"db\"",
          "job=~\"a.*|web\"",
          "job!~\"w.+\"",
          "instance=\"i1\"",
          "instance=~\"i[02]\"",
          "instance!~\"i0|i2\"",
          "code=\"\"",
          "code!=\"\"",
          "code=~\"[45]..\"",
          "code!~\"2.*\"",
          "type=\"heap\"",
          "type=~\".+\"",
          "none=\"\"",
          "none!=\"x\"");
  private static final List<String> NAMES =
      List.of("requests_total", "memory", "up", "latency_bucket", "latency_count");

  private final SplittableRandom random;

  PromqlExpressions(SplittableRandom random) {
    this.random = random;
  }

  private String any(List<String> all) {
    return all.get(random.nextInt(all.size()));
  }

  private String matchers() {
    String first = any(MATCHERS);
    return random.nextInt(3) == 0 ? first + "," + any(MATCHERS) : first;
  }

  private String selector(String name) {
    return switch (random.nextInt(6)) {
      case 0 -> name;
      case 1 -> "{__name__=\"%s\",%s}".formatted(name, matchers());
      default -> "%s{%s}".formatted(name, matchers());
    };
  }

  private String any() {
    return switch (random.nextInt(8)) {
      case 0 -> "{__name__=~\"requests.*|up\",%s}".formatted(matchers());
      case 1 -> "{__name__!~\"latency.*\",job=\"%s\"}".formatted(any(List.of("api", "db")));
      case 2 -> "{instance=\"i%d\"}".formatted(random.nextInt(4));
      default -> selector(any(NAMES));
    };
  }

  private String moved() {
    return switch (random.nextInt(6)) {
      case 0 -> " offset " + any(List.of("15s", "1m", "2m"));
      case 1 -> " offset -20s";
      default -> "";
    };
  }

  private String window(String name) {
    return "%s[%s]%s".formatted(selector(name), any(RANGES), moved());
  }

  private String counter() {
    return "%s(%s)".formatted(any(COUNTERS), window("requests_total"));
  }

  private String by() {
    return switch (random.nextInt(4)) {
      case 0 -> "by (job)";
      case 1 -> "by (instance, code)";
      case 2 -> "without (instance)";
      default -> "";
    };
  }

  private String vector() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> counter();
      case 2, 3 -> "%s(%s)".formatted(any(GAUGES), window("memory"));
      case 4 -> "quantile_over_time(0.%d, %s)".formatted(random.nextInt(10), window("memory"));
      case 5 -> "predict_linear(%s, 60)".formatted(window("memory"));
      default -> any() + moved();
    };
  }

  /// The next expression.
  String next() {
    return switch (random.nextInt(16)) {
      case 0, 1 -> "%s %s (%s)".formatted(any(AGGREGATES), by(), counter());
      case 2 -> "%s %s (%s)".formatted(any(AGGREGATES), by(), any());
      case 3 ->
          "histogram_quantile(0.%d, sum by (le, job) (rate(%s)))"
              .formatted(1 + random.nextInt(9), window("latency_bucket"));
      case 4 ->
          "histogram_quantile(0.%d, rate(%s))"
              .formatted(1 + random.nextInt(9), window("latency_bucket"));
      case 5 -> "absent(%s)".formatted(any());
      case 6 -> "absent_over_time(%s)".formatted(window(any(NAMES)));
      case 7 ->
          "%s_over_time(rate(%s)[2m:%ds])"
              .formatted(
                  any(List.of("max", "avg", "count")),
                  window("requests_total"),
                  5 + random.nextInt(30));
      case 8 ->
          "sum by (job) (rate(%s)) / sum by (job) (rate(%s))"
              .formatted(window("requests_total"), window("requests_total"));
      case 9 -> "%s > %d".formatted(any(), random.nextInt(100));
      case 10 ->
          "memory %s on (job, instance) up%s"
              .formatted(any(List.of("and", "unless", "+", ">")), moved());
      case 11 -> "timestamp(%s)".formatted(selector("up"));
      case 12 -> // without NaN: of several, 2.42 keeps the last ones, and Prometheus 3 the first
          // ones
          "topk(2, memory{%s} > -Inf) or up".formatted(matchers());
      case 13 -> "label_replace(%s, \"x\", \"$1\", \"instance\", \"i(.)\")".formatted(vector());
      case 14 -> "%s %s %s".formatted(any(AGGREGATES), by(), "(" + vector() + ")");
      default -> vector();
    };
  }
}
