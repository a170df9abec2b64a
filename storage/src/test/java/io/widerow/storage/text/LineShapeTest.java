package io.widerow.storage.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a shape has the constant parts of a line, and a hole for each variable. Method: lines of
/// known programs.
class LineShapeTest {
  private final LineShape shape = new LineShape();

  private String of(String line, boolean isCut) {
    byte[] bytes = line.getBytes(UTF_8);
    System.arraycopy(bytes, 0, shape.room(bytes.length), 0, bytes.length);
    shape.make(bytes.length, isCut);
    return new String(shape.bytes(), 0, shape.length(), UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "cache is full | cache is full",
        "GET /a/17 took 12 ms | GET <_> took <_> ms",
        "83.149.9.216 - - [17/May/2015:10:05:03 +0000] \"GET /a\" 200 - "
            + "| <_> <_> <_> [<_>:<_> <_>] \"<_>\" <_> <_>",
        "{\"level\":\"info\",\"n\":7,\"ok\":true} | {\"level\":\"<_>\",\"n\":<_>,\"ok\":true}",
        "ts=2015-05-17 user=ann msg=\"logged in\" | ts=<_> user=<_> msg=\"<_>\"",
        "über 17 Öre | über <_> Öre",
        "an open \"quote 5 | an open \"quote <_>",
      })
  void constantsStay(String line, String expected) {
    assertEquals(expected, of(line, false));
  }

  @Test
  void whatIsCutOffIsAVariable() {
    assertEquals("took <_> ms <_>", of("took 5 ms ", true));
  }

  @Test
  void noByteBehindTheLineCounts() {
    String longer = of("a line that is longer than the next 17", false);
    assertEquals("a line that is longer than the next <_>", longer);
    assertEquals("a line", of("a line", false));
    assertEquals("", of("", false));
  }
}
