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
        "1 > 2 + 0x1p3",
        "{a=\"b\"} |= ip(\"10.0.0.0/8\") or \"x\" != ip(\"::1\") |> \"a <_> b\" !> \"<_>\"",
        "{a=\"b\"} | x = ip(\"10.0.0.1-10.0.0.9\") or y != ip(\"2001:db8::/32\"), ip=\"z\"",
        "rate({a=\"b\"}[5m]) / on (a) group_left rate({a=\"c\"}[5m])",
        "rate({a=\"b\"}[5m]) / ignoring (a) group_right (x, y) (rate({a=\"c\"}[5m]))",
        "rate({a=\"b\"}[5m]) * on (a) group_left (rate({a=\"c\"}[5m]))",
        "label_replace(SUM(rate({a=\"b\"}[5m])), \"x\", \"$1\", \"y\", \"(.*)\")",
        "approx_topk(3, rate_counter({a=\"b\"} | unwrap x [5m]))",
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
          '' ;  : syntax error: unexpected $end
          {a} ; at line 1, col 3: syntax error: unexpected }
          {a="b ; at line 1, col 4: literal not terminated
          {a="b"} | json x ; -
          {a=~"("} ;  : error parsing regexp: missing closing ): `(`
          {a="b"} | x < "5" ; at line 1, col 15: syntax error: unexpected STRING: "5"
          {a="b"} | x == "5" ; at line 1, col 16: syntax error: unexpected STRING: "5"
          {a="b"} |> "<x> y" ;  : named captures are not allowed: found '<x>'
          {a="b"} |> "<_><_> y" ;  : found consecutive capture '<_><_>': invalid expression
          {a="b"} |= ip("1.2.3") ;  : ip: invalid pattern: "1.2.3"
          {a="b"} |= ip("2.2.3.4-1.2.3.4") ;  : ip: invalid pattern: "2.2.3.4-1.2.3.4"
          {a="b"} |~ ip("1.2.3.4") ;  : ip: invalid operation |~, only |= and != are
          {a="b"} | x > ip("1.2.3.4") ; at line 1, col 15: syntax error: unexpected ip
          {a="b"} | unwrap x ; \
          at line 1, col 9: syntax error: unexpected unwrap outside of a range aggregation
          rate({a="b"}) ; at line 1, col 13: syntax error: unexpected ), expecting RANGE
          rate({a="b"}[5x]) ; at line 1, col 13: unknown unit "x" in duration "5x"
          rate({a="b"}[h]) ; at line 1, col 13: not a valid duration string: "h"
          rate({a="b"}[]) ; at line 1, col 13: empty duration string
          rate({a="b"}[300y]) ; at line 1, col 13: duration out of range
          rate({a="b"}[5m) ; at line 1, col 13: missing closing ']' in duration
          min({a="b"}[5m]) ; at line 1, col 12: syntax error: unexpected RANGE
          count without (rate({a="b"}[1m])) ; \
          at line 1, col 16: syntax error: unexpected RATE, expecting IDENTIFIER or )
          {a="b"} |~ ; at line 1, col 11: syntax error: unexpected $end, expecting STRING or ip
          {a="b"} + rate({a="b"}[1m]) ; \
           : unexpected type for left leg of binary operation (+): *syntax.MatchersExpr
          1 > {a="b"} | json ; \
           : unexpected type for right leg of binary operation (>): *syntax.PipelineExpr
          #{a="b"} ; at line 1, col 9: syntax error: unexpected $end
          rate({a="b"}[0s]) ; at line 1, col 13: the range must be longer than 0, got [0s]
          rate({a="b"}[5m] @ 5) ; at line 1, col 18: syntax error: unexpected @
          sum_over_time({a="b"}[5m]) ;  : invalid aggregation sum_over_time without unwrap
          bytes_rate({a="b"} | unwrap x [5m]) ;  : invalid aggregation bytes_rate with unwrap
          rate({}[5m]) by (x) ;  : grouping not allowed for rate aggregation
          rate_counter({} | unwrap x [5m]) by (x) ; \
           : grouping not allowed for rate_counter aggregation
          quantile_over_time({} | unwrap x [5m]) ; \
           : parameter required for operation quantile_over_time
          rate(5, {}[5m]) ;  : parameter 5 not supported for operation rate
          sum({a="b"}) ; at line 1, col 12: syntax error: unexpected )
          label_replace(vector(1)) ; at line 1, col 24: syntax error: unexpected ), expecting ,
          label_replace(vector(1), "a", "b", "c", "(") ; \
           : invalid regex in label_replace: error parsing regexp: missing closing ): `(`
          vector(1) or 1 ^ 1 ; \
           : unexpected literal for right leg of logical/set binary operation (or): 1.000000
          1 + 1 unless vector(1) ; \
           : unexpected literal for left leg of logical/set binary operation (unless): 2.000000
          sum(1 + 1) ; at line 1, col 5: syntax error: unexpected NUMBER, expecting series
          sum(5, vector(1)) ;  : unsupported parameter for operation sum(5,
          topk(0, vector(1)) ;  : invalid parameter (must be greater than 0) topk(0
          topk(1.5, vector(1)) ;  : invalid parameter topk(1.5,
          topk(vector(1)) ;  : parameter required for operation topk
          approx_topk(2, vector(1)) by (x) ;  : grouping not allowed for approx_topk aggregation
          sort(vector(1)) by (x) ;  : sort and sort_desc doesn't allow grouping by
          -rate({a="b"}[5m]) ; at line 1, col 2: syntax error: unexpected RATE, expecting NUMBER
          rate({a="b"}[5m]) bool > 1 ; at line 1, col 19: syntax error: unexpected bool
          0x1A ; \
           : unable to parse literal as a float: strconv.ParseFloat: parsing "0x1A": invalid syntax
          {} | json a="b[" ;  : cannot parse expression [b[]: it is no path in JSON
          {a="b"} | regexp "x" ; \
           : invalid regexp parser: at least one named capture must be supplied
          {} | pattern "x" ;  : invalid pattern parser: at least one capture is required
          {} | pattern "<a><b>" ; \
           : invalid pattern parser: found consecutive capture before '<b>': invalid expression
          {a="b"} | label_format a=b,a=c ; \
           : multiple label name 'a' not allowed in a single format operation
          {a="b"} | drop [1m] ; \
          at line 1, col 16: syntax error: unexpected RANGE, expecting IDENTIFIER
          {a="b"} ?  ; at line 1, col 9: syntax error: unexpected ?
          """)
  void whatIsWrongIsToldWithItsPlace(String text, String told) {
    if (told.equals("-")) {
      assertInstanceOf(Expr.class, LogqlParser.parse(text));
      return;
    }
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> LogqlParser.parse(text), text);
    String message = String.valueOf(refused.getMessage()).strip();
    assertEquals("query: parse error " + told.replaceFirst("^: ", ": "), message);
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
    Metric.Binary sum = (Metric.Binary) parsed("x + x * x ^ x ^ x");
    assertEquals(Metric.Operator.PLUS, sum.operator());
    Metric.Binary product = (Metric.Binary) sum.right();
    assertEquals(Metric.Operator.TIMES, product.operator());
    Metric.Binary power = (Metric.Binary) product.right();
    assertEquals(new Metric.VectorOf(1), power.left());
    Metric.Binary left = (Metric.Binary) parsed("x - 4 - 2");
    assertEquals(new Metric.Literal(2), left.right());
  }

  private static Expr parsed(String text) {
    return LogqlParser.parse(text.replace("x", "vector(1)"));
  }

  @ParameterizedTest
  @CsvSource({
    "1 + 2 * 3 ^ 2 ^ 2, 163",
    "8 - 4 - 2, 2",
    "1 > bool 2, 0",
    "2 == 2, 1",
    "7 % 4 / 2, 1.5",
    "1 / 0, NaN",
    "(1 + 2) * -3, -9"
  })
  void operationsOfNumbersAreTheirResult(String text, double result) {
    assertEquals(new Metric.Literal(result), LogqlParser.parse(text));
  }

  @Test
  void theLineOfAMistakeCountsFromOne() {
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> LogqlParser.parse("{a=\"b\"}\n  |= 5"));
    assertEquals(
        "query: parse error at line 2, col 6: syntax error: unexpected NUMBER, "
            + "expecting STRING or ip: 5",
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
