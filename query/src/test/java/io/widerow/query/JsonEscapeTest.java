package io.widerow.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what is written eight bytes at a time is what JSON says one character at a time, wherever
/// a text lies, and none that lies behind it shows. Method: random texts of all short lengths out
/// of few characters, in arrays with and without room behind them, beside the plain algorithm.
class JsonEscapeTest {
  private static final String SIGNS = "ab \"\"\\\\\n\t\u0001\u007f\u0080\u009f\u00a0é日😀";
  private static final int LENGTH_MAX = 40;

  private static String expected(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(here -> {
          switch (here) {
            case '"', '\\' -> out.append('\\').appendCodePoint(here);
            case '\n' -> out.append("\\n");
            case '\t' -> out.append("\\t");
            default -> {
              if (Character.isISOControl(here)) {
                out.append("\\u%04x".formatted(here));
              } else {
                out.appendCodePoint(here);
              }
            }
          }
        });
    return out.toString();
  }

  private static String text(Random random) {
    int[] signs = SIGNS.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    int kinds = 1 + random.nextInt(signs.length);
    for (int left = random.nextInt(LENGTH_MAX); left > 0; left--) {
      text.appendCodePoint(signs[random.nextInt(kinds)]);
    }
    return text.toString();
  }

  /// A value in the middle of an array, and of a part of it, with so many quotes behind it.
  private static AttributeValue value(String text, int before, int behind) {
    byte[] bytes = text.getBytes(UTF_8);
    byte[] around = new byte[before + bytes.length + behind];
    Arrays.fill(around, (byte) '"');
    System.arraycopy(bytes, 0, around, before, bytes.length);
    AttributeValue value = new AttributeValue();
    MemorySegment part = MemorySegment.ofArray(around).asSlice(before / 2);
    value.setText(AttributeKind.STRING, part, before - before / 2, bytes.length);
    return value;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void textsAreWrittenAsJsonSays(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 40_000; i++) {
      String text = text(random);
      ByteSink sink = new ByteSink(1);
      sink.put('<');
      sink.putJson(value(text, random.nextInt(9), random.nextInt(12)));
      sink.put('>');
      assertEquals("<" + expected(text) + ">", sink.toString());
      sink.clear();
      sink.putJson(text);
      assertEquals(expected(text), sink.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void valuesOfCsvAreWhereTheyAre(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 40_000; i++) {
      String text = text(random);
      ByteSink expected = new ByteSink(1);
      CsvWriter.text(text, expected);
      ByteSink sink = new ByteSink(1);
      sink.putCsv(value(text, random.nextInt(9), random.nextInt(12)));
      assertEquals(expected.toString(), sink.toString());
    }
  }
}
