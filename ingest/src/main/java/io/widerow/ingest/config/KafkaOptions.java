package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.query.forward.KafkaAccess;
import io.widerow.query.forward.KafkaAddress;
import java.net.URLEncoder;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What is read from Kafka, and how: `HOST:PORT[,HOST:PORT...]/TOPIC[,TOPIC...]?NAME=VALUE&...`.
///
/// @param source its name: [#KEY] for the key of this name, `NAME` for `kafka.NAME`
/// @param brokers `HOST:PORT` each
/// @param topics names, or globs with `*`
/// @param format of the records, one of [#FORMATS]
/// @param start where a topic without positions begins: one of [#STARTS], or a time of RFC 3339
/// @param time the time of the events: `event` for their own, `kafka` for that of their record
/// @param partitions that are read; empty for all
/// @param readers threads among which the partitions are divided, each with a client
/// @param refresh time between two searches for topics and partitions
/// @param group of the offsets that are committed; empty for the default
/// @param deadLetter topic of refused records; empty for none
/// @param letters what becomes of a letter that cannot be written
/// @param fields that become attributes
/// @param parameters the other ones, which are those of the format's HTTP endpoint
public record KafkaOptions(
    String source,
    List<String> brokers,
    List<String> topics,
    String format,
    String start,
    String time,
    Set<Integer> partitions,
    int readers,
    Duration refresh,
    String group,
    String deadLetter,
    Lost letters,
    Set<String> fields,
    Map<String, String> parameters) {
  /// The key of the source that has its name.
  static final String KEY = "kafka";

  /// What becomes of a dead letter that cannot be written.
  public enum Lost {
    /// Its partition waits.
    WAIT,
    /// It is lost.
    PASS
  }

  static final List<String> FORMATS =
      List.of("json", "text", "line", "otlp", "loki", "gelf", "splunk", "syslog");

  /// What other endpoints than those of `json` and `text`, which check theirs, take.
  private static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "line", Set.of("precision"),
          "otlp", Set.of("signal", "type"),
          "loki", Set.of("type"),
          "gelf", Set.of("type"),
          "splunk", Set.of("type"),
          "syslog", Set.of("zone"));

  static final List<String> STARTS = List.of("earliest", "latest", "group");
  static final List<String> TIMES = List.of("event", "kafka");
  private static final List<String> LOST = List.of("wait", "pass");
  static final List<String> SIGNALS = List.of("logs", "metrics", "traces");
  static final List<String> FIELDS = List.of("topic", "partition", "offset", "key", "headers");
  private static final int PARTITIONS_MAX = 100_000;
  private static final int READERS_MAX = 64;
  private static final Duration REFRESH = Duration.ofSeconds(30);
  private static final String SOURCE = "[a-z0-9][a-z0-9-]{0,31}";
  private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._*-]{1,249}");

  /// Reads the value of a key.
  ///
  /// @throws IllegalArgumentException with the key and the bad part in it
  static KafkaOptions parse(String key, String text) {
    String source = key.substring(key.indexOf('.') + 1);
    require(
        key.equals(KEY) || (source.matches(SOURCE) && !source.equals(KEY)),
        "%s: a name of a source is 1 to 32 of a-z, 0-9 and -, and not kafka, got %s"
            .formatted(key, source));
    require(
        text.replaceFirst("\\?.*", "").indexOf('@') < 0,
        key + ": a password belongs into a file: use kafka-user and kafka-password-file");
    int slash = text.indexOf('/');
    require(slash > 0, "%s must be HOST:PORT/TOPIC, got %s".formatted(key, text));
    int question = text.indexOf('?', slash);
    List<String> topics =
        topics(key, text.substring(slash + 1, question < 0 ? text.length() : question));
    Map<String, String> given =
        KafkaAddress.parameters(key, question < 0 ? "" : text.substring(question + 1));
    String format = oneOf(key, "format", given.remove("format"), FORMATS);
    String start = start(key, given.remove("start"));
    String time = oneOf(key, "time", given.remove("time"), TIMES);
    String partitions = given.remove("partitions");
    String readers = given.remove("readers");
    String refresh = given.remove("refresh");
    String group = given.remove("group");
    String fields = given.remove("fields");
    String letter = given.remove("dead-letter");
    String lost = given.remove("dead-letter-lost");
    given.keySet().forEach(name -> requireKnown(key, format, name));
    if (format.equals("otlp")) {
      given.put("signal", oneOf(key, "signal", given.get("signal"), SIGNALS));
    }
    requireZone(key, format, given.get("zone"));
    require(
        letter != null || lost == null, "%s: dead-letter-lost needs dead-letter".formatted(key));
    return new KafkaOptions(
        source,
        KafkaAddress.brokers(key, text.substring(0, slash)),
        topics,
        format,
        start,
        time,
        partitions == null ? Set.of() : partitions(key, partitions),
        readers == null ? 1 : readers(key, readers),
        refresh == null ? REFRESH : refresh(key, refresh),
        group == null ? "" : group,
        letter == null ? "" : deadLetter(key, letter, topics),
        Lost.valueOf(oneOf(key, "dead-letter-lost", lost, LOST).toUpperCase(Locale.ROOT)),
        fields == null ? Set.copyOf(FIELDS) : fields(key, fields),
        given);
  }

  private static String start(String key, @Nullable String text) {
    if (text == null || STARTS.contains(text)) {
      return text == null ? STARTS.getFirst() : text;
    }
    try {
      OffsetDateTime _ = OffsetDateTime.parse(text);
      return text;
    } catch (DateTimeException noTime) {
      throw new IllegalArgumentException(
          "%s: start must be %s or a time such as 2026-01-01T00:00:00Z, got %s"
              .formatted(key, String.join(" or ", STARTS), text),
          noTime);
    }
  }

  private static int readers(String key, String text) {
    int readers = text.matches("\\d{1,3}") ? Integer.parseInt(text) : 0;
    require(
        readers >= 1 && readers <= READERS_MAX,
        "%s: readers must be 1 to %d, got %s".formatted(key, READERS_MAX, text));
    return readers;
  }

  private static Duration refresh(String key, String text) {
    Duration refresh = Age.parse(key + ": refresh", text).duration();
    require(refresh != null, "%s: refresh must not be forever".formatted(key));
    return refresh == null ? REFRESH : refresh;
  }

  /// A dead letter that its own source reads would be refused again, without an end.
  private static String deadLetter(String key, String topic, List<String> topics) {
    require(
        TOPIC.matcher(topic).matches() && topic.indexOf('*') < 0,
        "%s: dead-letter must be a topic, got '%s'".formatted(key, topic));
    for (String each : topics) {
      require(
          !isOf(each, topic),
          "%s: dead-letter must not be a topic that is read, got %s, which is one of %s"
              .formatted(key, topic, each));
    }
    return topic;
  }

  /// Whether a topic has this name, or is one of this glob. Internal topics have to be named.
  public static boolean isOf(String glob, String topic) {
    return glob.equals(topic)
        || (!topic.startsWith("__") && topic.matches(glob.replace(".", "\\.").replace("*", ".*")));
  }

  private static void requireZone(String key, String format, @Nullable String zone) {
    if (zone != null && format.equals("syslog")) {
      try {
        ZoneId _ = ZoneId.of(zone);
      } catch (DateTimeException noZone) {
        throw new IllegalArgumentException(
            "%s: zone must be a time zone, got %s".formatted(key, zone), noZone);
      }
    }
  }

  /// The time at which a topic without positions begins, milliseconds since 1970; null when
  /// [#start] is a word.
  public @Nullable Long startMillis() {
    return STARTS.contains(start) ? null : OffsetDateTime.parse(start).toInstant().toEpochMilli();
  }

  private static List<String> topics(String key, String text) {
    List<String> topics = List.of(text.split(",", -1));
    for (String each : topics) {
      require(TOPIC.matcher(each).matches(), "%s: a topic expected, got '%s'".formatted(key, each));
    }
    return topics;
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

  /// The key with this value.
  public String key() {
    return source.equals(KEY) ? KEY : KEY + "." + source;
  }

  /// Whether all brokers are on this machine.
  boolean isLocal() {
    return KafkaAccess.isLocal(brokers);
  }

  /// The value of the key.
  String print() {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("format", format);
    query.put("start", start);
    query.put("time", time);
    query.put("readers", Integer.toString(readers));
    query.put("refresh", Age.text(refresh));
    if (!partitions.isEmpty()) {
      query.put(
          "partitions",
          String.join(",", new TreeSet<>(partitions).stream().map(String::valueOf).toList()));
    }
    if (!group.isEmpty()) {
      query.put("group", group);
    }
    if (!deadLetter.isEmpty()) {
      query.put("dead-letter", deadLetter);
      query.put("dead-letter-lost", letters.name().toLowerCase(Locale.ROOT));
    }
    if (!fields.containsAll(FIELDS)) {
      query.put("fields", fields.isEmpty() ? "none" : String.join(",", new TreeSet<>(fields)));
    }
    query.putAll(parameters);
    List<String> printed = new ArrayList<>();
    query.forEach((name, value) ->
        printed.add(name + "=" + URLEncoder.encode(value, UTF_8).replace("%2C", ",")));
    return String.join(",", brokers)
        + "/"
        + String.join(",", topics)
        + "?"
        + String.join("&", printed);
  }
}
