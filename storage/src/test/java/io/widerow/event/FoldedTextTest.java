package io.widerow.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a text is found in any case exactly where `String.equalsIgnoreCase` finds it. Method:
/// random texts of few characters, among them those of other alphabets that are equal to ASCII,
/// with needles cut out of them and changed, at every alignment.
class FoldedTextTest {
  private static final int ROUNDS = 60_000;
  private static final String[] CHARACTERS = {
    "a",
    "A",
    "b",
    "B",
    "k",
    "K",
    "\u212a",
    "s",
    "S",
    "\u017f",
    "i",
    "I",
    "\u0130",
    "\u0131",
    "1",
    "[",
    "{",
    "@",
    "`",
    "\u00e9",
    "\u00c9",
    "\u03c3",
    "\u03c2",
    "\u03a3",
    "\u20ac",
    "\ud83d\ude00",
    " "
  };

  private static String text(SplittableRandom random, int most, int kinds) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(most); left >= 0; left--) {
      text.append(CHARACTERS[random.nextInt(kinds)]);
    }
    return text.toString();
  }

  private static boolean plainly(String text, String needle) {
    int[] in = text.codePoints().toArray();
    int[] wanted = needle.codePoints().toArray();
    for (int at = 0; at + wanted.length <= in.length; at++) {
      String part = new String(in, at, wanted.length);
      if (part.equalsIgnoreCase(needle)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isIn(String text, String needle, int before) {
    byte[] bytes = (CHARACTERS[0].repeat(before) + text + needle).getBytes(UTF_8);
    int length = text.getBytes(UTF_8).length;
    return FoldedText.of(needle).isIn(MemorySegment.ofArray(bytes), before, length);
  }

  @Test
  void findsWhatEqualsIgnoringCase() {
    var random = new SplittableRandom(20_261_126);
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int kinds = 2 + random.nextInt(CHARACTERS.length - 1);
      String text = text(random, 60, kinds);
      String needle = text(random, 1 + random.nextInt(12), kinds);
      if (random.nextInt(3) == 0) {
        int[] points = text.codePoints().toArray();
        int from = random.nextInt(points.length);
        needle = new String(points, from, 1 + random.nextInt(points.length - from));
        needle = random.nextBoolean() ? needle.toUpperCase(java.util.Locale.ROOT) : needle;
      }
      boolean wanted = plainly(text, needle);
      found += wanted ? 1 : 0;
      assertEquals(wanted, isIn(text, needle, round % 9), text + " / " + needle);
    }
    assertTrue(found > ROUNDS / 10 && found < ROUNDS * 9 / 10, found + " found");
  }

  @Test
  void manyPlacesThatOnlyBeginRight() {
    String text = "a".repeat(100_000);
    String needle = "A".repeat(2_000) + "1" + "A".repeat(2_000);
    assertEquals(false, isIn(text, needle, 3));
    assertEquals(true, isIn(text + needle + text, needle, 3));
    assertEquals(true, isIn("\u00e9" + text + "i" + needle, "AI" + needle, 1));
  }
}
