package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a line is split as documented, and the fast path for a line like another splits it alike.
/// Method: lines of random pieces, also damaged ones, compared with a parser that reads one
/// character at a time. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class LineParserTest {
  private static final String DELIMITERS = "\t\n\r []{}()'=,;:<>|&\0";
  private static final String TIME = "\\d\\d:[0-5]\\d:[0-5]\\d([.,]\\d{3})?";
  private static final List<String> PIECES =
      List.of(
          " ",
          "  ",
          ": ",
          "=",
          "[",
          "] ",
          "\"",
          "\" ",
          "\n",
          "-",
          "- ",
          "+0000",
          "12:59:07",
          "23:00:00,123",
          "24:00:00",
          "10:05:03x",
          "user",
          "abcdefghijkl",
          "x7",
          "-17",
          "1234567890",
          "\"GET /a.b HTTP/1.1\"",
          "\"\"",
          "a\u00e9b",
          "/usr/lib/x86.so",
          "%20",
          "0",
          "\0",
          "'",
          "*",
          "\"*/*\"",
          "\u0002",
          "_");

  static List<Long> seeds() {
    return Seeds.of(40);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void itSplitsWhereItSays(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      String line = line(random);
      assertEquals(plainly(line), parsed(new LineParser(), bytes(line), 3), line);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aLineLikeAnotherIsSplitAlike(long seed) {
    var random = new SplittableRandom(seed);
    int taken = 0;
    for (int i = 0; i < 300; i++) {
      String example = line(random);
      String line = random.nextInt(4) == 0 ? line(random) : varied(example, random);
      byte[] text = bytes(example + line);
      int exampleBytes = utf8(example).length;
      int lineBytes = utf8(line).length;
      var parser = new LineParser();
      parser.parse(text, 3, exampleBytes);
      var matcher = new LineMatcher();
      int variables = parser.count;
      matcher.learn(parser, text, 3, exampleBytes, 0, variables);
      if (matcher.parse(parser, text, 3 + exampleBytes, lineBytes)) {
        taken++;
        assertEquals(2 * variables, parser.count);
        assertEquals(plainly(line), variables(parser, variables, 3 + exampleBytes), line);
      } else {
        assertEquals(variables, parser.count, "variables of a line that was refused");
      }
    }
    assertTrue(taken > 20, taken + " lines of 300 taken");
  }

  /// Lines of one kind; some of their variables mostly stay as they are.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void manyLinesLikeAnotherAreSplitAlike(long seed) {
    var random = new SplittableRandom(seed);
    String base = "host-7 12:00:00 - x=y " + line(random);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      base = otherDigit(base, random);
      lines.add(random.nextInt(60) == 0 ? otherCharacter(base, random) : base);
    }
    byte[] text = bytes(String.join("", lines));
    var parser = new LineParser();
    var matcher = new LineMatcher();
    int at = 3;
    int taken = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int length = utf8(line).length;
      int first = parser.count;
      boolean like = i > 0 && matcher.parse(parser, text, at, length);
      if (like) {
        taken++;
      } else {
        parser.parse(text, at, length);
        matcher.learn(parser, text, at, length, first, parser.count - first);
      }
      assertEquals(plainly(line), variables(parser, first, at), line);
      at += length;
    }
    assertTrue(taken > 100 || base.contains("\""), taken + " lines taken");
  }

  private static String otherDigit(String line, SplittableRandom random) {
    int at = random.nextInt(line.length());
    return Character.isDigit(line.charAt(at))
        ? line.substring(0, at) + random.nextInt(6) + line.substring(at + 1)
        : line;
  }

  private static String otherCharacter(String line, SplittableRandom random) {
    int at = random.nextInt(line.length());
    return line.substring(0, at) + "\"-= 5x,".charAt(random.nextInt(7)) + line.substring(at + 1);
  }

  static String line(SplittableRandom random) {
    var line = new StringBuilder();
    for (int pieces = random.nextInt(14); pieces > 0; pieces--) {
      line.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return line.toString();
  }

  /// The same line with other digits, and sometimes another character somewhere.
  static String varied(String line, SplittableRandom random) {
    var varied = new StringBuilder(line);
    for (int i = 0; i < line.length(); i++) {
      if (Character.isDigit(line.charAt(i))) {
        varied.setCharAt(i, (char) ('0' + random.nextInt(10)));
      }
    }
    if (!line.isEmpty() && random.nextInt(3) == 0) {
      String piece = PIECES.get(random.nextInt(PIECES.size()));
      varied.replace(random.nextInt(line.length()), line.length(), piece);
    }
    return varied.toString();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// The text after three other bytes and before digits that do not belong to it.
  static byte[] bytes(String text) {
    return utf8("5\":" + text + "1\"234567890123456");
  }

  private static List<String> parsed(LineParser parser, byte[] text, int offset) {
    parser.parse(text, offset, text.length - 17 - offset);
    return variables(parser, 0, offset);
  }

  static List<String> variables(LineParser parser, int first, int offset) {
    List<String> found = new ArrayList<>();
    for (int i = first; i < parser.count; i++) {
      found.add((parser.offsets[i] - offset) + "+" + parser.lengths[i]);
    }
    return found;
  }

  /// What [LineParser] documents, on the line's bytes as Latin-1.
  static List<String> plainly(String text) {
    String line = new String(utf8(text), StandardCharsets.ISO_8859_1);
    List<String> found = new ArrayList<>();
    int at = 0;
    while (at < line.length()) {
      char next = line.charAt(at);
      if (DELIMITERS.indexOf(next) >= 0) {
        at++;
        continue;
      }
      if (next == '"') {
        at++;
        int end = line.indexOf('"', at);
        int lineEnd = line.indexOf('\n', at);
        if (end >= 0 && (lineEnd < 0 || end < lineEnd)) {
          found.add(at + "+" + (end - at));
          at = end + 1;
        }
        continue;
      }
      int end = wordEnd(line, at);
      String word = line.substring(at, end);
      boolean digits = word.chars().anyMatch(c -> c >= '0' && c <= '9');
      if (digits || word.equals("-") || (at > 0 && line.charAt(at - 1) == '=')) {
        found.add(at + "+" + (end - at));
      }
      at = end;
    }
    return found;
  }

  private static int wordEnd(String line, int at) {
    for (int bytes : new int[] {12, 8}) {
      int end = at + bytes;
      if (end <= line.length()
          && line.substring(at, end).matches(TIME)
          && Integer.parseInt(line.substring(at, at + 2)) < 24
          && (end == line.length() || DELIMITERS.indexOf(line.charAt(end)) >= 0)) {
        return end;
      }
    }
    int end = at;
    while (end < line.length()
        && DELIMITERS.indexOf(line.charAt(end)) < 0
        && line.charAt(end) != '"') {
      end++;
    }
    return end;
  }
}
