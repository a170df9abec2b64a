package io.widerow.query.promql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what is no PromQL is refused where it is wrong, in Prometheus' words, and what is has one
/// canonical form. Method: tables of mistakes and of forms. What expressions mean is tested by
/// [io.widerow.query.promql.run.PromqltestTest].
class PromqlParserTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "sum(|1:5: parse error: unexpected end of input",
        "sum()|1:1: parse error: no arguments for aggregate expression provided",
        "sum(1)|1:5: parse error: expected type instant vector in aggregation expression, got"
            + " scalar",
        "topk(up)|1:1: parse error: wrong number of arguments for aggregate expression provided,"
            + " expected 2, got 1",
        "nosuch(up)|1:1: parse error: unknown function with name \"nosuch\"",
        "rate(up)|1:6: parse error: expected type range vector in call to function \"rate\", got"
            + " instant vector",
        "rate(up[5m], 1)|1:1: parse error: expected 1 argument(s) in call to \"rate\", got 2",
        "clamp(up)|1:1: parse error: expected 3 argument(s) in call to \"clamp\", got 1",
        "round(up, 1, 2)|1:1: parse error: expected at most 2 argument(s) in call to \"round\","
            + " got 3",
        "abs(up,)|1:8: parse error: trailing commas not allowed in function call args",
        "1 == 1|1:3: parse error: comparisons between scalars must use BOOL modifier",
        "1 + bool 1|1:3: parse error: bool modifier can only be used on comparison operators",
        "up and 1|1:1: parse error: set operator \"and\" not allowed in binary scalar expression",
        "up and on(a) group_left b|1:1: parse error: no grouping allowed for \"and\" operation",
        "up + on(a) group_left(a) b|1:12: parse error: label \"a\" must not occur in ON and GROUP"
            + " clause at once",
        "up[5m] + 1|1:1: parse error: binary expression must contain only scalar and instant vector"
            + " types",
        "-up[5m]|1:1: parse error: unary expression only allowed on expressions of type scalar or"
            + " instant vector, got \"range vector\"",
        "{}|1:1: parse error: vector selector must contain at least one non-empty matcher",
        "{a=~\".*\"}|1:1: parse error: vector selector must contain at least one non-empty matcher",
        "up{__name__=\"x\"}|1:1: parse error: metric name must not be set twice: \"up\" or \"x\"",
        "up{a}|1:5: parse error: unexpected \"}\" in label matching, expected label matching"
            + " operator",
        "up{a=1}|1:6: parse error: unexpected number \"1\" in label matching, expected string",
        "up{a=\"b\"|1:9: parse error: unexpected end of input inside braces",
        "up{a=\"b|1:6: parse error: unterminated quoted string",
        "up[0s]|1:4: parse error: duration must be greater than 0",
        "up[5x]|1:4: parse error: bad number or duration syntax: \"5x\"",
        "up[5m30h]|1:4: parse error: not a valid duration string: \"5m30h\"",
        "up[x]|1:4: parse error: a duration must be made of numbers, durations, step() and range()",
        "sum(up)[5m]|1:8: parse error: ranges only allowed for vector selectors",
        "up offset 5m[5m]|1:13: parse error: no offset modifiers allowed before range",
        "up offset 5m offset 5m|1:1: parse error: offset may not be set multiple times",
        "sum(up) offset 5m|1:1: parse error: offset modifier must be preceded by an instant vector"
            + " selector or range vector selector or a subquery",
        "up @ x|1:6: parse error: unexpected identifier \"x\" in @, expected timestamp",
        "up up|1:4: parse error: unexpected identifier \"up\"",
        "up ! up|1:4: parse error: unexpected character: '!'",
        "limitk(1, up)|1:1: parse error: limitk() is experimental, and is not evaluated",
        "sort_by_label(up, \"a\")|1:1: parse error: sort_by_label() is experimental, and is not"
            + " evaluated",
      })
  void whatIsNoPromqlIsRefused(String text, String message) {
    PromqlException refused =
        assertThrows(PromqlException.class, () -> PromqlParser.parse("query", text));
    assertEquals("invalid parameter \"query\": " + message, refused.getMessage());
  }

  @Test
  void theLineCounts() {
    PromqlException refused =
        assertThrows(PromqlException.class, () -> PromqlParser.parse("query", "sum(\n  1)"));
    assertEquals(
        "invalid parameter \"query\": 2:3: parse error: expected type instant vector in aggregation"
            + " expression, got scalar",
        refused.getMessage());
  }

  @Test
  void nestingIsBounded() {
    String deep = "(".repeat(5_000) + "1" + ")".repeat(5_000);
    assertThrows(PromqlException.class, () -> PromqlParser.parse("query", deep));
    String signs = "-".repeat(100_000) + "1";
    assertThrows(PromqlException.class, () -> PromqlParser.parse("query", signs));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "up",
        "up{job=\"x\",a!~\"b|c\"}",
        "{\"http.latency\",a=\"b\"}",
        "{__name__=~\"a.*\"}",
        "up{\"k8s.pod\"=\"A\"}",
        "rate(up{job=\"x\"}[5m] @ 1.500 offset 1m)",
        "up @ start() offset -1m",
        "sum by (job, \"k8s.pod\") (rate(up[1h30m]))",
        "topk without (a) (3, up)",
        "a + on (x) group_left (y) b",
        "a > bool ignoring (x) b",
        "a and b unless c or d",
        "max_over_time(rate(up[5m])[1h:30s] offset 1d)",
        "up[5m:]",
        "-up ^ 2",
        "(1 + 2) * 3 ^ -2",
        "label_replace(up, \"a\", \"$1\\n\", \"b\", \"(.*)\")",
        "count_values(\"v\", up)",
        "1e+100 + 0.001 + +Inf",
        "time() - step() + min_of(1, 2)",
        "up[5m * 2 + step()]",
      })
  void theCanonicalFormMeansTheSame(String text) {
    String printed = PromqlPrinter.print(PromqlParser.parse("query", text));
    assertEquals(text, printed);
    assertEquals(printed, PromqlPrinter.print(PromqlParser.parse("query", printed)));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "SUM(up) BY(job)|sum by (job) (up)",
        "  up  # a comment|up",
        "up{a='b',}|up{a=\"b\"}",
        "sum(rate(up[90s]))|sum(rate(up[1m30s]))",
        "0x1F + .5|31 + 0.5",
        "a AND b|a and b",
        "up offset 0x10|up offset 16",
      })
  void otherFormsBecomeIt(String text, String printed) {
    assertEquals(printed, PromqlPrinter.print(PromqlParser.parse("query", text)));
  }
}
