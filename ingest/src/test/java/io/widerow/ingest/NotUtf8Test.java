package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.json.JsonNames;
import io.widerow.ingest.receive.json.TextLinesDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: bytes that are not UTF-8 cost no event, and nothing of them is lost unheard. Method: lines
/// with such bytes through the decoders; bodies in several charsets through a daemon. In the lines
/// `\\xNN` stands for a byte.
@Timeout(300)
class NotUtf8Test {
  private static final DaemonConfig CONFIG =
      DaemonConfig.of(Map.of("data", "unused", "http", "127.0.0.1:0", "lanes", "1"));

  private static Decoding.Result decode(String line, Decoding.Decoder decoder) {
    return Decoding.of(MalformedTest.expand(line).getBytes(StandardCharsets.ISO_8859_1), decoder);
  }

  private static void text(byte[] body, int limit, IncomingBatch batch) {
    new TextLinesDecoder("t", new TimePattern.Arrival(), new TextLinesDecoder.Start.EveryLine())
        .decode(body, 0, limit, batch);
  }

  private static void json(byte[] body, int limit, IncomingBatch batch) {
    new JsonLinesDecoder("t", JsonNames.KNOWN, true).decode(body, 0, limit, batch);
  }

  private static void syslog(byte[] body, int limit, IncomingBatch batch) {
    new SyslogDecoder(ZoneOffset.UTC).decode(body, 0, limit, batch);
  }

