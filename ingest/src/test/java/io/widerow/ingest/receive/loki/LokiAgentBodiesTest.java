package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Seeds;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore.Stored;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

/// Goal: the bodies that agents push are stored exactly: each entry with its labels, its metadata,
/// its line and its nanosecond. Method: random streams, written as each agent writes them, with
/// their headers; a repeat stores nothing.
@Timeout(300)
class LokiAgentBodiesTest {
  private static final long NANOS = 1_700_000_000_000_000_000L;
  private static final int STREAMS = 20;
  private static final int ENTRIES = 30;
  private static final String PUSH = "/loki/api/v1/push";
  private static final List<String> NAMES =
      List.of("job", "filename", "level", "namespace", "pod", "id", "type");

  private static final int[] CHARACTERS = "abcXYZ019 _-./\\\"\n\t=,{}üß💥".codePoints().toArray();

  @AutoClose private final MemoryDaemon it = new MemoryDaemon(1, Map.of());

  /// Who pushes, and how.
  enum Agent {
    /// Labels in order in braces, entries by time, no metadata.
    PROMTAIL("promtail/3.2.1"),
    /// Metadata, parsed labels that only a response has, a hash of the stream, and streams of which
    /// a stage dropped all entries.
    ALLOY("Alloy/v1.9.0"),
    /// JSON with gzip: Fluent Bit, Vector, and libraries.
    JSON("Fluent-Bit");

    private final String name;

    Agent(String name) {
      this.name = name;
    }
  }

  private record Line(long nanos, String text, Map<String, String> metadata) {}

  private record Streamed(Map<String, String> labels, List<Line> lines) {}

  private static String word(SplittableRandom random) {
    StringBuilder word = new StringBuilder();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      word.appendCodePoint(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return word.toString();
  }

  private static List<Streamed> streams(SplittableRandom random, Agent agent) {
    List<Streamed> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      Map<String, String> labels = new TreeMap<>(Map.of("app", "app" + i));
      NAMES.forEach(name -> {
        if (random.nextBoolean()) {
          labels.put(name, "v" + word(random));
        }
      });
      List<Line> lines = new ArrayList<>();
      int count = agent == Agent.ALLOY && i % 5 == 0 ? 0 : random.nextInt(ENTRIES);
      for (int j = 0; j < count; j++) {
        Map<String, String> metadata = new TreeMap<>();
        for (int k = 0; k < random.nextInt(4) && agent != Agent.PROMTAIL; k++) {
          metadata.put("meta" + k, "m" + word(random));
        }
        lines.add(new Line(NANOS + random.nextLong(1L << 40), word(random), metadata));
      }
      if (agent == Agent.PROMTAIL) {
        lines.sort(Comparator.comparingLong(Line::nanos));
      } else {
        Collections.shuffle(lines, new java.util.Random(i));
      }
      streams.add(new Streamed(labels, lines));
    }
    return streams;
  }

  /// As Go quotes it.
  private static String quoted(String text) {
    return "\""
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t")
        + "\"";
  }

  private static byte[] protobuf(List<Streamed> streams, Agent agent) {
    List<byte[]> parts = new ArrayList<>();
    for (Streamed stream : streams) {
      List<String> labels = new ArrayList<>();
      stream.labels.forEach((name, value) -> labels.add(name + "=" + quoted(value)));
      List<byte[]> fields = new ArrayList<>();
      fields.add(message(1, utf8("{" + String.join(", ", labels) + "}")));
      for (Line line : stream.lines) {
        String[] metadata =
            line.metadata.entrySet().stream()
                .flatMap(each -> List.of(each.getKey(), each.getValue()).stream())
                .toArray(String[]::new);
        byte[] entry = entry(line.nanos, line.text, metadata);
        if (agent == Agent.ALLOY) {
          byte[] parsed = message(4, join(message(1, utf8("parsed")), message(2, utf8("p"))));
          byte[] plain = Arrays.copyOfRange(entry, headBytes(entry), entry.length);
          entry = message(2, plain, parsed);
        }
        fields.add(entry);
      }
      if (agent == Agent.ALLOY) {
        fields.add(number(3, stream.hashCode() & 0xffff_ffffL));
      }
      parts.add(message(1, join(fields.toArray(byte[][]::new))));
    }
    return join(parts.toArray(byte[][]::new));
  }

  /// Of the tag and the length of a message.
  private static int headBytes(byte[] message) {
    int at = 1;
    while (message[at] < 0) {
      at++;
    }
    return at + 1;
  }

  private static String json(List<Streamed> streams) {
    List<String> all = new ArrayList<>();
    for (Streamed stream : streams) {
      List<String> values = new ArrayList<>();
      for (Line line : stream.lines) {
        String metadata = line.metadata.isEmpty() ? "" : "," + object(line.metadata);
        values.add("[\"%d\",%s%s]".formatted(line.nanos, quoted(line.text), metadata));
      }
      all.add("{\"stream\":%s,\"values\":%s}".formatted(object(stream.labels), values));
    }
    return "{\"streams\":" + all + "}";
  }

  private static String object(Map<String, String> texts) {
    List<String> members = new ArrayList<>();
    texts.forEach((name, value) -> members.add(quoted(name) + ":" + quoted(value)));
    return "{" + String.join(",", members) + "}";
  }

