package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.faults.Slice;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: no text that a client sends occupies a processor: each format takes time that is linear in
/// the text. Method: beginnings of lines of each format, then a part of one again and again; where
/// a large text takes long, one of a quarter of it is read, too, and the ratio of the processor
/// times of the thread is compared with that of their lengths.
@Timeout(600)
class LargeTextTest {
  private static final int BYTES = 1 << 17;
  private static final int PART = 4;
  private static final double RATIO_MOST = 2.5 * PART; // of quadratic time PART * PART
  private static final long NANOS_LONG = 50_000_000;

  /// Of the texts, every so many are read in a run.
  private static final int STRIDE = Slice.of("text.stride", 14, 1);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final List<String> BEGINNINGS =
      List.of(
          "",
          "1.2.3.4 - - [x] \"GET /a HTTP/1.1\" 200 5 \"r\" \"",
          "1.2.3.4 - ",
          "2026/11/30 02:10:42 [error] 12#13: *14 open() ",
          "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 1 - - ",
          "2026-11-30 02:10:42.123 UTC,\"ann\",",
          "<165>1 2003-10-11T22:14:15.003Z web1 app 8710 ID47 [ex@1 k=\"v\"",
          "Oct 11 22:14:15 web1 su",
          "2015-10-18 18:01:47,978 INFO [main] a.B",
          "[2016-12-19 16:31:47,999] TRACE a",
          "(Tue Mar 31 06:03:46 2015) [sssd[be[x",
          "08:09:33.815943 access(",
          "{\"a\":[",
          "{\"a\":\"");

  private static final List<String> PARTS =
      List.of(
          "a",
          " ",
          "\"",
          "\\",
          "[",
          "]",
          "] \"",
          " [",
          ", client: ",
          ": ",
          "9",
          "0/",
          ":1",
          "<",
          "=",
          "a=\"b\" ",
          "a.b ",
          "{",
          "}",
          "[a b=\"c\"]",
          "\"\",",
          "\u00e9",
          "\n",
          "{\"a\":",
          "[[",
          "(",
          ")");

  private static Stream<TextFormat> formats() {
    return Stream.of(
            "json",
            "logfmt",
            "clf",
            "nginx",
            "haproxy",
            "postgres csv",
            "syslog",
            "pattern `<a> - <_> [<b>]`",
            "regexp /(?P<a>\\d+).(?P<b>.*) x$/",
            "grok `%{COMBINEDAPACHELOG}`",
            "grok `%{SYSLOGLINE}`",
            "sight")
        .map(Parsed::format);
  }

  /// A text, and the same with fewer repetitions.
  private record Growing(String beginning, IntFunction<String> part, String end) {
    byte[] utf8(int bytes) {
      StringBuilder text = new StringBuilder(beginning);
      for (int i = 0; text.length() < bytes; i++) {
        text.append(part.apply(i));
      }
      return text.append(end).toString().getBytes(StandardCharsets.UTF_8);
    }
  }

  private static List<Growing> texts() {
    List<Growing> texts = new ArrayList<>();
    for (String beginning : BEGINNINGS) {
      for (String part : PARTS) {
        texts.add(new Growing(beginning, _ -> part, ""));
      }
    }
    return texts;
  }

  private static long nanos(TextFormat format, byte[] utf8, AttributeKind kind) {
    long began = THREADS.getCurrentThreadCpuTime();
    var _ = Parsed.fields(format, utf8, kind);
    return THREADS.getCurrentThreadCpuTime() - began;
  }

  private static void check(TextFormat format, Growing text, AttributeKind kind) {
    byte[] large = text.utf8(BYTES);
    if (nanos(format, large, kind) > NANOS_LONG) {
      long before = nanos(format, text.utf8(BYTES / PART), kind);
      long nanos = nanos(format, large, kind); // what ran for the first time is compiled now
      assertTrue(
          nanos <= RATIO_MOST * before,
          () ->
              "%s took %d and %d us for %s"
                  .formatted(
                      format,
                      before / 1_000,
                      nanos / 1_000,
                      new String(large, 0, 90, StandardCharsets.UTF_8)));
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void takesLinearTime(TextFormat format) {
    List<Growing> texts = texts();
    int first = Math.floorMod(format.toString().hashCode(), STRIDE);
    for (int i = first; i < texts.size(); i += STRIDE) {
      check(format, texts.get(i), i % 2 == 0 ? AttributeKind.STRING : AttributeKind.BYTES);
    }
  }

  /// Members, pairs and parameters with names of their own: more than a text may have fields.
  @Test
  void ofManyFieldsToo() {
    TextFormat json = Parsed.format("json");
    check(json, new Growing("{", i -> "\"k" + i + "\":[],", "\"z\":[]}"), AttributeKind.STRING);
    check(
        json,
        new Growing("{", i -> "\"k" + i % 200 + "\":[1,\"\u00e9\"],", "\"z\":1}"),
        AttributeKind.STRING);
    check(
        json,
        new Growing("{", i -> "\"k" + i + "\":{\"a\":[" + i + "]},", "\"z\":1}"),
        AttributeKind.STRING);
    check(json, new Growing("{\"a\":[", i -> i + ",", "0]}"), AttributeKind.STRING);
    check(
        Parsed.format("logfmt"),
        new Growing("", i -> "k" + i + "=\"\\n\" ", ""),
        AttributeKind.STRING);
    check(
        Parsed.format("syslog"),
        new Growing("<165>1 - - - - - ", i -> "[x k" + i + "=\"\\\"\"]", ""),
        AttributeKind.STRING);
  }
}