  private static List<String> attributes(Decoding.Result result) {
    assertEquals(0, result.refused().count());
    return result.stored().stream().map(event -> event.attributes().toString()).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "caf\\xe9 au lait|{body=caf\\xE9 au lait, widerow.escaped=1}",
        "\\xff\\x80|{body=\\xFF\\x80, widerow.escaped=2}",
        "a\\xe2\\x82|{body=a\\xE2\\x82, widerow.escaped=2}",
        "\\xed\\xa0\\x80|{body=\\xED\\xA0\\x80, widerow.escaped=3}",
        "\\xc3\\xa9\\xe9|{body=\u00e9\\xE9, widerow.escaped=1}",
        "plain|{body=plain}"
      })
  void lineOfText(String line, String expected) {
    Decoding.Result result = decode("good\n" + line + "\ngood\n", NotUtf8Test::text);
    assertEquals(List.of("{body=good}", expected, "{body=good}"), attributes(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"msg\":\"caf\\xe9\",\"n\":1}`|{body=caf\\xE9, n=1, widerow.escaped=1}",
        "`{\"\\xe9\":{\"b\":\"\\xff\"}}`|{\\xE9.b=\\xFF, widerow.escaped=2}",
        "`{\"a\":\"\\xff\\u00e9\\ud800\"}`|{a=\\xFF\u00e9\\ud800, widerow.escaped=2}",
        "`{\"a\":\"\\xff\",\"widerow.escaped\":\"x\"}`"
            + "|{a=\\xFF, widerow.escaped=x, widerow.escaped.2=1}"
      })
  void lineOfJson(String line, String expected) {
    Decoding.Result lines = decode("{\"a\":1}\n" + line + "\n{\"a\":1}\n", NotUtf8Test::json);
    assertEquals(List.of("{a=1}", expected, "{a=1}"), attributes(lines));
    Decoding.Result array = decode("[{\"a\":1},\n" + line + ",{\"a\":1}]", NotUtf8Test::json);
    assertEquals(List.of("{a=1}", expected, "{a=1}"), attributes(array));
  }

  @Test
  void aTypeOfOtherBytesIsEscaped() {
    assertEquals(
        "caf\\xE9",
        decode("{\"type\":\"caf\\xe9\"}", NotUtf8Test::json).stored().getFirst().type());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`<13>Oct 11 22:14:15 h\\xe9 a[1]: caf\\xe9`"
            + "|{app=a, body=caf\\xE9, facility=1, host=h\\xE9, pid=1, severity=5,"
            + " widerow.escaped=2}",
        "`<34>1 - \\xff a p m [e@1 k=\"\\xfe\"] x`"
            + "|{app=a, body=x, e@1.k=\\xFE, facility=4, host=\\xFF, msgid=m, pid=p, severity=2,"
            + " widerow.escaped=2}",
        "`<34>1 - h a p m [e@1 \\xfe=\"k\"] x`"
            + "|{app=a, body=x, e@1.\\xFE=k, facility=4, host=h, msgid=m, pid=p, severity=2,"
            + " widerow.escaped=1}",
        "`\\xff\\xfe\\xfd`|{body=\\xFF\\xFE\\xFD, widerow.escaped=3}",
        "`<13>\\xff`|{body=\\xFF, facility=1, severity=5, widerow.escaped=1}"
      })
  void messageOfSyslog(String message, String expected) {
    assertEquals(List.of(expected), attributes(decode(message, NotUtf8Test::syslog)));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void whatIsEscapedCanBeUndone(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      byte[] line = new byte[random.nextInt(1, 40)];
      for (int i = 0; i < line.length; i++) {
        line[i] = (byte) (random.nextInt(3) == 0 ? 'a' : random.nextInt(0x80, 0x100));
      }
      MemoryStore.Stored stored = Decoding.of(line, NotUtf8Test::text).stored().getFirst();
      String body =
          new String(stored.body().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      assertEquals(new String(line, StandardCharsets.ISO_8859_1), MalformedTest.expand(body));
    }
  }

  private static String stored(Http http, MemoryStore store, String type, byte[] body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post("/v1/events?type=t", type, body);
    assertEquals(200, answer.statusCode(), answer.body());
    return store.committed.getLast().attributes().toString();
  }

  @Test
  void theCharsetOfTheSenderIsHonoured() throws IOException, InterruptedException {
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(CONFIG, store);
        Http http = new Http(daemon)) {
      String text = "prix: 5 \u20ac, na\u00efve";
      String json = "{\"msg\":\"" + text + "\"}\n";
      for (String name :
          List.of("windows-1252", "UTF-16", "utf-16le", "\"ISO-8859-15\"", "utf-8")) {
        Charset charset = Charset.forName(name.replace("\"", ""));
        String suffix = "; charset=" + name;
        assertEquals(
            "{body=" + text + "}",
            stored(http, store, "text/plain" + suffix, text.getBytes(charset)));
        assertEquals(
            "{body=" + text + "}",
            stored(http, store, "application/x-ndjson" + suffix, json.getBytes(charset)));
      }
      for (Charset charset :
          List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
        byte[] marked = ("\ufeff" + text).getBytes(charset); // a byte order mark, and no charset
        assertEquals("{body=" + text + "}", stored(http, store, "text/plain", marked));
        byte[] line = ("\ufeff" + json).getBytes(charset);
        assertEquals("{body=" + text + "}", stored(http, store, "application/x-ndjson", line));
        byte[] array = ("\ufeff[" + json.strip() + "]").getBytes(charset);
        assertEquals("{body=" + text + "}", stored(http, store, "application/json", array));
      }
      byte[] latin = "na\u00efve".getBytes(StandardCharsets.ISO_8859_1);
      assertEquals(
          "{body=na\u00efve}", stored(http, store, "text/plain; charset=iso-8859-1", latin));
      String escaped = "{body=na\\xEFve, widerow.escaped=1}";
      assertEquals(escaped, stored(http, store, "text/plain", latin));
      assertEquals(escaped, stored(http, store, "text/plain; charset=us-ascii", latin));
      byte[] wrong = {'a', (byte) 0x81, (byte) 0x20, 'b'};
      assertEquals( // no character of this charset
          "{body=a\\x81 b, widerow.escaped=1}",
          stored(http, store, "text/plain; charset=shift_jis", wrong));
      int before = store.committed.size();
      for (String name : List.of("klingon", "a b", "\"\"")) {
        HttpResponse<String> refused =
            http.post("/v1/events?type=t", "text/plain; charset=" + name, latin);
        assertEquals(415, refused.statusCode(), name + ": " + refused.body());
      }
      assertEquals(before, store.committed.size());
      String large = "\u20ac".repeat(30_000) + "\n";
      byte[] euros = large.repeat(3).getBytes(Charset.forName("windows-1252"));
      assertTrue(
          stored(http, store, "text/plain; charset=windows-1252", euros)
              .equals("{body=" + large.strip() + "}"));
    }
  }
}
