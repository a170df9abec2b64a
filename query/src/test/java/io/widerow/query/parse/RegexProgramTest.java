package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a program finds the groups that RE2/J finds, in linear time. Method: random expressions
/// over random texts, all patterns of grok and all formats known by sight over lines of logs, and
/// expressions that make engines slow which go back.
class RegexProgramTest {
  private static final String[] PIECES = {
    "a",
    "b",
    "é",
    "-",
    "1",
    "\\.",
    ".",
    "\\d",
    "\\w",
    "\\S",
    "\\s",
    "\\W",
    "[ab]",
    "[^a]",
    "[a-c1-]",
    "[^\\d\\s]",
    "\\b",
    "\\B",
    "^",
    "$",
    "(a|b)",
    "(?:ab|a|)",
    "(?i:aK)",
    "(?i)s",
    "(?s:.)",
    "\\x61",
    "[]b]",
    "\\A",
    "\\z",
    "\\n",
    "{",
    "a{2}",
    "\\]",
    "[\\w.]"
  };
  private static final String[] SUFFIXES = {
    "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}"
  };
  private static final String[] TEXTS = {
    "a", "b", "ab", "é", "-", "1", ".", " ", "\n", "K", "\u212a", "s", "\u017f", "_", "中", "{", "]",
    "😀"
  };

  /// Over characters: of bytes, RE2/J 1.8 takes the place after a character beyond ASCII for the
  /// beginning of the text.
  private static List<String> byRe2(Pattern regex, byte[] utf8) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    Matcher found = regex.matcher(text);
    List<String> groups = new ArrayList<>();
    if (found.find()) {
      for (int i = 1; i <= regex.groupCount(); i++) {
        // RE2/J 1.8 may leave a group of a way that was given up, behind what it matched
        boolean isStale = found.end(i) > found.end() || found.start(i) < found.start();
        int from = isStale ? -1 : bytes(text, found.start(i));
        groups.add(from + ".." + (isStale ? -1 : bytes(text, found.end(i))));
      }
    } else {
      groups.add("none");
    }
    return groups;
  }

  private static int bytes(String text, int chars) {
    return chars < 0 ? chars : text.substring(0, chars).getBytes(StandardCharsets.UTF_8).length;
  }

  private static List<String> byProgram(RegexProgram program, RegexRun run, byte[] text, int n) {
    if (!run.find(program, text, text.length)) {
      return List.of("none");
    }
    List<String> groups = new ArrayList<>();
    for (int i = 1; i <= n; i++) {
      groups.add(run.start(i) + ".." + run.end(i));
    }
    return groups;
  }

  private static @Nullable RegexProgram program(Pattern regex) {
    return RegexProgram.of(
        regex.pattern(),
        IntStream.rangeClosed(1, regex.groupCount()).boxed().collect(Collectors.toSet()));
  }

  private static String random(SplittableRandom random, int depth) {
    StringBuilder regex = new StringBuilder();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      String piece =
          depth > 0 && random.nextInt(3) == 0
              ? (random.nextBoolean() ? "(" : "(?:") + random(random, depth - 1) + ")"
              : PIECES[random.nextInt(PIECES.length)];
      regex.append(piece).append(SUFFIXES[random.nextInt(SUFFIXES.length)]);
      if (random.nextInt(5) == 0 && i > 1) {
        regex.append('|');
      }
    }
    return regex.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void findsTheGroupsOfRe2(long seed) {
    var random = new SplittableRandom(seed);
    RegexRun run = new RegexRun();
    int taken = 0;
    for (int i = 0; i < 500; i++) {
      Pattern regex;
      try {
        regex = Pattern.compile(random(random, 2));
      } catch (PatternSyntaxException _) {
        continue;
      }
      RegexProgram program = program(regex);
      if (program == null) {
        continue;
      }
      taken++;
      for (int t = 0; t < 10; t++) {
        StringBuilder text = new StringBuilder();
        for (int w = random.nextInt(12); w > 0; w--) {
          text.append(TEXTS[random.nextInt(TEXTS.length)]);
        }
        byte[] utf8 = text.toString().getBytes(StandardCharsets.UTF_8);
        assertEquals(
            byRe2(regex, utf8),
            byProgram(program, run, utf8, regex.groupCount()),
            regex.pattern() + " in " + text);
      }
    }
    assertTrue(taken > 100, taken + " expressions");
  }

  @Test
  void patternsOfGrokAndSightDoSoInLines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String file : List.of("apache_access", "kafka_broker")) {
      List<String> all = Files.readAllLines(Path.of("../loadgen/logs/" + file + ".log"));
      for (int i = 0; i < 400; i += 40) {
        lines.add(all.get(i));
      }
    }
    lines.add("Oct 11 22:14:15 web1 su[230]: session opened");
    lines.add("");
    RegexRun run = new RegexRun();
    for (String name : GrokText.patterns()) {
      Pattern regex = GrokText.parse("%{" + name + ":x}").regex();
      RegexProgram program = Objects.requireNonNull(program(regex), name);
      for (String line : lines) {
        byte[] utf8 = line.getBytes(StandardCharsets.UTF_8);
        assertEquals(
            byRe2(regex, utf8), byProgram(program, run, utf8, regex.groupCount()), name + line);
      }
    }
  }

  /// Goal: a text without what each match holds is found so without a step. Method: an expression,
  /// and texts that lack one part, or have the parts in another order.
  @ParameterizedTest
  @ValueSource(strings = {"", "x] [", "x [y", "x [y] \"z", "[] \" GET"})
  void aTextWithoutItsLiteralsDoesNotMatch(String text) {
    RegexProgram program =
        Objects.requireNonNull(
            RegexProgram.of("(\\S+) \\[([^\\]]*)\\] (?:\"|')+(?:GET|POST)( /){2}", Set.of(1)));
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int[] places = {-1, -1, -1};
    assertEquals(3, program.literals().count());
    assertFalse(program.literals().find(utf8, 0, utf8.length, places));
    assertFalse(new RegexRun().find(program, utf8, utf8.length));
    byte[] whole = (text + "x [y] \"GET / /").getBytes(StandardCharsets.UTF_8);
    assertTrue(new RegexRun().find(program, whole, whole.length));
  }

  /// Engines that go back without notes take longer than the universe is old.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(a+)+$",
        "(a|aa)+$",
        "(\\w*a){20}b",
        "(.*,){11}P",
        "(x+x+)+y",
        "a+,b*x+y",
        "a.*!.*z"
      })
  void takesLinearTime(String expression) {
    Pattern regex = Pattern.compile(expression);
    RegexProgram program = program(regex);
    byte[] text =
        ("a".repeat(900) + ",".repeat(90) + "x".repeat(900) + "!").getBytes(StandardCharsets.UTF_8);
    if (program != null) {
      assertEquals(
          byRe2(regex, text), byProgram(program, new RegexRun(), text, regex.groupCount()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"(a*)*", "\\pL", "[[:alpha:]]", "(?m)^a", "(?U)a+", "(?i)[k]", "[é]", "\\Qa\\E"})
  void leavesTheRestToRe2(String expression) {
    assertNull(RegexProgram.of(Pattern.compile(expression).pattern(), Set.of()));
  }
}
