package io.widerow.query.series;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The names that Prometheus gives to metrics and attributes of OTLP: underscores in place of other
/// characters, the unit and `_total` at the end.
///
/// Source: prometheus/otlptranslator; opentelemetry-specification
/// `specification/compatibility/prometheus_and_openmetrics.md`.
///
/// - Threads: any.
final class OtlpNames {
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("d", "days"),
          Map.entry("h", "hours"),
          Map.entry("min", "minutes"),
          Map.entry("s", "seconds"),
          Map.entry("ms", "milliseconds"),
          Map.entry("us", "microseconds"),
          Map.entry("ns", "nanoseconds"),
          Map.entry("By", "bytes"),
          Map.entry("KiBy", "kibibytes"),
          Map.entry("MiBy", "mebibytes"),
          Map.entry("GiBy", "gibibytes"),
          Map.entry("TiBy", "tibibytes"),
          Map.entry("KBy", "kilobytes"),
          Map.entry("MBy", "megabytes"),
          Map.entry("GBy", "gigabytes"),
          Map.entry("TBy", "terabytes"),
          Map.entry("m", "meters"),
          Map.entry("V", "volts"),
          Map.entry("A", "amperes"),
          Map.entry("J", "joules"),
          Map.entry("W", "watts"),
          Map.entry("g", "grams"),
          Map.entry("Cel", "celsius"),
          Map.entry("Hz", "hertz"),
          Map.entry("1", ""),
          Map.entry("%", "percent"));
  private static final Map<String, String> PER =
      Map.of(
          "s", "second", "m", "minute", "min", "minute", "h", "hour", "d", "day", "w", "week", "mo",
          "month", "y", "year");

  private OtlpNames() {}

  /// The name of a metric.
  ///
  /// @param isNumber whether it is a gauge or a sum, so that the unit `1` is a ratio
  static String metric(String name, String unit, boolean isCounter, boolean isNumber) {
    List<String> parts = parts(name, true);
    addUnits(parts, unit);
    if (isCounter) {
      parts.removeIf("total"::equals);
      parts.add("total");
    } else if (unit.equals("1") && isNumber) {
      parts.removeIf("ratio"::equals);
      parts.add("ratio");
    }
    String joined = String.join("_", parts);
    return joined.isEmpty() || Character.isDigit(joined.charAt(0)) ? "_" + joined : joined;
  }

  /// A unit in words, such as `bytes_per_second`.
  static String unit(String unit) {
    List<String> parts = new ArrayList<>();
    addUnits(parts, unit);
    return String.join("_", parts);
  }

  private static void addUnits(List<String> parts, String unit) {
    int slash = unit.indexOf('/');
    if (unit.indexOf('{') < 0) {
      addUnit(parts, slash < 0 ? unit : unit.substring(0, slash), UNITS, "");
      if (slash >= 0) {
        addUnit(parts, unit.substring(slash + 1), PER, "per");
      }
    }
  }

  private static void addUnit(
      List<String> parts, String unit, Map<String, String> known, String before) {
    String word = known.getOrDefault(unit.strip(), String.join("_", parts(unit, false)));
    if (!word.isEmpty() && !parts.contains(word)) {
      if (!before.isEmpty()) {
        parts.add(before);
      }
      parts.add(word);
    }
  }

  /// The parts between characters that names do not have.
  private static List<String> parts(String name, boolean colons) {
    String pattern = colons ? "[^a-zA-Z0-9:]+" : "[^a-zA-Z0-9]+";
    List<String> parts = new ArrayList<>(Arrays.asList(name.split(pattern, -1)));
    parts.removeIf(String::isEmpty);
    return parts;
  }

  /// The name of a label.
  static String label(String name) {
    StringBuilder shown = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isPart = c < 0x80 && (Character.isLetterOrDigit(c) || c == '_');
      if (isPart || shown.isEmpty() || shown.charAt(shown.length() - 1) != '_') {
        shown.append(isPart ? c : '_');
      }
    }
    String label = shown.toString();
    if (!label.isEmpty() && Character.isDigit(label.charAt(0))) {
      return "key_" + label;
    }
    return label.startsWith("_") && !label.startsWith("__") ? "key" + label : label;
  }

  /// Translates names of labels; of several with one name the values are joined. The service is the
  /// job, and its instance the instance.
  static void translate(SortedMap<String, String> labels) {
    SortedMap<String, String> sent = new TreeMap<>(labels);
    labels.clear();
    sent.forEach((name, value) -> {
      String label =
          switch (name) {
            case "scope.name" -> "otel_scope_name";
            case "scope.version" -> "otel_scope_version";
            default -> label(name);
          };
      labels.merge(label, value, (one, other) -> one + ";" + other);
    });
    String service = sent.getOrDefault("service.name", "");
    if (!service.isEmpty()) {
      String space = sent.getOrDefault("service.namespace", "");
      labels.putIfAbsent("job", space.isEmpty() ? service : space + "/" + service);
    }
    String instance = sent.getOrDefault("service.instance.id", "");
    if (!instance.isEmpty()) {
      labels.putIfAbsent("instance", instance);
    }
  }
}
