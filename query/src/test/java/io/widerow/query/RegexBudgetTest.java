package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Goal: no expression compiles to many more steps than were estimated. Method: random expressions,
/// with RE2/J's own size of their programs.
class RegexBudgetTest {
  private final Random random = new Random(4);

  private String atom(int depth) {
    return switch (random.nextInt(depth == 0 ? 6 : 10)) {
      case 0 -> "a";
      case 1 -> ".";
      case 2 -> "[^]a-z[:alpha:]\\]]";
      case 3 -> "\\pL";
      case 4 -> "\\x{1f600}";
      case 5 -> "\\{";
      case 6 -> "(" + sequence(depth - 1) + ")";
      case 7 -> "(?P<n" + random.nextInt(1_000_000) + ">" + sequence(depth - 1) + ")";
      case 8 -> "(?i:" + sequence(depth - 1) + ")";
      default -> "(?:" + sequence(depth - 1) + "|" + sequence(depth - 1) + ")";
    };
  }

  private String sequence(int depth) {
    StringBuilder all = new StringBuilder();
    int parts = 1 + random.nextInt(3);
    for (int i = 0; i < parts; i++) {
      all.append(atom(depth));
      int times = random.nextInt(5);
      all.append(
          switch (random.nextInt(7)) {
            case 0 -> "*";
            case 1 -> "+?";
            case 2 -> "{" + times + "}";
            case 3 -> "{" + times + ",}";
            case 4 -> "{" + times + "," + (times + random.nextInt(9)) + "}";
            case 5 -> "{,2}"; // plain text
            default -> "";
          });
    }
    return all.toString();
  }

  @Test
  void noProgramIsMuchLongerThanEstimated() {
    for (int i = 0; i < 20_000; i++) {
      String regex = sequence(3);
      long steps = RegexBudget.steps(regex);
      int size = Pattern.compile(regex).programSize();
      assertTrue(size <= 3 * steps + 10, () -> regex + " has " + size + ", estimated " + steps);
    }
  }

  @Test
  void expressionsCountTogether() {
    RegexBudget regexes = new RegexBudget();
    assertNull(regexes.exceeded("a{1000}.{1000}"));
    assertNull(regexes.exceeded("(?:x{50}){40}"));
    assertEquals(
        "regular expressions of more than 5000 steps, with repetitions written out",
        regexes.exceeded("y{1000}"));
    assertEquals(
        "regular expressions of more than 3000 characters",
        new RegexBudget().exceeded("a".repeat(3_001)));
  }

  @Test
  void repetitionsOfRepetitionsAreRefused() {
    for (String regex :
        new String[] {
          "(a{1000}){1000}",
          "((a{100}){100}){100}",
          "x{1000}{1000}",
          "((((a{1,9}){1,9}){1,9}){1,9}){1,9}",
          "(((((((((.{2}){4}){8}){16}){32}){64}){128}){256}){512}){999}"
        }) {
      assertNotNull(new RegexBudget().exceeded(regex), regex);
    }
  }

  @Test
  void whatIsNoExpressionHasAnyNumber() {
    for (String regex :
        new String[] {"", ")", "(((", "[", "[^", "\\", "\\p{", "{", "a{", "a{1", "{9}"}) {
      assertTrue(RegexBudget.steps(regex) <= 99, regex);
    }
  }
}
