package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a string that matches an expression always contains the text that it requires. Method:
/// examples, and random expressions of every construct over random strings of few letters.
class RegexTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "^/api/.*/items$ # /items",
        "took \\d+ ms # 'took '",
        "user=\\w+;\\s*id=7 # user=",
        "a\\.b\\.c # a.b.c",
        "colou?r # colo",
        "ab+c # ab",
        "x(yz)w12 # w12",
        "[0-9]+ failed # ' failed'",
        "x{2}yes # yes",
        "größe=\\d # größe=",
      })
  void theLongestTextIsRequired(String regex, String required) {
    assertEquals(Text.of(required), required(regex));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "foo|bar",
        "(?i)error",
        "a.b",
        "(error)",
        "[error]",
        "\\Q(a\\Eerror",
        "\\x41bcd",
        "x*y?",
        "[[:alpha:]]error",
        "(?s)error",
        "\\pNerror",
      })
  void nothingIsRequired(String regex) {
    assertEquals(null, required(regex));
  }

  private static @Nullable Text required(String regex) {
    return RegexText.part(Pattern.compile(regex)).required();
  }

  @Test
  void whatMatchesHasTheRequiredText() {
    var random = new SplittableRandom(Seeds.one());
    int matched = 0;
    for (int i = 0; i < 50_000; i++) {
      StringBuilder regex = new StringBuilder();
      for (int left = random.nextInt(1, 7); left > 0; left--) {
        regex.append(piece(random, 2)).append(repetition(random));
      }
      Pattern compiled;
      try {
        compiled = Pattern.compile(regex.toString());
      } catch (PatternSyntaxException _) {
        continue;
      }
      for (RegexText test : new RegexText[] {RegexText.part(compiled), RegexText.whole(compiled)}) {
        Text required = test.required();
        for (int k = 0; k < 20 && required != null; k++) {
          MemorySegment text = MemorySegment.ofArray(StoreDirectory.utf8(text(random)));
          int length = (int) text.byteSize();
          if (test.keeps(text, 0, length)) {
            matched++;
            assertTrue(
                required.isIn(text, 0, length),
                () -> "%s does not need %s".formatted(regex, required));
          }
        }
      }
    }
    assertTrue(matched > 1_000, matched + " strings matched");
  }

  /// An anchor does not hold next to a character of several bytes, nor after a line feed.
  @Test
  void bytesMatchAsTheTextDoes() {
    List<String> parts =
        List.of("^", "$", "a", "b", "é", ".", "x|", "\\b", "\\A", "\\z", "(?m)", "\n");
    List<String> texts = List.of("a", "b", "é", "\n", "𝄞", " ");
    SplittableRandom random = new SplittableRandom(Seeds.one());
    for (int i = 0; i < 20_000; i++) {
      StringBuilder made = new StringBuilder();
      StringBuilder text = new StringBuilder();
      for (int part = 0; part < 4; part++) {
        made.append(parts.get(random.nextInt(parts.size())));
        text.append(texts.get(random.nextInt(texts.size())));
      }
      Pattern regex = Pattern.compile(made.toString(), random.nextBoolean() ? Pattern.DOTALL : 0);
      MemorySegment utf8 = MemorySegment.ofArray(StoreDirectory.utf8(text.toString()));
      int length = (int) utf8.byteSize();
      String what = made + " in " + text;
      assertEquals(regex.matcher(text).find(), RegexText.part(regex).keeps(utf8, 0, length), what);
      assertEquals(
          regex.matcher(text).matches(), RegexText.whole(regex).keeps(utf8, 0, length), what);
    }
  }

  /// `.*x.*` is searched for as `x`, where it is the same.
  @Test
  void anExpressionBetweenAnyTextsMatchesAsWritten() {
    SplittableRandom random = new SplittableRandom(7);
    int searched = 0;
    for (int i = 0; i < 1_000; i++) {
      StringBuilder made = new StringBuilder(".*");
      for (int left = random.nextInt(4); left >= 0; left--) {
        made.append(piece(random, 2)).append(repetition(random));
      }
      String regex = made.append(random.nextInt(5) == 0 ? "" : ".*").toString();
      Pattern pattern;
      try {
        pattern = Pattern.compile(regex, Pattern.DOTALL);
      } catch (PatternSyntaxException _) {
        continue;
      }
      RegexText test = RegexText.whole(pattern);
      if (test.whole()) {
        continue;
      }
      searched++;
      for (int k = 0; k < 5; k++) {
        String text = text(random) + (random.nextBoolean() ? "\n" + text(random) : "");
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        MemorySegment memory = MemorySegment.ofArray(utf8);
        assertEquals(
            new RegexText(pattern, true).keeps(memory, 0, utf8.length),
            test.keeps(memory, 0, utf8.length),
            () -> regex + " on " + text);
      }
    }
    assertTrue(searched > 100, searched + " searched");
    assertTrue(RegexText.whole(Pattern.compile(".*a|b.*", Pattern.DOTALL)).whole());
    assertTrue(RegexText.whole(Pattern.compile(".*a.*")).whole(), "a dot is no line feed");
    assertEquals(
        Text.of("ab"), RegexText.whole(Pattern.compile(".*ab[cd].*", Pattern.DOTALL)).required());
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(12); left > 0; left--) {
      text.append("abab.{}(1é".charAt(random.nextInt(10)));
    }
    return text.toString();
  }

  private static String piece(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth > 0 ? 14 : 9)) {
      case 0, 1, 2 -> "a";
      case 3, 4 -> "b";
      case 5 -> "ab";
      case 6 -> "é";
      case 7 -> "\\.";
      case 8 -> ".";
      case 9 -> "[ab]";
      case 10 -> "[^](]";
      case 11 -> "(" + piece(random, depth - 1) + piece(random, depth - 1) + ")";
      case 12 -> "(?:" + piece(random, depth - 1) + "|" + piece(random, depth - 1) + ")";
      default -> random.nextBoolean() ? "\\d" : random.nextBoolean() ? "^" : "\\{";
    };
  }

  private static String repetition(SplittableRandom random) {
    return switch (random.nextInt(14)) {
      case 0 -> "*";
      case 1 -> "+";
      case 2 -> "?";
      case 3 -> "{0,2}";
      case 4 -> "+?";
      case 5 -> "{1}";
      case 6 -> random.nextInt(5) == 0 ? "|" : "";
      default -> "";
    };
  }
}
