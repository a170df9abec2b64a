package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.receive.influx.LineProtocolDecoder;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.json.TextLinesDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import io.widerow.ingest.receive.syslog.SyslogFramer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bad line is refused and its neighbours are stored, and no input crashes a decoder.
/// Method: a corpus of bad lines, each between two good ones; and good bodies with random bytes
/// changed. In the corpus `\xNN` stands for a byte and `{n*text}` for a repetition.
public class MalformedTest {
  private static final String GOOD_JSON = "{\"ts\":1,\"type\":\"t\",\"body\":\"good\"}";
  private static final String GOOD_LINE = "t body=\"good\" 1";
  private static final String GOOD_SYSLOG = "<34>1 2003-10-11T22:14:15.003Z h a 1 - - good";
  private static final String GOOD_TEXT = "1970-01-01T00:00:01Z good";

  private static void json(byte[] body, int limit, IncomingBatch batch) {
    new JsonLinesDecoder("").decode(body, 0, limit, batch);
  }

  private static void line(byte[] body, int limit, IncomingBatch batch) {
    new LineProtocolDecoder(1).decode(body, 0, limit, batch, null);
  }

  private static void text(byte[] body, int limit, IncomingBatch batch) {
    new TextLinesDecoder(
            "t",
            TimePattern.of("rfc3339", -1, ZoneOffset.UTC),
            new TextLinesDecoder.Start.EveryLine())
        .decode(body, 0, limit, batch);
  }

  private static void syslog(byte[] body, int limit, IncomingBatch batch) {
    SyslogDecoder decoder = new SyslogDecoder(ZoneOffset.UTC);
    SyslogFramer framer = new SyslogFramer(1 << 20);
    int at = 0;
    while (at >= 0) {
      at = framer.next(body, at, limit);
      if (at >= 0) {
        decoder.decode(body, framer.offset, framer.limit, batch);
      }
    }
  }

  static List<String> badJson() {
    return corpus("malformed.ndjson");
  }

  static List<String> badLines() {
    return corpus("malformed.lp");
  }

  static List<String> badText() {
    return corpus("malformed.txt");
  }

