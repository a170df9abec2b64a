package io.widerow.query.logql;

import io.widerow.query.logql.TemplateFunctions.Arguments;
import io.widerow.query.logql.TemplateLibrary.Function;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The functions of templates of alert rules: those of Go's `text/template`, and those that
/// Prometheus adds.
///
/// - Threads: any.
final class RuleTemplateFunctions {
  private static final String[] LARGE = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  private static final String[] LARGE_BINARY = {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  private static final String[] SMALL = {"m", "u", "n", "p", "f", "a", "z", "y"};
  private static final double SECONDS_MAX = 9e9; // of a time
  private static final long ESCAPE_CHARS_MAX = 6; // of a character, in HTML and JavaScript
  private static final String VALUE_LABEL = "__value__";

  static final TemplateLibrary LIBRARY = new TemplateLibrary.Named(all());

  private RuleTemplateFunctions() {}

  private static Map<String, Function> all() {
    Map<String, Function> all = new HashMap<>();
    for (String name :
        List.of(
            "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "print",
            "println", "printf")) {
      all.put(name, TemplateFunctions.of(name));
    }
    ofSamples(all);
    ofNumbers(all);
    ofTexts(all);
    return all;
  }

  private static void ofSamples(Map<String, Function> all) {
    all.put(
        "query",
        call -> {
          if (!(call.run().source() instanceof RuleTemplate.Source(var data))) {
            throw call.wrong("no store to ask");
          }
          try {
            return data.queries().of(call.text(0)).stream()
                .map(RuleTemplateFunctions::sample)
                .toList();
          } catch (RuntimeException failed) { // of the expression or the store, for the annotation
            throw call.wrong(String.valueOf(failed.getMessage()));
          }
        });
    all.put(
        "first",
        call -> {
          List<?> samples = samples(call, 0);
          if (samples.isEmpty()) {
            throw call.wrong("first() called on vector with no elements");
          }
          return samples.getFirst();
        });
    all.put("label", call -> labels(call, call.get(1)).getOrDefault(call.text(0), ""));
    all.put("value", call -> of(call, 0, "Value"));
    all.put("strvalue", call -> labels(call, call.get(0)).getOrDefault(VALUE_LABEL, ""));
    all.put(
        "sortByLabel",
        call -> {
          String name = call.text(0);
          TreeMap<String, List<Object>> sorted = new TreeMap<>();
          for (Object each : samples(call, 1)) {
            String value = labels(call, each).getOrDefault(name, "");
            sorted.computeIfAbsent(value, _ -> new ArrayList<>()).add(each);
          }
          return sorted.values().stream().flatMap(List::stream).toList();
        });
  }

  private static Map<String, Object> sample(RuleTemplate.Sample sample) {
    Map<String, Object> map = new TreeMap<>();
    map.put("Labels", new RuleTemplate.Texts(sample.labels()));
    map.put("Value", sample.value());
    return map;
  }

  private static List<?> samples(Arguments call, int i) throws TemplateRun.Failed {
    if (call.get(i) instanceof List<?> list) {
      return list;
    }
    throw call.wrong("wrong type for value; expected []*template.sample");
  }

  private static Object of(Arguments call, int i, String field) throws TemplateRun.Failed {
    Object value = call.get(i) instanceof Map<?, ?> map ? map.get(field) : null;
    if (value != null) {
      return value;
    }
    throw call.wrong("wrong type for value; expected *template.sample");
  }

  private static Map<String, String> labels(Arguments call, @Nullable Object of)
      throws TemplateRun.Failed {
    if (of instanceof Map<?, ?> map && map.get("Labels") instanceof RuleTemplate.Texts labels) {
      return labels;
    }
    throw call.wrong("wrong type for value; expected *template.sample");
  }

  private static void ofNumbers(Map<String, Function> all) {
    all.put("humanize", call -> humanized(number(call)));
    all.put("humanize1024", call -> binary(number(call)));
    all.put("humanizeDuration", call -> duration(number(call)));
    all.put("humanizePercentage", call -> general(number(call) * 100) + "%");
    all.put(
        "humanizeTimestamp",
        call -> {
          double seconds = number(call);
          return Double.isFinite(seconds) ? GoFormat.shown(time(call, seconds)) : general(seconds);
        });
    all.put("toTime", call -> time(call, number(call)));
    all.put("toDuration", call -> GoDuration.shown((long) (number(call) * 1e9)));
    all.put("now", call -> call.run().source().nowNanos() / 1e9);
    all.put(
        "parseDuration",
        call -> {
          Long nanos = Units.nanos(call.text(0));
          if (nanos == null) {
            throw call.wrong(GoDuration.error(call.text(0)));
          }
          return nanos / 1e9;
        });
  }

  private static Instant time(Arguments call, double seconds) throws TemplateRun.Failed {
    if (!(Math.abs(seconds) <= SECONDS_MAX)) {
      throw call.wrong(general(seconds) + " cannot be represented as a nanoseconds timestamp");
    }
    return Instant.EPOCH.plusNanos(Math.round(seconds * 1e9));
  }

  private static double number(Arguments call) throws TemplateRun.Failed {
    return switch (call.get(0)) {
      case Double number -> number;
      case Long number -> number;
      case String text -> {
        Double number = Units.number(text);
        if (number == null) {
          throw call.wrong(Units.error(Stage.Conversion.NUMBER, text));
        }
        yield number;
      }
      case null, default -> throw call.wrong("can't convert " + GoFormat.shown(call.get(0)));
    };
  }

  private static String general(double value) {
    return GoFormat.printf("%.4g", List.of(value), _ -> {});
  }

  private static String humanized(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return general(value);
    }
    double left = value;
    String prefix = "";
    if (Math.abs(value) >= 1) {
      for (int i = 0; i < LARGE.length && Math.abs(left) >= 1_000; i++) {
        prefix = LARGE[i];
        left /= 1_000;
      }
      return general(left) + prefix;
    }
    return small(value);
  }

