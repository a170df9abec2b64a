package io.widerow.ingest.receive.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.Swar;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a line becomes the same event, or is refused for the same reason, whether its shape is
/// known or not; lines of a known shape are read by it; and hostile lines cost little more. Method:
/// random bodies of good, odd and damaged lines, decoded with shapes that last and without any, and
/// compared byte for byte. The seed is the test's name.
class JsonShapesTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final int EVENT_BYTES_MAX = 2_000;

  /// What a body became; the records in hexadecimal.
  private record Decoded(
      String records,
      int stored,
      long ownIds,
      int decoded,
      List<String> refused,
      boolean ownTimes) {}

  /// Decodes the first `length` bytes of a body.
  private interface Reader {
    void read(byte[] body, int length, IncomingBatch batch);
  }

  private static Decoded decode(byte[] body, int bytesMax, Reader reader) {
    byte[] slack = Arrays.copyOf(body, body.length + Swar.SLACK_BYTES);
    Arrays.fill(slack, body.length, slack.length, (byte) '"'); // must not be read as content
    try (EventBatch events = new EventBatch(1 << 10, bytesMax, EVENT_BYTES_MAX)) {
      IncomingBatch batch = new IncomingBatch(events, Decoding.ARRIVAL_NANOS);
      reader.read(slack, body.length, batch);
      List<String> refused = new ArrayList<>();
      for (int i = 0; i < batch.refused.listed(); i++) {
        refused.add(batch.refused.index(i) + " " + batch.refused.reason(i));
      }
      refused.add("of " + batch.refused.count());
      byte[] records = events.memory().asSlice(0, events.bytes()).toArray(ValueLayout.JAVA_BYTE);
      String shown = HexFormat.of().formatHex(records);
      int decoded = batch.decoded();
      boolean ownTimes = batch.ownTimes();
      return new Decoded(shown, events.count(), events.ownIds(), decoded, refused, ownTimes);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void linesBecomeTheSameWithShapesAndWithout(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    JsonNames names =
        switch (random.nextInt(4)) {
          case 0 -> JsonNames.of("kind", "when", "what", "", "");
          case 1 -> JsonNames.of("", "o.a", "o.b", "id", "");
          default -> JsonNames.KNOWN;
        };
    String type = random.nextInt(4) == 0 ? "" : "t";
    boolean documents = random.nextInt(4) == 0;
    boolean exact = random.nextInt(8) == 0;
    JsonShapes lasting = new JsonShapes(names);
    JsonSender sender = new JsonSender(random);
    for (int i = 0; i < 10; i++) {
      byte[] body = sender.body(1 + random.nextInt(60));
      int bytesMax = random.nextInt(8) == 0 ? 4_000 : 1 << 20;
      JsonLinesDecoder with = new JsonLinesDecoder(type, names, documents, exact);
      JsonLinesDecoder without = new JsonLinesDecoder(type, names, documents, exact);

      Decoded known =
          decode(body, bytesMax, (bytes, n, batch) -> with.decode(bytes, 0, n, batch, lasting));

      Decoded alone =
          decode(body, bytesMax, (bytes, n, batch) -> without.decode(bytes, 0, n, batch, null));
      assertEquals(alone, known, () -> new String(body, StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"2026\"", "2026", "\"1700000000\"", "\" 0 \"", "\"0\"", "0"})
  void aTimeIsTheSameInALineOfAKnownShape(String time) {
    String learned = "{\"ts\":\"2026-11-20T19:15:00Z\",\"x\":1}\n".repeat(3);
    String line = "{\"ts\":%s,\"x\":1}\n".formatted(time);
    byte[] body = (learned + line).getBytes(StandardCharsets.UTF_8);
    JsonShapes shapes = new JsonShapes(JsonNames.KNOWN);
    Decoded known =
        decode(
            body,
            1 << 20,
            (bytes, n, batch) -> new JsonLinesDecoder("t").decode(bytes, 0, n, batch, shapes));
    Decoded alone =
        decode(
            body,
            1 << 20,
            (bytes, n, batch) -> new JsonLinesDecoder("t").decode(bytes, 0, n, batch, null));
    assertEquals(alone, known);
  }

  /// The shapes of some lines, and the next one in turn.
  private static final class Known {
    final JsonShapes shapes = new JsonShapes(JsonNames.KNOWN);
    final JsonLinesDecoder decoder = new JsonLinesDecoder("t");

    void decode(String lines) {
      byte[] body = lines.getBytes(StandardCharsets.UTF_8);
      Decoded _ =
          JsonShapesTest.decode(
              body, 1 << 20, (bytes, n, batch) -> decoder.decode(bytes, 0, n, batch, shapes));
    }

    /// Whether a line is read by its shape.
    boolean reads(String line) {
      byte[] body = (line + "\n".repeat(Swar.SLACK_BYTES)).getBytes(StandardCharsets.UTF_8);
      try (EventBatch events = new EventBatch(1 << 10, 1 << 20)) {
        IncomingBatch batch = new IncomingBatch(events, Decoding.ARRIVAL_NANOS);
        JsonScanner json = new JsonScanner(body, 0, body.length - Swar.SLACK_BYTES, true);
        boolean read = shapes.write(json, TYPE, new AttributeTape(true), batch);
        assertEquals(read ? 1 : 0, events.count());
        assertEquals(read ? json.limit : 0, json.at);
        return read;
      }
    }
  }

  @ParameterizedTest(name = "after {0}: {1}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      value = {
        "{'ts':1,'a':2} | {'ts':34,'a':'b'} | true",
        "{'ts':1,'a':2} | {'ts':34,'a':null} | true",
        "{'ts':1,'a':2} | {'ts':34,'a':[1,{'x':[]}]} | true",
        "{'ts':1,'a':2} | {'ts':34,'a':18446744073709551616} | true",
        "{'ts':1,'a':2} | {'ts':'2026-11-20T19:15:00Z','a':-0.5e3} | true",
        "{'ts':1,'a':2} | {'ts':34, 'a':2} | false",
        "{'ts':1,'a':2} | {'ts':34,'a':{}} | false",
        "{'ts':1,'a':2} | {'ts':34,'a':2}} | false",
        "{'ts':1,'a':2} | {'ts':34,'a':2 | false",
        "{'ts':1,'a':2} | {'ts':34,'a':'\\ud800'} | false",
        "{'ts':1,'a':2} | {'ts':'soon','a':2} | false",
        "{'ts':1,'a':2} | {'ts':null,'a':2} | false",
        "{'ts':1,'a':null} | {'ts':34,'a':null} | true",
        "{'ts':1,'a':null} | {'ts':34,'a':2} | false",
        "{'ts': 1, 'o': {'a': {}, 'b': 2}} | {'ts': 3, 'o': {'a': {}, 'b': true}} | true",
        "{'type':'u','msg':'x'} | {'type':'v','msg':'\\n\\u00e9\\ud83d\\ude00'} | true",
        "{'type':'u','msg':'x'} | {'type':'v','msg':3} | false",
        "{'type':'u','msg':'x'} | {'type':3,'msg':'x'} | false",
        "{'type':'u','msg':'x'} | {'type':'','msg':'x'} | false",
        "{'log':'x\\n','a':1} | {'log':'y','a':1} | true",
        "{'time':1700000000,'a':1} | {'time':1700000001,'a':1} | true",
        "{'time':1700000000,'a':1} | {'time':17,'a':1} | false",
        "{'time':17,'a':1} | {'time':17,'a':1} | false",
        "{'a':1,'a':1} | {'a':1,'a':1} | false",
        "{'a':1,'_key':'k','ts':1} | {'a':1,'_key':'k','ts':1} | false",
        "{'Records':1} | {'Records':[{'a':1}]} | false",
        "{'a':'\\ud800','b':1} | {'a':'x','b':1} | false"
      })
  void aLineOfAKnownShapeIsReadByIt(String first, String second, boolean read) {
    Known known = new Known();
    known.decode(first.replace('\'', '"'));
    assertEquals(read, known.reads(second.replace('\'', '"')));
  }

  @Test
  void shapesInTurnAreAllKnown() {
    Known known = new Known();
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < JsonShapes.SHAPES_MAX; i++) {
      String first = "\"" + "x".repeat(1 + i / 2) + "\":" + i;
      lines.add("{\"ts\":1,\"type\":\"u\"," + first + ",\"b" + i + "\":1}");
    }
    known.decode(String.join("\n", lines));
    for (int i = 0; i < 3; i++) {
      lines.forEach(line -> assertTrue(known.reads(line), line));
    }
  }

  @Test
  void aShapeWithMoreMembersTakesThePlaceOfOneWithNulls() {
    Known known = new Known();
    known.decode("{\"a\":1,\"b\":null}\n{\"a\":null,\"b\":2}\n{\"a\":1,\"b\":2}");
    assertTrue(known.reads("{\"a\":3,\"b\":null}"));
    assertTrue(known.reads("{\"a\":null,\"b\":4}"));
    assertTrue(known.reads("{\"a\":3,\"b\":4}"));
  }

  /// Lines that differ from known shapes at their ends, so that each line is read twice.
  @Test
  void hostileLinesAreSeldomReadTwice() {
    Known known = new Known();
    String text = "x".repeat(300);
    int noted = 0;
    int lines = 20 * JsonShapes.PAUSE_LINES;
    for (int i = 0; i < lines; i++) {
      noted += known.shapes.begin() != null ? 1 : 0;
      known.decode("{\"ts\":1,\"body\":\"" + text + "\",\"n" + i + "\":1}");
    }
    assertTrue(noted < lines / 8, noted + " of " + lines);

    for (int i = 0; i < JsonShapes.PAUSE_LINES; i++) {
      known.decode("{\"ts\":1,\"body\":\"" + text + "\"}");
    }
    known.decode(("{\"ts\":1,\"body\":\"" + text + "\"}\n").repeat(100));
    assertTrue(known.reads("{\"ts\":2,\"body\":\"y\"}"), "known again");
  }

  @Test
  void aPoolGivesTheShapesOfTheSameNamesThatWereUsedLast() {
    JsonShapePool pool = new JsonShapePool(2);
    JsonShapes first = pool.take(JsonNames.KNOWN);
    JsonShapes second = pool.take(JsonNames.of("", "", "", "", ""));
    assertNotSame(first, second);
    pool.give(first);
    pool.give(second);
    assertSame(second, pool.take(JsonNames.of("", "", "", "", "")));

    JsonShapes other = pool.take(JsonNames.of("", "when", "", "", ""));
    assertNotSame(first, other);
    pool.give(other);
    pool.give(second); // one too many: the first is dropped
    assertSame(second, pool.take(JsonNames.KNOWN));
    assertSame(other, pool.take(JsonNames.of("", "when", "", "", "")));
    assertNotSame(first, pool.take(JsonNames.KNOWN));
  }
}
