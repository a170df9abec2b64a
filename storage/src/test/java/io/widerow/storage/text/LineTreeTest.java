package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the tree finds the template and the variables of every line whose template it has, and of
/// no other line. Method: lines of a few kinds in turn, also damaged ones, compared with the parser
/// of [LineParserTest] that reads one character at a time. The seed is the test's name; to replay
/// one, run with `-Dseed=<n>`.
class LineTreeTest {
  static List<Long> seeds() {
    return Seeds.of(40);
  }

  /// The constant parts of a line, with a mark for each variable.
  private static String constants(String line, List<String> variables) {
    String text = new String(LineParserTest.utf8(line), StandardCharsets.ISO_8859_1);
    var constants = new StringBuilder();
    int at = 0;
    for (String variable : variables) {
      int plus = variable.indexOf('+');
      int offset = Integer.parseInt(variable.substring(0, plus));
      constants.append(text, at, offset).append('\u0101');
      at = offset + Integer.parseInt(variable.substring(plus + 1));
    }
    return constants.append(text, at, text.length()).toString();
  }

  private static List<String> lines(SplittableRandom random) {
    List<String> kinds = new ArrayList<>();
    kinds.add("at 12:00:07 host-7 is ready"); // of the others, all may have quotes that stay open
    for (int i = random.nextInt(8); i > 0; i--) {
      String kind = LineParserTest.line(random);
      kinds.add(random.nextBoolean() ? kind : "at 12:00:07 host-7 " + kind);
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      lines.add(LineParserTest.varied(kinds.get(random.nextInt(kinds.size())), random));
    }
    return lines;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void itFindsWhatTheParserFinds(long seed) {
    var random = new SplittableRandom(seed);
    List<String> lines = lines(random);
    byte[] text = LineParserTest.bytes(String.join("", lines));
    var tree = new LineTree();
    tree.clear();
    var parser = new LineParser();
    Map<String, Integer> templates = new HashMap<>();
    int at = 3;
    int taken = 0;
    for (String line : lines) {
      int length = LineParserTest.utf8(line).length;
      int first = parser.count;
      List<String> variables = LineParserTest.plainly(line);
      String constants = constants(line, variables);
      int found = tree.parse(parser, text, at, length);
      if (found == LineTree.NONE) {
        assertEquals(first, parser.count, "variables of a line that was refused");
        assertEquals(LineTree.NONE, templates.getOrDefault(constants, LineTree.NONE), line);
        parser.parse(text, at, length);
        var matcher = new LineMatcher();
        matcher.learn(parser, text, at, length, first, parser.count - first);
        if (matcher.serves()) {
          templates.put(constants, templates.size());
          tree.add(matcher, templates.size() - 1, text);
        }
      } else {
        taken++;
        assertEquals(templates.get(constants), found, line);
      }
      assertEquals(variables, LineParserTest.variables(parser, first, at), line);
      at += length;
    }
    assertTrue(taken > 5, taken + " lines of 300 taken");
  }

  /// If each line is a template of its own, only the first few are considered.
  @Test
  void aNodeHasFewBranches() {
    var tree = new LineTree();
    tree.clear();
    List<String> lines = new ArrayList<>();
    for (int kind = 0; kind < 200; kind++) {
      lines.add("at 12:00:07 " + "x".repeat(1 + kind) + " ready");
    }
    byte[] text = LineParserTest.bytes(String.join("", lines));
    var parser = new LineParser();
    int at = 3;
    int left = 0;
    for (int kind = 0; kind < lines.size(); kind++) {
      int length = lines.get(kind).length();
      assertEquals(LineTree.NONE, tree.parse(parser, text, at, length));
      int first = parser.count;
      parser.parse(text, at, length);
      var matcher = new LineMatcher();
      matcher.learn(parser, text, at, length, first, parser.count - first);
      tree.add(matcher, kind, text);
      boolean found = tree.parse(parser, text, at, length) == kind;
      assertTrue(!found || left == 0, "a branch after one that was left out");
      left += found ? 0 : 1;
      at += length;
    }
    assertTrue(left > 100 && left < 200, left + " of 200 left out");
  }

  /// Templates that exceed the limit of branches are left out, and no line matches them.
  @Test
  void itStaysSmall() {
    var tree = new LineTree();
    tree.clear();
    var parser = new LineParser();
    int taken = 0;
    for (int kind = 0; kind < 40; kind++) {
      String begin = Character.toString('a' + kind % 26).repeat(1 + kind / 26);
      byte[] text = LineParserTest.bytes((begin + " 1 ").repeat(900));
      int length = text.length - 3 - 17;
      parser.clear();
      parser.parse(text, 3, length);
      var matcher = new LineMatcher();
      matcher.learn(parser, text, 3, length, 0, parser.count);
      assertTrue(matcher.serves());
      tree.add(matcher, kind, text);
      int found = tree.parse(parser, text, 3, length);
      assertTrue(found == kind || found == LineTree.NONE, found + " for " + kind);
      taken += found == kind ? 1 : 0;
    }
    assertNotEquals(0, taken);
    assertTrue(taken < 40, "all of them are in the tree");
  }
}