  private static String small(double value) {
    double left = value;
    String prefix = "";
    for (int i = 0; i < SMALL.length && Math.abs(left) < 1; i++) {
      prefix = SMALL[i];
      left *= 1_000;
    }
    return general(left) + prefix;
  }

  private static String binary(double value) {
    if (Math.abs(value) <= 1 || !Double.isFinite(value)) {
      return general(value);
    }
    double left = value;
    String prefix = "";
    for (int i = 0; i < LARGE_BINARY.length && Math.abs(left) >= 1_024; i++) {
      prefix = LARGE_BINARY[i];
      left /= 1_024;
    }
    return general(left) + prefix;
  }

  private static String duration(double value) {
    if (!Double.isFinite(value)) {
      return general(value);
    }
    if (value == 0) {
      return general(value) + "s";
    }
    if (Math.abs(value) < 1) {
      return small(value) + "s";
    }
    String sign = value < 0 ? "-" : "";
    double size = Math.abs(value);
    long whole = (long) size;
    long seconds = whole % 60;
    long minutes = whole / 60 % 60;
    long hours = whole / 3_600 % 24;
    long days = whole / 86_400;
    if (days != 0) {
      return "%s%dd %dh %dm %ds".formatted(sign, days, hours, minutes, seconds);
    }
    if (hours != 0) {
      return "%s%dh %dm %ds".formatted(sign, hours, minutes, seconds);
    }
    return minutes != 0
        ? "%s%dm %ds".formatted(sign, minutes, seconds)
        : sign + general(size) + "s";
  }

  private static void ofTexts(Map<String, Function> all) {
    all.put("title", TemplateFunctions.of("title"));
    all.put("toUpper", call -> call.text(0).toUpperCase(Locale.ROOT));
    all.put("toLower", call -> call.text(0).toLowerCase(Locale.ROOT));
    all.put("match", call -> call.matcher(0, 1).find());
    all.put(
        "reReplaceAll",
        call ->
            TemplateFunctions.of("regexReplaceAll")
                .of(call.with(List.of(call.text(0), call.text(2), call.text(1)))));
    all.put("stripPort", call -> call.text(0).replaceFirst(":\\d+$", ""));
    all.put("stripDomain", call -> withoutDomain(call.text(0)));
    all.put("safeHtml", call -> call.text(0));
    all.put(
        "args",
        call -> {
          Map<String, @Nullable Object> arguments = new TreeMap<>();
          for (int i = 0; i < call.count(); i++) {
            arguments.put("arg" + i, call.get(i));
          }
          return arguments;
        });
    all.put("slice", RuleTemplateFunctions::slice);
    all.put("html", call -> html(call, printed(call)));
    all.put("js", call -> js(call, printed(call)));
    all.put("externalURL", call -> data(call).externalUrl());
    all.put("pathPrefix", call -> data(call).externalUrl().replaceFirst("^\\w+://[^/]*", ""));
    all.put("urlQueryEscape", call -> UrlText.encoded(call));
    all.put("urlquery", call -> UrlText.encoded(call, printed(call)));
    all.put("graphLink", call -> "/graph?g0.expr=" + UrlText.encoded(call) + "&g0.tab=0");
    all.put("tableLink", call -> "/graph?g0.expr=" + UrlText.encoded(call) + "&g0.tab=1");
  }

  /// The arguments as `print` shows them.
  private static String printed(Arguments call) throws TemplateRun.Failed {
    return String.valueOf(TemplateFunctions.of("print").of(call));
  }

  /// The bytes of a text from one index up to another.
  private static String slice(Arguments call) throws TemplateRun.Failed {
    byte[] bytes = call.text(0).getBytes(StandardCharsets.UTF_8);
    long from = call.count() > 1 ? call.whole(1) : 0;
    long until = call.count() > 2 ? call.whole(2) : bytes.length;
    if (from < 0 || until > bytes.length || from > until) {
      throw call.wrong("index out of range: %d".formatted(from < 0 || from > until ? from : until));
    }
    call.making(until - from);
    return new String(bytes, (int) from, (int) (until - from), StandardCharsets.UTF_8);
  }

  private static String html(Arguments call, String text) throws TemplateRun.Failed {
    call.making(ESCAPE_CHARS_MAX * text.length());
    return text.replace("&", "&amp;")
        .replace("'", "&#39;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&#34;")
        .replace("\0", "\uFFFD");
  }

  private static String js(Arguments call, String text) throws TemplateRun.Failed {
    call.making(ESCAPE_CHARS_MAX * text.length());
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\\' -> escaped.append("\\\\");
        case '\'' -> escaped.append("\\'");
        case '"' -> escaped.append("\\\"");
        case '<', '>', '&', '=' -> escaped.append("\\u%04X".formatted((int) c));
        default -> {
          if (c < ' ') {
            escaped.append("\\u%04X".formatted((int) c));
          } else {
            escaped.append(c);
          }
        }
      }
    }
    return escaped.toString();
  }

  private static RuleTemplate.Data data(Arguments call) throws TemplateRun.Failed {
    if (call.run().source() instanceof RuleTemplate.Source(var data)) {
      return data;
    }
    throw call.wrong("no alert");
  }

  /// A host without its domain; an address stays as it is.
  private static String withoutDomain(String host) {
    String name = host.replaceFirst(":\\d+$", "");
    boolean isAddress = name.matches("[0-9.]+") || name.contains(":") || name.startsWith("[");
    int dot = name.indexOf('.');
    return isAddress || dot < 0 ? host : name.substring(0, dot) + host.substring(name.length());
  }
}