  public static List<String> corpus(String name) {
    try (InputStream in = MalformedTest.class.getResourceAsStream(name)) {
      assertNotNull(in, name);
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertTrue(lines.size() >= 15, name + " has " + lines.size() + " cases");
      return lines;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @ParameterizedTest
  @MethodSource("badJson")
  void badJsonCostsItsLineOnly(String bad) {
    assertRefused(GOOD_JSON, bad, MalformedTest::json);
  }

  @ParameterizedTest
  @MethodSource("badLines")
  void badLineProtocolCostsItsLineOnly(String bad) {
    assertRefused(GOOD_LINE, bad, MalformedTest::line);
  }

  @ParameterizedTest
  @MethodSource("badText")
  void textWithoutATimeIsKept(String bad) {
    String line = expand(bad);
    byte[] body =
        (GOOD_TEXT + "\n" + line + "\n" + GOOD_TEXT + "\n").getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, MalformedTest::text);
    int empty = line.isEmpty() ? 1 : 0;
    assertEquals(3 - empty, result.stored().size() + result.refused().count());
    assertEquals("good", result.stored().getFirst().body().substring(21));
    assertEquals("good", result.stored().getLast().body().substring(21));
    assertTrue(result.refused().count() == 0 || line.length() > 1 << 20 || line.contains("\u00ff"));
  }

  static List<String> badSyslog() {
    return corpus("malformed.syslog");
  }

  /// Syslog cannot answer a sender: a message in neither format is kept whole, with only its
  /// priority parsed, or refused when no event can hold it.
  @ParameterizedTest
  @MethodSource("badSyslog")
  void badSyslogIsKeptWhole(String bad) {
    byte[] good = GOOD_SYSLOG.getBytes(StandardCharsets.US_ASCII);
    byte[] message = expand(bad).getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = new byte[2 * good.length + message.length];
    System.arraycopy(good, 0, all, 0, good.length);
    System.arraycopy(message, 0, all, good.length, message.length);
    System.arraycopy(good, 0, all, good.length + message.length, good.length);
    Decoding.Result result =
        Decoding.of(
            all,
            (body, limit, batch) -> {
              SyslogDecoder decoder = new SyslogDecoder(ZoneOffset.UTC);
              decoder.decode(body, 0, good.length, batch);
              decoder.decode(body, good.length, limit - good.length, batch);
              decoder.decode(body, limit - good.length, limit, batch);
            });
    List<MemoryStore.Stored> stored = result.stored();
    assertEquals(3, stored.size() + result.refused().count());
    assertEquals("good", stored.getFirst().body());
    assertEquals("good", stored.getLast().body());
    if (result.refused().count() == 1) {
      assertEquals(1, result.refused().index(0));
      return;
    }
    MemoryStore.Stored kept = stored.get(1);
    Map<String, Object> others = new TreeMap<>(kept.attributes());
    others.keySet().removeAll(List.of("body", "facility", "severity"));
    assertEquals(Map.of(), others, bad);
    assertEquals(Decoding.ARRIVAL_NANOS, kept.timeNanos(), bad);
    String text = new String(message, StandardCharsets.ISO_8859_1);
    String body = kept.attributes().containsKey("body") ? kept.body() : "";
    assertTrue(text.endsWith(body), body);
    int left = text.length() - body.length();
    assertTrue(left == 0 || text.substring(0, left).matches("<\\d{1,3}>"), body);
  }

  @ParameterizedTest
  @MethodSource("badSyslog")
  void badSyslogLeavesTheStreamInStep(String bad) {
    String text = expand(bad);
    byte[] body =
        (GOOD_SYSLOG + "\n" + text + "\n" + GOOD_SYSLOG + "\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, MalformedTest::syslog);
    assertEquals("good", result.stored().getFirst().body());
    if (text.charAt(0) < '1' || text.charAt(0) > '9') { // otherwise it is a count, and a wrong one
      assertEquals("good", result.stored().getLast().body());
      assertEquals(3, result.stored().size() + result.refused().count());
    }
  }

  private static void assertRefused(String good, String bad, Decoding.Decoder decoder) {
    byte[] body =
        (good + "\n" + expand(bad) + "\n" + good + "\n").getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, decoder);
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
    for (MemoryStore.Stored stored : result.stored()) {
      assertTrue(stored.body().endsWith("good"));
    }
  }

  /// Of three, the second is refused with the position of what is wrong.
  public static void assertTheSecondIsRefused(Decoding.Result result, long timeNanos) {
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    for (MemoryStore.Stored stored : result.stored()) {
      assertEquals(timeNanos, stored.timeNanos());
      assertEquals("good", stored.body());
    }
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
    String reason = result.refused().reason(0);
    assertTrue(reason.matches("(?s).+ at byte \\d+: .+"), reason);
    assertTrue(reason.length() < 255, reason);
  }

  public static String expand(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.startsWith("\\x", i)) {
        out.append((char) Integer.parseInt(text.substring(i + 2, i + 4), 16));
        i += 3;
      } else if (text.startsWith("{", i) && text.substring(i).matches("(?s)\\{\\d+\\*.*")) {
        int star = text.indexOf('*', i);
        int end = text.indexOf("*}", star + 1);
        int times = Integer.parseInt(text.substring(i + 1, star));
        out.append(text.substring(star + 1, end).repeat(times));
        i = end + 1;
      } else {
        out.append(text.charAt(i));
      }
    }
    return out.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void noBytesCrashADecoder(long seed) {
    var random = new SplittableRandom(seed);
    String json =
        (GOOD_JSON + "\n{\"a\":{\"b\":[1,-2.5e3,\"x\\u00e9\\n\"]},\"type\":\"é\"}\n").repeat(3);
    String line = (GOOD_LINE + "\na,b=c\\ d e=1i,f=t,g=\"q\\\"\" 77\n").repeat(3);
    String text = (GOOD_TEXT + "\n2026-01-01 00:00:00.5+01:00 x\n").repeat(3);
    String syslog =
        "<34>1 2003-10-11T22:14:15.003Z h a - - [e@1 k=\"v\\\"\"] x\n15 <3>Oct 11 22:1\n"
            + "<3>Oct 11 22:14:15 host su[230]: text\n".repeat(3);
    for (int round = 0; round < 3_600; round++) {
      Decoding.Result _ = Decoding.of(mutate(json, random), MalformedTest::json);
      Decoding.Result _ = Decoding.of(mutate(line, random), MalformedTest::line);
      Decoding.Result _ = Decoding.of(mutate(text, random), MalformedTest::text);
      Decoding.Result _ = Decoding.of(mutate(syslog, random), MalformedTest::syslog);
    }
  }

  private static byte[] mutate(String good, SplittableRandom random) {
    byte[] bytes = good.getBytes(StandardCharsets.UTF_8);
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          random.nextInt(3) == 0 ? (byte) random.nextInt() : bytes[random.nextInt(bytes.length)];
    }
    return java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length / 2, bytes.length + 1));
  }
}
