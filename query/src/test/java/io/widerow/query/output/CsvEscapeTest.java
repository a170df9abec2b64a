package io.widerow.query.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: escaping eight bytes at a time gives the same as RFC 4180, one character at a time.
/// Method: random texts of all short lengths from few characters, so that each character occurs at
/// each position of a word; compare with the plain algorithm.
class CsvEscapeTest {
  private static final String SIGNS = "a#\"\"!,-+\n\r\t=é日😀";
  private static final int LENGTH_MAX = 40;

  private static String expected(String text, boolean safe) {
    String guarded =
        safe && !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    return text.chars().anyMatch(here -> ",\"\n\r".indexOf(here) >= 0)
        ? '"' + guarded.replace("\"", "\"\"") + '"'
        : guarded;
  }

  private static String written(String text, boolean safe) {
    OutputBuffer sink = new OutputBuffer(1);
    CsvWriter.text("before", safe, sink);
    CsvWriter.text(text, safe, sink);
    CsvWriter.text("behind", safe, sink);
    String all = sink.toString();
    return all.substring("before".length(), all.length() - "behind".length());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void textsAreEscapedAsTheRfcSays(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 40_000; i++) {
      StringBuilder text = new StringBuilder();
      int kinds = 1 + random.nextInt(SIGNS.codePointCount(0, SIGNS.length()));
      int[] signs = SIGNS.codePoints().toArray();
      for (int left = random.nextInt(LENGTH_MAX); left > 0; left--) {
        text.appendCodePoint(signs[random.nextInt(kinds)]);
      }
      assertEquals(expected(text.toString(), true), written(text.toString(), true));
      assertEquals(expected(text.toString(), false), written(text.toString(), false));
    }
  }

  @Test
  void byteAfterAQuoteIsNotMarkedByTheBorrow() {
    assertEquals("\"\"\"#\"\"#\"\"#######\"", written("\"#\"#\"#######", false));
  }
}
