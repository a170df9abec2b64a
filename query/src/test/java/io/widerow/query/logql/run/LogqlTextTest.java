package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.LogqlPrinter;
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
          {a="b"}|="x" or `y`|>"a <_>" or "<_>" => {a="b"} |= "x" or "y" |> "a <_>" or "<_>"
          {a="b"}!~"z"!=ip("10.0.0.0/8") or "q" => {a="b"} !~ "z" != ip("10.0.0.0/8") != "q"
          {}|json a="b.c[0]",d => {} | json a="b.c[0]",d="d"
          {}|logfmt --strict --keep-empty x => {} | logfmt --strict --keep-empty x="x"
          {}|unpack|decolorize|pattern "<a> <_>" => {} | unpack | decolorize | pattern "<a> <_>"
          {}|a="b",c>5 d<=1.5h or (e==2KB and f!=ip("::1")) => \
          {} | ( a="b" , c>5 , ( d<=1h30m0s or ( e==2.0kB , f!=ip("::1") ) ) )
          {}|a>42B|b>=10GB|c<2560B|d<2.5KiB => {} | a>42B | b>=10GB | c<2560B | d<2560B
          {}|a=~"x.y"|b!~"x|y"|c=~"(a|b).*" => {} | a=~`x.y` | b!~"x|y" | c=~"(a|b).*"
          {}|line_format `{{.a}}`|label_format b=c,d="{{.e}}" => \
          {} | line_format "{{.a}}" | label_format b=c,d="{{.e}}"
          {}|drop a,b="c"|keep d,e=~"f" => {} | drop a,b="c" | keep d,e=~"f"
          sum(rate({a="b"}[300s]))by(x,y) => sum by (x,y)(rate({a="b"}[5m]))
          sum(rate({a="b"}[1m]))by() => sum(rate({a="b"}[1m]))
          sum without()(rate({a="b"}[1m])) => sum without ()(rate({a="b"}[1m]))
          rate({a="b"}[90d1h] offset 60s) => rate({a="b"}[90d1h] offset 1m0s)
          rate({a="b"}[1500us] offset -1.5h) => rate({a="b"}[1.5ms] offset -1h30m0s)
          max_over_time({}|unwrap x[2w])by() => max_over_time({} | unwrap x[2w]) by ()
          quantile_over_time(.99,{a="b"}|unwrap duration(x)|__error__=""[1y])without(z) => \
          quantile_over_time(0.99,{a="b"} | unwrap duration(x) | __error__=""[1y]) without (z)
          topk(5,vector(1))>bool on(a)group_left(b)vector(1e-9) => \
          (topk(5,vector(1.000000)) > bool on (a) group_left (b) vector(1e-09))
          (1+2)*3^2^2-(4-5) => 244
          0/0 => (0 / 0)
          vector(1) or vector(2) and 1 < vector(3) => \
          (vector(1.000000) or (vector(2.000000) and (1 < vector(3.000000))))
          label_replace(vector(1),"a","$1","b","(.*)") => \
          label_replace(vector(1.000000),"a","$1","b","(.*)")
          """)
  void queriesHaveANormalForm(String query, String normal) {
    String of = LogqlText.of(LogqlParser.parse(query));
    assertEquals(normal, of);
    assertEquals(of, LogqlText.of(LogqlParser.parse(of)));
  }

  @Test
  void generatedQueriesAreTheirNormalForms() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 2_000; i++) {
      String query = i % 2 == 0 ? new PlainQuery(random).text() : new PlainMetric(random).text();
      String normal = LogqlText.of(LogqlParser.parse(query));
      assertEquals(normal, LogqlText.of(LogqlParser.parse(normal)), query);
      String lines = LogqlPrinter.format(LogqlParser.parse(query));
      assertEquals(normal, LogqlText.of(LogqlParser.parse(lines)), lines);
    }
  }
}
