package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a text is found where String finds it, and texts order as their bytes do. Method: short
/// words of two letters, so that beginnings of the needle are frequent, inside larger memory.
class TextTest {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void findsAndOrdersAsStringsDo(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      String around = word(random, 3);
      String hay = word(random, random.nextBoolean() ? 12 : 40);
      String needle = word(random, random.nextInt(8) == 0 ? 14 : 4);
      byte[] bytes = (around + hay + needle).getBytes(StandardCharsets.UTF_8);
      var memory = MemorySegment.ofArray(bytes);
      int offset = around.length();
      Text text = Text.of(needle);
      int index = hay.indexOf(needle);

      assertEquals(index >= 0, text.isIn(memory, offset, hay.length()), hay + " " + needle);
      assertEquals(
          index < 0 ? -1 : offset + index,
          text.indexIn(memory, offset, hay.length()),
          hay + " " + needle);
      assertEquals(
          Integer.signum(hay.compareTo(needle)),
          Integer.signum(text.compareTo(memory, offset, hay.length())));
    }
  }

  @Test
  void comparesBytesUnsigned() {
    byte[] higher = "é".getBytes(StandardCharsets.UTF_8);

    assertTrue(Text.of("z").compareTo(MemorySegment.ofArray(higher), 0, higher.length) > 0);
    assertTrue(Arrays.compareUnsigned(higher, new byte[] {'z'}) > 0);
  }

  private static String word(SplittableRandom random, int lengthMax) {
    var word = new StringBuilder();
    for (int left = random.nextInt(lengthMax + 1); left > 0; left--) {
      word.append(random.nextBoolean() ? 'a' : 'b');
    }
    return word.toString();
  }
}
