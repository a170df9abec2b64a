package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.gelf.GelfDecoder;
import io.widerow.ingest.receive.graphite.GraphiteDecoder;
import io.widerow.ingest.receive.influx.LineProtocolDecoder;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.json.JsonNames;
import io.widerow.ingest.receive.loki.LokiFuzz;
import io.widerow.ingest.receive.otlp.OtlpFuzz;
import io.widerow.ingest.receive.splunk.HecFuzz;
import io.widerow.ingest.receive.statsd.StatsdDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: no name, value, type or number of attributes costs an event or a neighbour, and all that a
/// sender gave can be read back by the rule of [FittedEvent]. Method: a table of odd attributes for
/// each entrance, each event between two plain ones, and an oracle that rebuilds the sent event;
/// and corpora of odd events of each protocol.
class OddNamesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LONG = "n".repeat(300);

  /// A sent event: names with texts, and its other parts.
  record Sent(String what, List<Map.Entry<String, String>> attributes) {
    @Override
    public String toString() {
      return what;
    }
  }

  /// A way in.
  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  enum Entrance {
    JSON_LINES(Entrance::jsonLine, "\n", OddNamesTest::json),
    JSON_ARRAY(Entrance::jsonLine, ",", OddNamesTest::jsonArray),
    BULK(Entrance::bulk, "\n", ElasticFuzz::decode),
    HEC(Entrance::hec, "\n", HecFuzz::decode),
    DATADOG(sent -> "{" + members(sent, "") + "}", ",", OddNamesTest::datadog),
    GELF(sent -> "{" + members(sent, "_") + "}", "\n", OddNamesTest::gelf),
    LOKI(Entrance::loki, ",", OddNamesTest::loki),
    OTLP(Entrance::otlp, ",", OddNamesTest::otlp),
    FLUENT(sent -> members(sent, ""), "\n", OddNamesTest::fluent),
    STATSD(Entrance::statsd, "\n", OddNamesTest::statsd),
    GRAPHITE(Entrance::graphite, "\n", OddNamesTest::graphite),
    LINE_PROTOCOL(Entrance::line, "\n", OddNamesTest::line),
    SYSLOG(Entrance::syslog, "\n", OddNamesTest::syslog);

    private final Function<Sent, String> write;
    private final String separator;
    private final Decoding.Decoder decoder;

    Entrance(Function<Sent, String> write, String separator, Decoding.Decoder decoder) {
      this.write = write;
      this.separator = separator;
      this.decoder = decoder;
    }

    /// Whether the grammar of the protocol has an attribute of this name.
    private boolean has(String name) {
      return switch (this) {
        case STATSD, GRAPHITE, LINE_PROTOCOL, SYSLOG, GELF -> !name.isEmpty();
        default -> true;
      };
    }

    private String nameOf(String name) {
      return this == SYSLOG ? "e@1." + name : name;
    }

    private static String jsonLine(Sent sent) {
      return "{\"type\":\"t\"," + members(sent, "") + "}";
    }

    private static String bulk(Sent sent) {
      return "{\"create\":{\"_index\":\"t\"}}\n{" + members(sent, "") + "}";
    }

    private static String hec(Sent sent) {
      return "{\"event\":\"x\",\"fields\":{" + members(sent, "") + "}}";
    }

    private static String loki(Sent sent) {
      return "[\"1000000000\",\"x\",{" + members(sent, "") + "}]";
    }

    private static String otlp(Sent sent) {
      return sent.attributes.stream()
          .map(each ->
              "{\"key\":%s,\"value\":{\"stringValue\":%s}}"
                  .formatted(quoted(each.getKey()), quoted(each.getValue())))
          .collect(Collectors.joining(",", "{\"attributes\":[", "]}"));
    }

    private static String statsd(Sent sent) {
      return sent.attributes.stream()
          .map(each -> each.getKey() + ":" + each.getValue())
          .collect(Collectors.joining(",", "m:1|c|#", ""));
    }

    private static String graphite(Sent sent) {
      return sent.attributes.stream()
          .map(each -> each.getKey() + "=" + each.getValue())
          .collect(Collectors.joining(";", "m;", " 1 1"));
    }

    private static String line(Sent sent) {
      return sent.attributes.stream()
          .map(each -> each.getKey() + "=\"" + each.getValue() + "\"")
          .collect(Collectors.joining(",", "m ", ""));
    }

    private static String syslog(Sent sent) {
      return sent.attributes.stream()
          .map(each -> each.getKey() + "=\"" + each.getValue() + "\"")
          .collect(Collectors.joining(" ", "<34>1 - h a p m [e@1 ", "] x"));
    }

    private static String members(Sent sent, String prefix) {
      return sent.attributes.stream()
          .map(each -> quoted(prefix + each.getKey()) + ":" + quoted(each.getValue()))
          .collect(Collectors.joining(","));
    }

    private static String quoted(String text) {
      try {
        return JSON.writeValueAsString(text);
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  private static final Sent PLAIN = new Sent("plain", List.of(Map.entry("a", "good")));

  private static List<Sent> odd() {
    return List.of(
        of("an empty name", "", "v"),
        of("a long name", LONG, "v"),
        of("a long name and a plain one", "a", "1", LONG, "2"),
        of("two long names", LONG, "1", LONG + "2", "2"),
        of("a name of 256 bytes", "é".repeat(128), "v"),
        of("a name of 255 bytes", "n".repeat(255), "v"),
        of("empty and long names", "", "1", LONG, "2", "b", "3"),
        of("a name twice", "a", "1", "a", "2"),
        of("a name three times", "a", "1", "a", "2", "a", "3"),
        of("a long name twice", LONG, "1", LONG, "2"),
        of("the names of the rule", FittedEvent.MEMBER, "1", LONG, "2"),
        many(999),
        many(1_000),
        many(1_001),
        many(1_500),
        many(3_000));
  }

  private static Sent of(String what, String... namesAndTexts) {
    List<Map.Entry<String, String>> attributes = new ArrayList<>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      attributes.add(Map.entry(namesAndTexts[i], namesAndTexts[i + 1]));
    }
    return new Sent(what, attributes);
  }

  private static Sent many(int count) {
    return new Sent(
        count + " attributes",
        IntStream.range(0, count).mapToObj(i -> Map.entry("k" + i, "v" + i)).toList());
  }

  static Stream<Arguments> cases() {
    return Stream.of(Entrance.values())
        .flatMap(entrance -> odd().stream().map(sent -> Arguments.of(entrance, sent)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whatIsSentCanBeReadBack(Entrance entrance, Sent sent) {
    List<Map.Entry<String, String>> kept =
        sent.attributes.stream().filter(each -> entrance.has(each.getKey())).toList();
    if (kept.isEmpty()) {
      return;
    }
    Sent sendable = new Sent(sent.what, kept);
    String body =
        Stream.of(PLAIN, sendable, PLAIN)
            .map(entrance.write)
            .collect(Collectors.joining(entrance.separator));
    Decoding.Result result = Decoding.of(body, entrance.decoder);
    assertEquals(0, result.refused().count(), () -> result.refused().lastReason());
    assertEquals(3, result.stored().size());
    assertEquals(result.stored().getFirst().attributes(), result.stored().getLast().attributes());
    List<String> found = texts(result.stored().get(1));
    for (Map.Entry<String, String> each : kept) {
      String wanted = entrance.nameOf(each.getKey()) + "=" + each.getValue();
      assertTrue(found.remove(wanted), () -> wanted + " is not in " + found);
    }
  }

  /// The attributes of an event with the names that its sender gave.
  private static List<String> texts(MemoryStore.Stored event) {
    List<String> all = new ArrayList<>();
    new TreeMap<>(event.attributes())
        .forEach((name, value) -> {
          if (name.startsWith(FittedEvent.MEMBER) && String.valueOf(value).startsWith("{")) {
            members(String.valueOf(value)).forEach(all::add);
          } else {
            all.add(sentName(name, event.attributes()) + "=" + value);
          }
        });
    return all;
  }

  /// The name without the prefix or suffix that a used name gets, see `PROTOCOLS.md`.
  private static String sentName(String name, Map<String, Object> event) {
    String sent = name;
    for (String prefix : List.of("attributes.", "tag.", "fields.", "metadata.", "label.", "_")) {
      String without = sent.startsWith(prefix) ? sent.substring(prefix.length()) : sent;
      sent = event.containsKey(without.replaceFirst("\\.\\d+$", "")) ? without : sent;
    }
    String without = sent.replaceFirst("\\.\\d+$", "");
    return event.containsKey(without) ? without : sent;
  }

  private static List<String> members(String text) {
    List<String> members = new ArrayList<>();
    try (var parser = JSON.createParser(text)) { // a tree would have equal names once
      parser.nextToken();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        JsonNode value = parser.readValueAsTree();
        members.add(name + "=" + value.asText());
      }
      return members;
    } catch (IOException bad) {
      throw new UncheckedIOException(bad);
    }
  }

  private static void json(byte[] body, int limit, IncomingBatch batch) {
    new JsonLinesDecoder("t").decode(body, 0, limit, batch);
  }

  private static byte[] around(String front, byte[] body, int limit, String end) {
    String text = front + new String(body, 0, limit, StandardCharsets.UTF_8) + end;
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(bytes, bytes.length + 64);
  }

  private static void jsonArray(byte[] body, int limit, IncomingBatch batch) {
    byte[] array = around("[", body, limit, "]");
    new JsonLinesDecoder("t", JsonNames.KNOWN, true).decode(array, 0, array.length - 64, batch);
  }

  private static void datadog(byte[] body, int limit, IncomingBatch batch) {
    byte[] array = around("[", body, limit, "]");
    DatadogFuzz.decode(array, array.length - 64, batch);
  }

  private static void loki(byte[] body, int limit, IncomingBatch batch) {
    byte[] push =
        around("{\"streams\":[{\"stream\":{\"app\":\"s\"},\"values\":[", body, limit, "]}]}");
    LokiFuzz.json(push, push.length - 64, batch);
  }

  private static void otlp(byte[] body, int limit, IncomingBatch batch) {
    byte[] request =
        around("{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[", body, limit, "]}]}]}");
    OtlpFuzz.LOGS.decode(true, request, request.length - 64, batch);
  }

  private static void lines(byte[] body, int limit, Line line) {
    for (int at = 0; at < limit; ) {
      int end = at;
      while (end < limit && body[end] != '\n') {
        end++;
      }
      line.decode(at, end);
      at = end + 1;
    }
  }

  @FunctionalInterface
  private interface Line {
    void decode(int offset, int limit);
  }

  private static void gelf(byte[] body, int limit, IncomingBatch batch) {
    GelfDecoder decoder = new GelfDecoder(null);
    lines(body, limit, (offset, end) -> decoder.decode(body, offset, end, batch));
  }

  private static void syslog(byte[] body, int limit, IncomingBatch batch) {
    SyslogDecoder decoder = new SyslogDecoder(ZoneOffset.UTC);
    lines(body, limit, (offset, end) -> decoder.decode(body, offset, end, batch));
  }

  /// The members of JSON objects as records of MessagePack.
  private static void fluent(byte[] body, int limit, IncomingBatch batch) {
    ByteArrayOutputStream entries = new ByteArrayOutputStream();
    int[] count = {0};
    lines(
        body,
        limit,
        (offset, end) -> {
          String text = new String(body, offset, end - offset, StandardCharsets.UTF_8);
          List<String> members = members("{" + text + "}");
          count[0]++;
          entries.write(0x92);
          entries.write(1); // the time
          head(entries, 0xdf, members.size());
          for (String each : members) {
            int equals = each.indexOf('=');
            packed(entries, each.substring(0, equals));
            packed(entries, each.substring(equals + 1));
          }
        });
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    message.write(0x92);
    packed(message, "t");
    head(message, 0xdd, count[0]);
    message.writeBytes(entries.toByteArray());
    byte[] bytes = Arrays.copyOf(message.toByteArray(), message.size() + 64);
    FluentDecoding.decode(bytes, message.size(), batch);
  }

  private static void packed(ByteArrayOutputStream out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    head(out, 0xdb, utf8.length);
    out.writeBytes(utf8);
  }

  private static void head(ByteArrayOutputStream out, int kind, int length) {
    out.write(kind);
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
  }

  private static void statsd(byte[] body, int limit, IncomingBatch batch) {
    new StatsdDecoder().decode(body, 0, limit, batch);
  }

  private static void graphite(byte[] body, int limit, IncomingBatch batch) {
    new GraphiteDecoder().decode(body, 0, limit, batch);
  }

  private static void line(byte[] body, int limit, IncomingBatch batch) {
    new LineProtocolDecoder(1).decode(body, 0, limit, batch, null);
  }

  /// A corpus of odd events, with what stands before and after each.
  record Corpus(String name, String front, String separator, String end) {}

  static Stream<Arguments> corpora() {
    List<Map.Entry<Corpus, Decoding.Decoder>> all =
        List.of(
            Map.entry(
                new Corpus("odd.ndjson", "{\"type\":\"t\",\"a\":1}", "\n", ""), OddNamesTest::json),
            Map.entry(new Corpus("odd.statsd", "good:1|c", "\n", ""), OddNamesTest::statsd),
            Map.entry(new Corpus("odd.graphite", "good 1 1", "\n", ""), OddNamesTest::graphite),
            Map.entry(new Corpus("odd.lp", "good v=1 1", "\n", ""), OddNamesTest::line),
            Map.entry(new Corpus("odd.bulk", "{\"a\":1}", "\n", "bulk"), ElasticFuzz::decode),
            Map.entry(new Corpus("odd.loki-json", "[\"1\",\"x\"]", ",", ""), OddNamesTest::loki));
    return all.stream()
        .flatMap(each ->
            corpus(each.getKey().name).stream()
                .map(odd -> Arguments.of(each.getKey(), odd, each.getValue())));
  }

  private static List<String> corpus(String name) {
    try (InputStream in = Objects.requireNonNull(OddNamesTest.class.getResourceAsStream(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @ParameterizedTest
  @MethodSource("corpora")
  void anOddEventAndItsNeighboursAreKept(Corpus corpus, String odd, Decoding.Decoder decoder) {
    String action = corpus.end.equals("bulk") ? "{\"create\":{\"_index\":\"t\"}}\n" : "";
    String body =
        Stream.of(corpus.front, MalformedTest.expand(odd), corpus.front)
            .map(action::concat)
            .collect(Collectors.joining(corpus.separator));
    Decoding.Result result = Decoding.of(body.getBytes(StandardCharsets.ISO_8859_1), decoder);
    assertEquals(0, result.refused().count(), () -> result.refused().lastReason());
    assertEquals(3, result.stored().size());
    assertEquals(result.stored().getFirst().attributes(), result.stored().getLast().attributes());
  }
}