  private static byte[] zipped(String text) throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(zipped)) {
      out.write(utf8(text));
    }
    return zipped.toByteArray();
  }

  /// What is stored of an entry, without its level.
  private static List<String> expected(List<Streamed> streams) {
    List<String> events = new ArrayList<>();
    for (Streamed stream : streams) {
      for (Line line : stream.lines) {
        Map<String, String> attributes = new TreeMap<>(line.metadata);
        stream.labels.forEach((name, value) ->
            attributes.put(List.of("id", "type").contains(name) ? "label." + name : name, value));
        attributes.put("body", line.text);
        attributes.put("widerow.labels", String.join(",", stream.labels.keySet()));
        events.add(line.nanos + " " + stream.labels.get("app") + " " + attributes);
      }
    }
    return events;
  }

  private List<String> stored() {
    List<String> events = new ArrayList<>();
    for (Stored event : it.store.committed) {
      Map<String, Object> attributes = new TreeMap<>(event.attributes());
      attributes.remove("detected_level");
      events.add(event.timeNanos() + " " + event.type() + " " + attributes);
    }
    return events;
  }

  @ParameterizedTest
  @EnumSource(Agent.class)
  void bodiesAreStoredExactly(Agent agent) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(Seeds.one());
    List<Streamed> streams = streams(random, agent);
    boolean isJson = agent == Agent.JSON;
    byte[] body = isJson ? zipped(json(streams)) : Snappy.compress(protobuf(streams, agent));
    List<String> headers = new ArrayList<>(List.of("user-agent", agent.name));
    if (isJson) {
      headers.addAll(List.of("content-encoding", "gzip"));
    }
    for (int i = 0; i < 2; i++) { // a retry stores nothing
      var answer =
          it.http.post(
              PUSH,
              isJson ? "application/json" : "application/x-protobuf",
              body,
              headers.toArray(String[]::new));
      assertEquals(204, answer.statusCode(), answer.body());
      assertEquals(expected(streams), stored());
    }
  }

  private static String captured(long nanos, String type, String line, String... attributes) {
    Map<String, String> all = new TreeMap<>(Map.of("body", line));
    for (int i = 0; i < attributes.length; i += 2) {
      all.put(attributes[i], attributes[i + 1]);
    }
    return 1_780_000_000_000_000_000L + nanos + " " + type + " " + all;
  }

  /// `promtail.push` and `alloy.push` were recorded from a socket: Loki's own protobuf types, Go's
  /// snappy and the HTTP client of both agents, with labels written as each agent writes them.
  @ParameterizedTest
  @EnumSource(names = {"PROMTAIL", "ALLOY"})
  void capturedBodiesAreStoredExactly(Agent agent) throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    String[] file = {"filename", "/var/log/nginx/access.log", "host", "web-1", "job", "varlogs"};
    for (int i = 0; i < 20; i++) {
      String line = "10.0.0.%d - - \"GET /p/%d?q=ü HTTP/1.1\" 200 %d".formatted(i % 4, i, i * 17);
      expected.add(captured(i * 1_000_001L, "varlogs", line, file));
    }
    String[] journal = {
      "job",
      "systemd-journal",
      "unit",
      "ssh.service",
      "level",
      "error",
      "label.id",
      "7",
      "label.type",
      "unit",
      "pid",
      "812"
    };
    String[] first = Arrays.copyOf(journal, journal.length + 2);
    first[journal.length] = "boot_id";
    first[journal.length + 1] = "b-1";
    String closed = "error: kex_exchange_identification: Connection closed by remote host";
    expected.add(captured(999_999_999, "systemd-journal", closed, first));
    expected.add(captured(999_999_999, "systemd-journal", "same time, next line", journal));
    String[] odd = {"job", "a\"b\\c", "name", "schön 💥\t", "service_name", "odd"};
    expected.add(captured(5, "odd", "", odd));
    expected.add(captured(3, "odd", "before\nand a second line\t\u001b[31mred\u001b[0m", odd));
    String[] traced = Arrays.copyOf(odd, odd.length + 4);
    List<String> metadata = List.of("trace_id", "abc", "k8s_pod", "p\"1\"");
    System.arraycopy(metadata.toArray(), 0, traced, odd.length, metadata.size());
    expected.add(captured(7, "odd", "{\"level\":\"warn\",\"msg\":\"x\"}", traced));
    String name = agent.name().toLowerCase(Locale.ROOT) + ".push";
    byte[] body;
    try (InputStream in = getClass().getResourceAsStream(name)) {
      body = Objects.requireNonNull(in, name).readAllBytes();
    }
    for (int i = 0; i < 2; i++) { // a retry stores nothing
      var answer = it.http.post(PUSH, "application/x-protobuf", body, "user-agent", agent.name);
      assertEquals(204, answer.statusCode(), answer.body());
    }
    List<String> stored = new ArrayList<>(stored());
    stored.replaceAll(event -> event.replaceFirst(", widerow.labels=[^}]*", ""));
    stored.sort(null);
    expected.sort(null);
    assertEquals(expected, stored);
  }
}
