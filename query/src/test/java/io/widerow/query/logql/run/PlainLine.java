package io.widerow.query.logql.run;

import io.widerow.query.StoreDirectory.Stored;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A line as the plain interpreter sees it: three maps. What parsers find in a line is known from
/// the making of its event.
final class PlainLine {
  static final long START = 1_780_000_000_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final Set<String> LABELS = Set.of("env", "level", "k8s.pod.name");

  final long nanos;
  String text;
  final Map<String, String> stream = new TreeMap<>();
  final Map<String, String> metadata = new TreeMap<>();
  final Map<String, String> parsed = new TreeMap<>();
  final @Nullable Map<String, String> asJson; // null when the line is no JSON
  final Map<String, String> asLogfmt;
  private final Set<String> names = new TreeSet<>(); // of the labels that the stream came with
  private final Set<String> extracted = new TreeSet<>(); // names that parsers have found
  String error = "";

  private PlainLine(
      long nanos, String text, @Nullable Map<String, String> asJson, Map<String, String> asLogfmt) {
    this.nanos = nanos;
    this.text = text;
    this.asJson = asJson;
    this.asLogfmt = asLogfmt;
  }

  PlainLine copy() {
    PlainLine copy = new PlainLine(nanos, text, asJson, asLogfmt);
    copy.stream.putAll(stream);
    copy.names.addAll(stream.keySet());
    copy.metadata.putAll(metadata);
    return copy;
  }

  String get(String name) {
    if (name.equals("__error__")) {
      return error;
    }
    return parsed.getOrDefault(name, stream.getOrDefault(name, metadata.getOrDefault(name, "")));
  }

  boolean has(String name) {
    return parsed.containsKey(name) || stream.containsKey(name) || metadata.containsKey(name);
  }

  void remove(String name) {
    if (name.equals("__error__")) {
      error = "";
    }
    parsed.remove(name);
    stream.remove(name);
    metadata.remove(name);
  }

  /// Sets what a parser has found, unless one found it before.
  void found(Map<String, String> fields) {
    fields.forEach((name, value) -> {
      String free = free(name);
      if (extracted.add(free) || !parsed.containsKey(free)) {
        parsed.put(free, value);
      }
    });
  }

  private String free(String name) {
    return names.contains(name) || metadata.containsKey(name) ? name + "_extracted" : name;
  }

  /// Sets what a parser was asked for.
  void extracted(Map<String, String> fields) {
    fields.forEach((name, value) -> parsed.put(free(name), value));
  }

  /// All labels but the details of an error.
  Map<String, String> all() {
    Map<String, String> all = new TreeMap<>(stream);
    all.putAll(metadata);
    all.putAll(parsed);
    if (!error.isEmpty()) {
      all.put("__error__", error);
    }
    return all;
  }

