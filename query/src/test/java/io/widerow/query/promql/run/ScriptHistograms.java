package io.widerow.query.promql.run;

import io.widerow.query.series.HistogramSum;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.HistogramValue.Bucket;
import io.widerow.query.series.HistogramValue.Hint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The durations, numbers and histograms of Prometheus' test language: `{{schema:0 count:4 sum:5
/// buckets:[1 2 1]}}`.
final class ScriptHistograms {
  static final Pattern TOKEN =
      Pattern.compile("(\\{\\{.*?\\}\\})(?:([+-])(\\{\\{.*?\\}\\}))?(?:x(\\d+))?(?=\\s|$)|\\S+");
  private static final Pattern MEMBER = Pattern.compile("(\\w+):(\\[[^\\]]*\\]|\\S+)");

  private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|[smhdwy])");

  private ScriptHistograms() {}

  static long millis(String text) {
    if (text.matches("-?\\d+(\\.\\d+)?")) {
      return Math.round(Double.parseDouble(text) * 1e3);
    }
    double sum = 0;
    var parts = PART.matcher(text);
    while (parts.find()) {
      double unit =
          switch (parts.group(2)) {
            case "ms" -> 1;
            case "s" -> 1e3;
            case "m" -> 6e4;
            case "h" -> 3.6e6;
            case "d" -> 8.64e7;
            case "w" -> 7 * 8.64e7;
            default -> 365 * 8.64e7;
          };
      sum += Double.parseDouble(parts.group(1)) * unit;
    }
    return Math.round(text.startsWith("-") ? -sum : sum);
  }

  static double number(String text) {
    String bare = text.startsWith("+") ? text.substring(1) : text;
    String lower = bare.toLowerCase(java.util.Locale.ROOT);
    return switch (lower) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan", "-nan" -> Double.NaN;
      default ->
          lower.startsWith("0x")
              ? Long.parseLong(lower.substring(2), 16)
              : Double.parseDouble(bare);
    };
  }

  static HistogramValue of(String text) {
    Map<String, String> parts = new HashMap<>();
    Matcher part = MEMBER.matcher(text.substring(2, text.length() - 2));
    while (part.find()) {
      parts.put(part.group(1), part.group(2));
    }
    int schema = Integer.parseInt(parts.getOrDefault("schema", "0"));
    Hint hint =
        switch (parts.getOrDefault("counter_reset_hint", "unknown")) {
          case "reset" -> Hint.RESET;
          case "not_reset" -> Hint.NOT_RESET;
          case "gauge" -> Hint.GAUGE;
          default -> Hint.UNKNOWN;
        };
    return HistogramValue.of(
        schema,
        number(parts, "z_bucket_w"),
        number(parts, "z_bucket"),
        number(parts, "count"),
        number(parts, "sum"),
        hint,
        numbers(parts, "custom_values"),
        (int) number(parts, "offset"),
        numbers(parts, "buckets"),
        (int) number(parts, "n_offset"),
        numbers(parts, "n_buckets"));
  }

  private static double number(Map<String, String> parts, String name) {
    return number(parts.getOrDefault(name, "0"));
  }

  private static double[] numbers(Map<String, String> parts, String name) {
    String list = parts.getOrDefault(name, "[]");
    return Arrays.stream(list.substring(1, list.length() - 1).strip().split("\\s+", -1))
        .filter(each -> !each.isEmpty())
        .mapToDouble(ScriptHistograms::number)
        .toArray();
  }

  /// The histograms of a token.
  static List<HistogramValue> series(Matcher token) {
    HistogramValue value = of(token.group(1));
    List<HistogramValue> all = new ArrayList<>(List.of(value));
    int count = token.group(4) == null ? 0 : Integer.parseInt(token.group(4));
    for (int i = 0; i < count; i++) {
      if (token.group(3) != null) {
        double factor = token.group(2).equals("-") ? -1 : 1;
        value = Objects.requireNonNull(HistogramSum.of(value, of(token.group(3)), factor)).value();
      }
      all.add(value);
    }
    return all;
  }

  static boolean isSame(
      HistogramValue wanted, HistogramValue found, DoubleBinaryOperator difference) {
    List<Bucket> one = wanted.buckets();
    List<Bucket> other = found.buckets();
    if (wanted.schema() != found.schema()
        || difference.applyAsDouble(wanted.count(), found.count()) != 0
        || difference.applyAsDouble(wanted.sum(), found.sum()) != 0
        || !Arrays.equals(wanted.bounds(), found.bounds())
        || one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (one.get(i).lower() != other.get(i).lower()
          || one.get(i).upper() != other.get(i).upper()
          || difference.applyAsDouble(one.get(i).count(), other.get(i).count()) != 0) {
        return false;
      }
    }
    return true;
  }

  /// A classic histogram at one time.
  static final class Classic {
    private final TreeMap<Double, Double> buckets = new TreeMap<>();
    private double count = Double.NaN;
    private double sum;

    void bucket(double bound, double cumulative) {
      buckets.put(bound, cumulative);
    }

    void count(double value) {
      count = value;
    }

    void sum(double value) {
      sum = value;
    }

    HistogramValue toNative() {
      double all =
          Double.isNaN(count) ? (buckets.isEmpty() ? 0 : buckets.lastEntry().getValue()) : count;
      buckets.putIfAbsent(Double.POSITIVE_INFINITY, all);
      double[] bounds =
          buckets.keySet().stream().mapToDouble(each -> each).filter(Double::isFinite).toArray();
      double[] counts = new double[buckets.size()];
      double before = 0;
      int at = 0;
      for (double cumulative : buckets.values()) {
        counts[at++] = cumulative - before;
        before = cumulative;
      }
      return HistogramValue.of(
          HistogramValue.CUSTOM, 0, 0, all, sum, Hint.UNKNOWN, bounds, 0, counts, 0, new double[0]);
    }
  }
}
