package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: valid transforms are accepted, and invalid ones are refused with line and reason. Method:
/// rules of each kind; and a corpus of wrong lines, each between good ones. A row of the corpus is
/// a part of the reason, ` <- `, and the line; `{n*text}` is a repetition.
class TransformParserTest {
  private static TransformSet parse(String text) throws TransformMistake {
    return TransformSet.parse(text, Decoding.ARRIVAL_NANOS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop a",
        "drop a, b.*,`c d` , e # comment",
        "  drop event",
        "drop `event`",
        "drop events",
        "when type = \"app\" and level = \"debug\" then drop event",
        "when `then` exists then drop `then`",
        "when a contains ' then ' then drop a",
        "when a = \"\\\"then\" then drop a",
        "when not (a ~ \"x\" or b in (1, 2)) then rename a -> b",
        "when ts > 15m then drop event",
        "rename a->b",
        "rename a -> b, c -> d",
        "rename `a -> b` -> c",
        "redact a",
        "redact a -> 'x'",
        "redact a, * with /x\\/y/",
        "redact a with /[\\w.]+@[\\w.]+/ -> \"<email>\" # all of them",
        "redact a with /(a)(b)/ -> \"$2$1$$\"",
        "drop attributes.type",
        "drop é, user-id, a@b, a:b",
      })
  void aRuleIsTaken(String rule) throws TransformMistake {
    assertTrue(parse(rule).size() > 0);
    assertEquals(0, parse("# " + rule + "\n\n \t\n").size());
  }

  @Test
  void eachRenameIsARuleOfItsOwn() throws TransformMistake {
    assertEquals(2, parse("rename a -> b, c -> d\r\n").size());
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstRule() throws TransformMistake {
    assertEquals(2, parse("\ufeffdrop a\r\ndrop b\r\n").size());
  }

  static List<String> corpus() throws IOException {
    try (InputStream in = TransformParserTest.class.getResourceAsStream("malformed.rules")) {
      assertNotNull(in);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void theCorpusIsLarge() throws IOException {
    assertTrue(corpus().size() >= 60, corpus().size() + " rows");
  }

  @ParameterizedTest
  @MethodSource("corpus")
  void whatIsNoRuleIsRefusedWithItsLineAndTheReason(String row) {
    int arrow = row.indexOf(" <- ");
    String line = expand(row.substring(arrow + 4));
    TransformMistake mistake =
        assertThrows(TransformMistake.class, () -> parse("drop good\n" + line + "\ndrop good\n"));
    String message = String.valueOf(mistake.getMessage());
    assertTrue(message.startsWith("line 2: "), message);
    assertTrue(message.contains(row.substring(0, arrow)), message);
    assertFalse(message.contains("\n"), message);
  }

  private static String expand(String text) {
    int open = text.indexOf("{{");
    if (open < 0) {
      return text;
    }
    int star = text.indexOf('*', open);
    int close = text.indexOf("}}", star);
    String repeated =
        text.substring(star + 1, close).repeat(Integer.parseInt(text.substring(open + 2, star)));
    return text.substring(0, open) + repeated + text.substring(close + 2);
  }

  /// The column is that of the line, also for mistakes in its filter.
  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "drop a,@line 1: expected the name of an attribute at character 8",
        "when a >> 1 then drop a@line 1: expected a value: a string in quotes, a number, true or"
            + " false at character 9",
        "hash a@line 1: hash needs a key: a line with key and a secret of at least 16 characters in"
            + " quotes",
      })
  void aMistakeIsShownWhereItIs(String line, String expected) {
    TransformMistake mistake = assertThrows(TransformMistake.class, () -> parse(line));
    assertEquals(expected, mistake.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key \"s3cr3t\"",
        "key \"s3cr3t-s3cr3t-s3cr3t\" x",
        "key s3cr3t-s3cr3t-s3cr3t",
        "key \"s3cr3t-s3cr3t-s3cr3t",
        "key \"s3cr3t-s3cr3t-s3cr3t\\q\"",
      })
  void aMistakeShowsNoKey(String line) {
    TransformMistake mistake = assertThrows(TransformMistake.class, () -> parse(line));
    assertFalse(String.valueOf(mistake.getMessage()).contains("s3cr3t"), mistake.getMessage());
  }
}
