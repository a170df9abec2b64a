package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: each type, whatever its name, can be selected alone, and a pattern matches what its
/// regular expression does. Method: random patterns and types of few signs, against
/// java.util.regex.
class TypeGlobTest {
  private static final String SIGNS = "ab*?\\.";

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(6);
    for (int i = 0; i < length; i++) {
      text.append(SIGNS.charAt(random.nextInt(SIGNS.length())));
    }
    return text.toString();
  }

  private static Pattern regex(String glob) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char sign = glob.charAt(i);
      boolean isEscape =
          sign == '\\' && i + 1 < glob.length() && "*?".indexOf(glob.charAt(i + 1)) >= 0;
      if (isEscape) {
        regex.append(Pattern.quote(glob.substring(++i, i + 1)));
      } else {
        regex.append(
            switch (sign) {
              case '*' -> ".*";
              case '?' -> ".";
              default -> Pattern.quote(String.valueOf(sign));
            });
      }
    }
    return Pattern.compile(regex.toString());
  }

  @Test
  void aPatternMatchesWhatItsRegularExpressionDoes() {
    SplittableRandom random = new SplittableRandom(Seeds.one());
    int matches = 0;
    for (int i = 0; i < 100_000; i++) {
      String glob = text(random);
      String type = text(random);
      boolean expected = regex(glob).matcher(type).matches();
      assertEquals(expected, TypeGlob.matches(glob, type), () -> glob + " of " + type);
      matches += expected ? 1 : 0;
      String other = text(random);
      if (expected && regex(other).matcher(type).matches()) {
        assertTrue(TypeGlob.overlap(glob, other), () -> glob + " and " + other + " have " + type);
      }
    }
    assertTrue(matches > 1_000, "matches: " + matches);
  }

  @Test
  void eachTypeCanBeSelectedAlone() {
    SplittableRandom random = new SplittableRandom(Seeds.one());
    for (int i = 0; i < 20_000; i++) {
      String type = text(random);
      String other = text(random);
      String glob = TypeGlob.of(type);
      assertTrue(TypeGlob.matches(glob, type), () -> glob + " of " + type);
      assertEquals(type.equals(other), TypeGlob.matches(glob, other), () -> glob + " of " + other);
    }
  }

  @Test
  void theMoreSignsStandForThemselvesTheMoreSpecificIsAPattern() {
    assertEquals(3, TypeGlob.literals("a*b?c"));
    assertEquals(5, TypeGlob.literals("a\\*b\\?c"));
    assertEquals(2, TypeGlob.literals("a\\"));
    assertTrue(TypeGlob.overlap("a\\*", "a?"));
    assertEquals(false, TypeGlob.overlap("a\\*", "ab"));
  }
}
