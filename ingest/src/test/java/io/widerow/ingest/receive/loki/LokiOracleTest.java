package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static io.widerow.ingest.receive.loki.LokiMessages.utf8;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.SnappyBlock;
import io.widerow.ingest.decode.Swar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

/// Goal: both forms of a request become the same events. Method: random requests, written field by
/// field and by Jackson, packed by snappy-java, and compared with the events; and JSON with a byte
/// changed: what Jackson cannot read stores nothing.
class LokiOracleTest {
  private static final int ROUNDS = 60;
  private static final JsonMapper PLAIN = JsonMapper.builder().build();
  private static final JsonMapper ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final String[] PIECES = {
    "a", "ü", "💥", "\"", "\\", "\n", "\t", "{", "}", ",", "=", " ", "0", "\u0001", "€", "/"
  };

  static LongStream seeds() {
    return LongStream.range(40, 46);
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }

  /// Names of a level and values, the names distinct from those of other levels.
  private static Map<String, String> fields(String level, SplittableRandom random) {
    Map<String, String> fields = new TreeMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      fields.put(level + random.nextInt(6), text(random));
    }
    return fields;
  }

  private record Entry(long nanos, String line, Map<String, String> metadata) {}

  private record Stream(Map<String, String> labels, List<Entry> entries) {}

  private static List<Stream> request(SplittableRandom random) {
    List<Stream> streams = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      Map<String, String> labels = fields("l", random);
      if (random.nextInt(3) > 0) {
        labels.put("app", "x" + text(random));
      }
      List<Entry> entries = new ArrayList<>();
      for (int j = random.nextInt(8); j >= 0; j--) {
        long nanos = 1 + random.nextLong(4_000_000_000_000_000_000L);
        entries.add(new Entry(nanos, text(random), fields("m", random)));
      }
      streams.add(new Stream(labels, entries));
    }
    return streams;
  }

  private static List<MemoryStore.Stored> expected(List<Stream> request) {
    List<MemoryStore.Stored> events = new ArrayList<>();
    for (Stream stream : request) {
      for (Entry entry : stream.entries) {
        Map<String, Object> attributes = new TreeMap<>(stream.labels);
        attributes.values().removeIf(""::equals); // no labels
        attributes.put("widerow.labels", String.join(",", attributes.keySet()));
        attributes.put("detected_level", "unknown"); // no piece of a text is a level
        attributes.putAll(entry.metadata);
        attributes.put("body", entry.line);
        String type = stream.labels.getOrDefault("app", "unknown_service");
        events.add(new MemoryStore.Stored(type, entry.nanos, null, attributes));
      }
    }
    return events;
  }

  /// The labels as Go quotes them.
  private static String labelText(Map<String, String> labels) {
    StringBuilder text = new StringBuilder("{");
    labels.forEach((name, value) -> {
      text.append(text.length() == 1 ? "" : ", ").append(name).append("=\"");
      for (int point : value.codePoints().toArray()) {
        switch (point) {
          case '"', '\\' -> text.append('\\').appendCodePoint(point);
          case '\n' -> text.append("\\n");
          case '\t' -> text.append("\\t");
          case 1 -> text.append("\\x01");
          case '€' -> text.append("\\u20ac");
          default -> text.appendCodePoint(point);
        }
      }
      text.append('"');
    });
    return text.append('}').toString();
  }

  private static byte[] protobuf(List<Stream> request) {
    List<byte[]> streams = new ArrayList<>();
    for (Stream stream : request) {
      byte[][] entries =
          stream.entries.stream()
              .map(each ->
                  entry(
                      each.nanos,
                      each.line,
                      each.metadata.entrySet().stream()
                          .flatMap(m -> java.util.stream.Stream.of(m.getKey(), m.getValue()))
                          .toArray(String[]::new)))
              .toArray(byte[][]::new);
      streams.add(stream(labelText(stream.labels), entries));
    }
    return join(streams.toArray(byte[][]::new));
  }

  private static ObjectNode json(List<Stream> request, boolean old) {
    ObjectNode root = PLAIN.createObjectNode();
    ArrayNode streams = root.putArray("streams");
    for (Stream stream : request) {
      ObjectNode node = streams.addObject();
      if (old) {
        node.put("labels", labelText(stream.labels));
      } else {
        ObjectNode labels = node.putObject("stream");
        stream.labels.forEach(labels::put);
      }
      ArrayNode values = node.putArray(old ? "entries" : "values");
      for (Entry each : stream.entries) {
        ObjectNode metadata = PLAIN.createObjectNode();
        each.metadata.forEach(metadata::put);
        if (old) {
          values
              .addObject()
              .put("ts", Long.toString(each.nanos))
              .put("line", each.line)
              .set("structuredMetadata", metadata);
        } else {
          values.addArray().add(Long.toString(each.nanos)).add(each.line).add(metadata);
        }
      }
    }
    return root;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void bothFormsBecomeWhatTheRequestSays(long seed) throws IOException {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<Stream> request = request(random);
      List<MemoryStore.Stored> expected = expected(request);
      byte[] message = protobuf(request);
      assertEquals(
          expected, Decoding.of(unpacked(Snappy.compress(message)), LokiFuzz::protobuf).stored());
      assertArrayEquals(message, Snappy.uncompress(LokiMessages.snappy(message)));
      for (boolean old : List.of(false, true)) {
        JsonNode root = json(request, old);
        for (JsonMapper mapper : List.of(PLAIN, ASCII)) {
          byte[] text = utf8(mapper.writeValueAsString(root));
          assertEquals(expected, Decoding.of(text, LokiFuzz::json).stored());
        }
        byte[] wide = utf8(root.toPrettyString());
        assertEquals(expected, Decoding.of(wide, LokiFuzz::json).stored());
      }
    }
  }

  private static byte[] unpacked(byte[] block) {
    try {
      byte[] in = Arrays.copyOf(block, block.length + Swar.SLACK_BYTES);
      byte[] out = new byte[(int) SnappyBlock.length(in, 0, block.length)];
      SnappyBlock.unpack(in, 0, block.length, out, 0, out.length);
      return out;
    } catch (SnappyBlock.Bad bad) {
      throw new AssertionError(bad);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatJacksonCannotReadStoresNothing(long seed) throws IOException {
    var random = new SplittableRandom(seed);
    int read = 0;
    for (int round = 0; round < 20 * ROUNDS; round++) {
      byte[] text = utf8(PLAIN.writeValueAsString(json(request(random), random.nextBoolean())));
      int at = random.nextInt(text.length);
      text[at] = text[random.nextInt(text.length)];
      boolean whole;
      try {
        JsonNode _ = PLAIN.readTree(text);
        whole = true;
      } catch (JsonProcessingException _) {
        whole = false;
      }
      boolean taken = isTaken(text);
      boolean utf8 = Arrays.equals(text, utf8(new String(text, UTF_8)));
      assertTrue(whole || !taken || !utf8, () -> new String(text, UTF_8));
      read += whole ? 1 : 0;
    }
    assertTrue(read > ROUNDS && read < 20 * ROUNDS, read + " can be read");
  }

  private static boolean isTaken(byte[] text) {
    boolean[] taken = {true};
    Decoding.Result _ =
        Decoding.of(
            text,
            (body, limit, batch) -> {
              try {
                new LokiJsonDecoder(null, true).decode(body, limit, batch);
              } catch (JsonScanner.Bad _) {
                taken[0] = false;
              }
            });
    return taken[0];
  }
}
