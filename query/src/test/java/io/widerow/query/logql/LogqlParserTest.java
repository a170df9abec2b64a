package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: LogQL is read as Loki reads it, and a text that is wrong or not supported is refused in
/// one sentence with its position. Method: a text for each rule.
class LogqlParserTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{ app = \"x\" , }",
        "{app=\"x\"} # a comment",
        "{app=\"x\"} |= \"a\" |~ `b` or `c` != \"d\" !~ \"e\"",
        "{app=\"x\"} | json | logfmt | unpack | decolorize",
        "{app=\"x\"} | json a=\"b.c[0].d\", e=`[\"f g\"]`, h | h=\"1\"",
        "{app=\"x\"} | logfmt --strict --keep-empty a, b=\"c\"",
        "{app=\"x\"} | pattern `<ip> - <_> \"<method> <path>`",
        "{app=\"x\"} | a=\"b\" and c>5, d<=1.5ms or (e==20KB e2!=1MiB)",
        "{app=\"x\"} | a > -1 | b = 5",
        "{app=\"x\"} | line_format `{{.a}} {{ .b }}` | label_format c=d, e=\"{{.f}}\"",
        "{app=\"x\"} | drop a, b=\"c\", __error__ | keep d, e=~\"f\"",
        "rate({app=\"x\"}[5m])",
        "rate({app=\"x\"}[1h30m] |= \"a\" | json)",
        "rate(({app=\"x\"} |= \"a\")[5m])",
        "count_over_time({app=\"x\"}[5m] offset 1h)",
        "count_over_time({app=\"x\"}[5m] offset -1h)",
        "sum(rate({app=\"x\"}[5m])) by (a, b)",
        "sum without (a) (rate({app=\"x\"}[5m]))",
        "topk(5, sum by (a) (bytes_rate({app=\"x\"}[5m])))",
        "quantile_over_time(0.99, {app=\"x\"} | unwrap duration(a) | __error__=\"\" [5m]) by (b)",
        "1 + 2 * 3 ^ -4",
        "vector(1) + vector(1)",
        "sum(rate({a=\"b\"}[1m])) / on (x) sum(rate({a=\"c\"}[1m])) > bool 0.5",
        "rate({a=\"b\"}[1m]) unless ignoring (y) rate({a=\"c\"}[1m]) or vector(0)"
      })
  void whatGrafanaAndPeopleWriteIsRead(String text) {
    assertInstanceOf(Expr.class, LogqlParser.parse(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          '' ; 1, col 1: it is empty
          {a} ; 1, col 3: expected = != =~ or !~, found }
          {a="b ; 1, col 4: a text without its closing quote
          {a="b"} | json x ; -
          {a=~"("} ; 1, col 5: no regular expression: error parsing regexp: missing closing ): `(`
          {a="b"} | x < "5" ; 1, col 13: a text has no order: use = != =~ or !~, found <
          {a="b"} |> "x" ; 1, col 9: not supported: |>, the filter by pattern
          {a="b"} |= ip("1.2.3.4") ; 1, col 12: not supported: ip()
          {a="b"} | x = ip("1.2.3.4") ; 1, col 15: not supported: ip()
          {} | line_format `{{u .x}}` ; 1, col 18: not supported: {{u .x}}, only {{.label}}
          {a="b"} | unwrap x ; 1, col 9: unwrap is for functions such as sum_over_time(...)
          rate({a="b"}) ; 1, col 5: rate needs a window such as [5m]
          rate({a="b"}[5x]) ; 1, col 14: no number, duration or number of bytes: 5x
          rate({a="b"}[0s]) ; 1, col 13: the window must be longer than 0
          sum_over_time({a="b"}[5m]) ; 1, col 14: sum_over_time needs a number: add | unwrap LABEL
          rate({}[5m]) by (x) ; 1, col 5: rate takes no by or without: put sum by (...) around it
          sum({a="b"}) ; 1, col 5: expected numbers such as count_over_time(...), found lines
          label_replace(vector(1)) ; 1, col 1: not supported: the function label_replace
          rate({a="b"}[5m]) / on(a) group_left vector(1) ; 1, col 27: not supported: group_left
          1 > 2 ; 1, col 3: a comparison of two numbers needs bool
          1 + 1 > 2 * 2 ; 1, col 7: a comparison of two numbers needs bool
          vector(1) or 1 ^ 1 ; 1, col 11: or needs series on both sides
          1 + 1 unless vector(1) ; 1, col 7: unless needs series on both sides
          sum(1 + 1) ; 1, col 5: expected series, found a number
          topk(0, vector(1)) ; 1, col 1: the number of series must be at least 1
          {a="b"} | regexp "x" ; 1, col 18: the expression has no named group, such as (?P<name>re)
          {} | pattern "<a><b>" ; 1, col 14: the pattern has nothing between two captures before <b>
          {a="b"} | label_format a=b,a=c ; 1, col 28: the label a is set twice
          {a="b"} ?  ; 1, col 9: unexpected ?
          """)
  void whatIsWrongIsToldWithItsPlace(String text, String told) {
    if (told.equals("-")) {
      assertInstanceOf(Expr.class, LogqlParser.parse(text));
      return;
    }
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(text), text);
    assertEquals("query: parse error at line " + told, refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 + ",
        "{} | json ",
        "{} | a > 1 ",
        "{} | a = `x` ",
        "vector(1) or ",
        "sum by (a) ("
      })
  void partsThatAreTooManyAreRefused(String part) {
    String many =
        part.startsWith("{}") ? "{} " + part.substring(3).repeat(600) : part.repeat(600) + "1";
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(many));
    String why = String.valueOf(refused.getMessage());
    assertTrue(why.contains("more than 500 ") || why.contains("nested deeper than 64"), why);
  }

  @Test
  void operatorsBindAsInPromql() {
    Metric.Binary sum = (Metric.Binary) LogqlParser.parse("1 + 2 * 3 ^ 2 ^ 2");
    assertEquals(Metric.Operator.PLUS, sum.operator());
    Metric.Binary product = (Metric.Binary) sum.right();
    assertEquals(Metric.Operator.TIMES, product.operator());
    Metric.Binary power = (Metric.Binary) product.right();
    assertEquals(new Metric.Literal(3), power.left());
    Metric.Binary left = (Metric.Binary) LogqlParser.parse("8 - 4 - 2");
    assertEquals(new Metric.Literal(2), left.right());
  }

  @Test
  void theLineOfAMistakeCountsFromOne() {
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> LogqlParser.parse("{a=\"b\"}\n  |= 5"));
    assertEquals(
        "query: parse error at line 2, col 6: expected a text in quotes, found 5",
        refused.getMessage());
  }

  @Test
  void textsHaveTheEscapesOfGo() {
    LogQuery query = (LogQuery) LogqlParser.parse("{a=\"\\t\\\"\\u00e9\\x41\\101\", b=`\\t`}");
    assertEquals(
        List.of("\t\"é" + "AA", "\\t"), query.matchers().stream().map(Matcher::text).toList());
  }

  @Test
  void nestingHasAnEnd() {
    String deep = "(".repeat(100_000) + "1";
    assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(deep.substring(0, 60_000)));
    assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(deep));
    String filter = "{a=\"b\"} | " + "(".repeat(50_000) + "x=\"1\"";
    assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(filter));
  }
}
