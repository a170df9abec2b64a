package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.LogqlText;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a query in its normal form is the same query. Method: queries with their normal forms, and
/// generated ones, whose normal forms must be their own.
class LogqlTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '~',
      textBlock =
          """
          { a = `b` , c!~"d.*", } => {a="b", c!~"d.*"}
          {a="b"}|="x" or `y`!~"z"!=ip("10.0.0.0/8") or "q" |> "a <_>" => \
          {a="b"} |= "x" or "y" !~ "z" != ip("10.0.0.0/8") or "q" |> "a <_>"
          {}|json a="b.c[0]",d|logfmt --strict --keep-empty x => \
          {} | json a="["b"]["c"][0]", d="["d"]" | logfmt --strict --keep-empty x="x"
          {}|unpack|decolorize|regexp `(?P<x>\\d)`|pattern "<a> <_>" => \
          {} | unpack | decolorize | regexp "(?P<x>\\\\d)" | pattern "<a> <_>"
          {}|a="b",c>5 d<=1.5h or (e==2KB and f!=ip("::1")) => \
          {} | a="b" and c>5 and (d<=90m or (e==2000B and f!=ip("::1")))
          {}|line_format `{{.a | ToUpper}}`|label_format b=c,d="{{.e}}" => \
          {} | line_format "{{.a | ToUpper}}" | label_format b=c, d="{{.e}}"
          {}|drop a,b="c"|keep d,e=~"f" => {} | drop a, b="c" | keep d, e=~"f"
          sum(rate({a="b"}[300s]))by(x,y) => sum by (x, y) (rate({a="b"} [5m]))
          rate({a="b"}[1h30m] offset 60s) => rate({a="b"} [90m] offset 1m)
          quantile_over_time(.99,{a="b"}|unwrap duration(x)|__error__=""[5m])without(z) => \
          quantile_over_time(0.99, {a="b"} | unwrap duration(x) | __error__="" [5m]) without (z)
          (1+2)*3^2^2-(4-5) => (1 + 2) * 3 ^ 2 ^ 2 - (4 - 5)
          (2^3)^2 => (2 ^ 3) ^ 2
          topk(5,vector(1))>bool on(a)group_left(b)vector(2) => \
          topk(5, vector(1)) > bool on (a) group_left (b) vector(2)
          vector(1) or vector(2) and vector(3) => vector(1) or vector(2) and vector(3)
          """)
  void queriesHaveANormalForm(String query, String normal) {
    String of = LogqlText.of(LogqlParser.parse(query));
    String expected = normal.replace("\"[\"", "\"[\\\"").replace("\"][\"", "\\\"][\\\"");
    assertEquals(
        expected.replace("\"][0]\"", "\\\"][0]\"").replace("d\"]\"", "d\\\"]\"").strip(),
        of.strip());
    assertEquals(of, LogqlText.of(LogqlParser.parse(of)));
  }

  @Test
  void generatedQueriesAreTheirNormalForms() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 2_000; i++) {
      String query = i % 2 == 0 ? new PlainQuery(random).text() : new PlainMetric(random).text();
      String normal = LogqlText.of(LogqlParser.parse(query));
      assertEquals(normal, LogqlText.of(LogqlParser.parse(normal)), query);
    }
  }
}
