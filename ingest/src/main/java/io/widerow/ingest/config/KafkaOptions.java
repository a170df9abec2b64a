package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What is read from Kafka, and how: `HOST:PORT[,HOST:PORT...]/TOPIC[,TOPIC...]?NAME=VALUE&...`.
///
/// @param brokers `HOST:PORT` each
/// @param topics names, or globs with `*`
/// @param format of the records, one of [#FORMATS]
/// @param start where a topic without positions begins: `earliest`, `latest` or `group`
/// @param partitions that are read; empty for all
/// @param group of the offsets that are committed; empty for the default
/// @param fields that become attributes
/// @param parameters the other ones, which are those of the format's HTTP endpoint
public record KafkaOptions(
    List<String> brokers,
    List<String> topics,
    String format,
    String start,
    Set<Integer> partitions,
    String group,
    Set<String> fields,
    Map<String, String> parameters) {
  static final List<String> FORMATS =
      List.of("json", "text", "line", "otlp", "loki", "gelf", "splunk");

  /// What other endpoints than those of `json` and `text`, which check theirs, take.
  private static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "line", Set.of("precision"),
          "otlp", Set.of("signal", "type"),
          "loki", Set.of("type"),
          "gelf", Set.of("type"),
          "splunk", Set.of("type"));

  static final List<String> STARTS = List.of("earliest", "latest", "group");
  static final List<String> SIGNALS = List.of("logs", "metrics", "traces");
  static final List<String> FIELDS = List.of("topic", "partition", "offset", "key", "headers");
  private static final int PARTITIONS_MAX = 100_000;
  private static final Pattern BROKER =
      Pattern.compile("(\\[[0-9a-fA-F:]+]|[^\\[\\]:/@]+):(\\d{1,5})");
  private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._*-]{1,249}");
  private static final Pattern LOCAL =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1]):\\d+");

  /// Reads the value of a key.
  ///
  /// @throws IllegalArgumentException with the key and the bad part in it
  static KafkaOptions parse(String key, String text) {
    int slash = text.indexOf('/');
    require(slash > 0, "%s must be HOST:PORT/TOPIC, got %s".formatted(key, text));
    int question = text.indexOf('?', slash);
    String topics = text.substring(slash + 1, question < 0 ? text.length() : question);
    Map<String, String> given = parameters(key, question < 0 ? "" : text.substring(question + 1));
    String format = oneOf(key, "format", given.remove("format"), FORMATS);
    String start = oneOf(key, "start", given.remove("start"), STARTS);
    String partitions = given.remove("partitions");
    String group = given.remove("group");
    String fields = given.remove("fields");
    given.keySet().forEach(name -> requireKnown(key, format, name));
    if (format.equals("otlp")) {
      given.put("signal", oneOf(key, "signal", given.get("signal"), SIGNALS));
    }
    return new KafkaOptions(
        all(key, "HOST:PORT", BROKER, text.substring(0, slash)),
        all(key, "a topic", TOPIC, topics),
        format,
        start,
        partitions == null ? Set.of() : partitions(key, partitions),
        group == null ? "" : group,
        fields == null ? Set.copyOf(FIELDS) : fields(key, fields),
        given);
  }

  private static List<String> all(String key, String what, Pattern form, String text) {
    List<String> all = List.of(text.split(",", -1));
    for (String each : all) {
      require(form.matcher(each).matches(), "%s: %s expected, got '%s'".formatted(key, what, each));
    }
    return all;
  }

  private static Map<String, String> parameters(String key, String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split("&", -1)) {
      int equals = each.indexOf('=');
      require(equals > 0, "%s: parameters are NAME=VALUE, got '%s'".formatted(key, each));
      String name = each.substring(0, equals);
      String value = URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8);
      require(parameters.put(name, value) == null, "%s: %s is there twice".formatted(key, name));
    }
    return parameters;
  }

  private static void requireKnown(String key, String format, String name) {
    Set<String> names = PARAMETERS.get(format);
    require(
        names == null || names.contains(name),
        "%s: %s: no such parameter of %s".formatted(key, name, format));
  }

  /// The first value is the default.
  private static String oneOf(
      String key, String name, @Nullable String given, List<String> values) {
    require(
        given == null || values.contains(given),
        "%s: %s must be %s, got %s".formatted(key, name, String.join(" or ", values), given));
    return given == null ? values.getFirst() : given;
  }

  private static Set<String> fields(String key, String text) {
    List<String> all = text.equals("none") ? List.of() : List.of(text.split(",", -1));
    require(
        FIELDS.containsAll(all),
        "%s: fields must be none or of %s, got %s".formatted(key, String.join(",", FIELDS), text));
    return Set.copyOf(all);
  }

  private static Set<Integer> partitions(String key, String text) {
    Set<Integer> partitions = new TreeSet<>();
    for (String each : text.split(",", -1)) {
      require(
          each.matches("\\d{1,5}(-\\d{1,5})?"),
          "%s: partitions must be such as 0-2,5, got %s".formatted(key, text));
      int[] ends = Arrays.stream(each.split("-", -1)).mapToInt(Integer::parseInt).toArray();
      int last = ends[ends.length - 1];
      require(
          ends[0] <= last && last < PARTITIONS_MAX,
          "%s: partitions must be such as 0-2,5, got %s".formatted(key, text));
      for (int partition = ends[0]; partition <= last; partition++) {
        partitions.add(partition);
      }
    }
    return Set.copyOf(partitions);
  }

  /// Whether all brokers are on this machine.
  boolean isLocal() {
    return brokers.stream().allMatch(broker -> LOCAL.matcher(broker).matches());
  }

  /// The value of the key.
  String print() {
    List<String> query = new ArrayList<>(List.of("format=" + format, "start=" + start));
    if (!partitions.isEmpty()) {
      query.add(
          "partitions="
              + String.join(",", new TreeSet<>(partitions).stream().map(String::valueOf).toList()));
    }
    if (!group.isEmpty()) {
      query.add("group=" + group);
    }
    if (!fields.containsAll(FIELDS)) {
      query.add("fields=" + (fields.isEmpty() ? "none" : String.join(",", new TreeSet<>(fields))));
    }
    parameters.forEach(
        (name, value) -> query.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return String.join(",", brokers)
        + "/"
        + String.join(",", topics)
        + "?"
        + String.join("&", query);
  }
}