  /// Events and their lines, in order.
  static Map<Stored, PlainLine> some(SplittableRandom random, int count) {
    List<Stored> events = new ArrayList<>();
    Map<Stored, PlainLine> lines = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      long nanos = START + random.nextInt(600) * SECOND;
      nanos += random.nextInt(3) == 0 ? random.nextInt(1_000_000_000) : 0;
      Map<String, Object> attributes = attributes(random);
      attributes.put("number", (long) i); // tells equal ones apart
      events.add(new Stored(pick(random, "shop", "web", "web.api"), nanos, attributes));
    }
    events.sort((one, other) -> Long.compare(one.timeNanos(), other.timeNanos()));
    for (Stored event : events) {
      lines.put(event, line(random, event));
    }
    return lines;
  }

  private static String pick(SplittableRandom random, String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private static Map<String, Object> attributes(SplittableRandom random) {
    Map<String, Object> made = new TreeMap<>();
    made.put("env", pick(random, "prod", "dev"));
    if (random.nextInt(3) > 0) {
      made.put("level", pick(random, "info", "ERROR", "Warning", "crit"));
    } else if (random.nextBoolean()) {
      made.put("severity", (long) random.nextInt(8));
    }
    Object code = 200L + random.nextInt(4) * 100L;
    made.put("code", random.nextInt(4) == 0 ? code.toString() : code);
    if (random.nextInt(3) > 0) {
      made.put(random.nextBoolean() ? "wait.ms" : "wait_ms", number(random));
      if (random.nextInt(6) == 0) {
        made.put("wait_ms", number(random)); // perhaps besides the other one
      }
    }
    if (random.nextInt(4) > 0) {
      made.put("odd", odd(random));
    }
    if (random.nextInt(3) > 0) {
      made.put("addr", pick(random, "10.0.0.1", "10.1.2.3", "192.168.1.20", "2001:db8::7", "none"));
    }
    made.put("took", pick(random, "5ms", "15ms", "1.5s", "soon"));
    made.put("size", pick(random, "1KB", "2KB", "5MiB"));
    if (random.nextBoolean()) {
      made.put("k8s.pod.name", pick(random, "p1", "p2", "p3"));
    }
    if (random.nextBoolean()) {
      made.put(random.nextBoolean() ? "http.status" : "http_status", pick(random, "ok", "bad"));
    }
    if (random.nextBoolean()) {
      made.put("ok", random.nextBoolean());
      made.put("ratio", random.nextInt(4) * 0.5);
    }
    return made;
  }

  private static Object number(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> 50.5;
      case 1 -> "300";
      case 2 -> "none";
      default -> 100L * random.nextInt(5);
    };
  }

  private static Object odd(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> Double.NaN;
      case 1 -> -5L;
      case 2 -> random.nextInt(8) == 0;
      case 3 -> "7.0";
      default -> 7L;
    };
  }

  private static String shown(Object value) {
    return value instanceof Double number && number == Math.rint(number)
        ? Long.toString(Math.round(number))
        : value.toString();
  }

  /// Gives an event its body, or none, and makes its line.
  private static PlainLine line(SplittableRandom random, Stored event) {
    String number = String.valueOf(event.attributes().get("number"));
    PlainLine line;
    switch (random.nextInt(4)) {
      case 0 -> {
        String method = pick(random, "GET", "POST", "\u001b[1;31mGET\u001b[0m");
        String address = pick(random, "10.0.0.1", "110.0.0.1", "192.168.1.16", "2001:db8:1::5");
        line =
            new PlainLine(
                event.timeNanos(),
                address + " - " + method + " /a/" + number + " x",
                null,
                Map.of());
      }
      case 1 -> {
        String word = pick(random, "red", "green blue");
        String took = pick(random, "3ms", "30ms");
        Map<String, String> fields = new TreeMap<>(Map.of("msg", word, "dur", took, "env", "in"));
        line =
            new PlainLine(
                event.timeNanos(), "msg=\"" + word + "\" dur=" + took + " env=in", null, fields);
      }
      case 2 -> {
        int n = random.nextInt(5);
        Map<String, String> fields =
            new TreeMap<>(Map.of("a_b", "" + n, "c", "x y", "level", "low"));
        line =
            new PlainLine(
                event.timeNanos(),
                "{\"a\":{\"b\":"
                    + n
                    + "},\"c\":\"x\\u0020y\",\"level\":\"low\",\"l\":[1],\"z\":null}",
                fields,
                Map.of());
      }
      default -> {
        Map<String, String> fields = new TreeMap<>();
        StringBuilder text = new StringBuilder();
        event
            .attributes()
            .forEach((name, value) -> {
              fields.putIfAbsent(name.replace('.', '_'), shown(value));
              text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(shown(value));
            });
        line = new PlainLine(event.timeNanos(), text.toString(), null, fields);
      }
    }
    boolean hasBody = !line.text.contains("number=");
    line.stream.put("service_name", event.type());
    event
        .attributes()
        .forEach((name, value) -> {
          boolean isLabel = LABELS.contains(name) && value instanceof String;
          String label = name.replace('.', '_');
          (isLabel ? line.stream : line.metadata)
              .put(line.has(label) ? label + "_2" : label, shown(value));
        });
    line.metadata.put("detected_level", level(event.attributes()));
    if (hasBody) {
      event.attributes().put("body", line.text);
    }
    return line;
  }

  private static String level(Map<String, Object> attributes) {
    Object level = attributes.get("level");
    if (level != null) {
      return switch (level.toString()) {
        case "ERROR" -> "error";
        case "Warning" -> "warn";
        case "crit" -> "critical";
        default -> level.toString();
      };
    }
    Object severity = attributes.get("severity");
    List<String> names =
        List.of("critical", "critical", "critical", "error", "warn", "info", "info", "debug");
    return severity == null ? "unknown" : names.get(((Long) severity).intValue());
  }
}
