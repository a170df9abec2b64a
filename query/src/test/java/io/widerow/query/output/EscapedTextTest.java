package io.widerow.query.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: escaping eight bytes at a time gives the same as JSON and CSV, one character at a time,
/// wherever a text is in memory, and shows no bytes after the text. Method: random texts of all
/// short lengths from few characters, in arrays with and without bytes after them; compare with the
/// plain algorithm.
class EscapedTextTest {
  private static final String SIGNS = "ab \"\"\\\\\n\t,=\r\u0001\u007f\u0080\u009f\u00a0é日😀";
  private static final int LENGTH_MAX = 40;

  private static String json(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(here -> {
          switch (here) {
            case '"', '\\' -> out.append('\\').appendCodePoint(here);
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
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

  private static String csv(String text) {
    boolean plain = text.chars().noneMatch(here -> "\",\n\r".indexOf(here) >= 0);
    boolean formula = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0;
    String guarded = formula ? "'" + text : text;
    return plain ? guarded : '"' + guarded.replace("\"", "\"\"") + '"';
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

  /// A value in the middle of an array, or of a slice of one, with the given number of quotes after
  /// it.
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

  /// Puts random texts and compares the sink with the plain algorithm.
  private static void check(
      long seed, UnaryOperator<String> plain, BiConsumer<OutputBuffer, AttributeValue> put) {
    Random random = new Random(seed);
    for (int i = 0; i < 40_000; i++) {
      String text = text(random);
      OutputBuffer sink = new OutputBuffer(1);
      sink.put('<');
      put.accept(sink, value(text, random.nextInt(9), random.nextInt(12)));
      sink.put('>');
      assertEquals("<" + plain.apply(text) + ">", sink.toString());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void valuesAreEscapedAsJson(long seed) {
    check(seed, EscapedTextTest::json, OutputBuffer::putJson);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void stringsAreEscapedAsJson(long seed) {
    check(seed, EscapedTextTest::json, (sink, value) -> sink.putJson(value.toString()));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void valuesAreEscapedAsCsv(long seed) {
    check(seed, EscapedTextTest::csv, (sink, text) -> sink.putCsv(text, true));
  }
}
