package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// Goal: a long query is shown in the lines that Loki gives it, and is the same query. Method: each
/// kind of expression at a short width with its lines, and again at every width.
class LogqlPrinterTest {
  private static final int LINE_BYTES = 24;

  /// Queries, and their lines.
  private static final List<String> KINDS =
      List.of(
          """
          {shop="berlin"}
          {shop="berlin"}
          """,
          """
          {shop="berlin",till="5"}|json a="b[0]",c|d>5|decolorize
          {shop="berlin", till="5"}
            | json a="b[0]",c="c"
            | d>5
            | decolorize
          """,
          """
          {shop="berlin"}|="a"!="b" or "c"|~"abcdef"|="g"
          {shop="berlin"}
            |= "a" != "b" != "c"
            |~ "abcdef"
            |= "g"
          """,
          """
          sum(count_over_time({shop="berlin"}|logfmt[1h] offset 90m))by(a,b)
          sum by (a, b)(
            count_over_time(
              {shop="berlin"} | logfmt [1h] offset 1h30m
            )
          )
          """,
          """
          topk(3,avg_over_time({a="b"}|json|unwrap duration(c)|d="e"[5m])by(f))
          topk(
            3,
            avg_over_time(
              {a="b"} | json
                | unwrap duration(c)
                | d="e" [5m]
            ) by (f)
          )
          """,
          """
          quantile_over_time(.5,{a="b"}|unwrap c[5m] offset -1m)
          quantile_over_time(
            0.5,
            {a="b"}
              | unwrap c [5m] offset -1m
          )
          """,
          """
          label_replace(rate({a="b"}[1m]),"c","$1","d","(.*)")
          label_replace(
            rate({a="b"}[1m]),
            "c",
            "$1",
            "d",
            "(.*)"
          )
          """,
          """
          rate({a="b"}[1m])-rate({a="c"}[1m])/on(d,e)group_left(f)rate({a="g"}[1m])
            rate({a="b"}[1m])
          -
              rate({a="c"}[1m])
            / on (d, e) group_left (f)
              rate({a="g"}[1m])
          """,
          """
          (rate({a="b"}[1m])-rate({a="c"}[1m]))*1
            (
                rate({a="b"}[1m])
              -
                rate({a="c"}[1m])
            )
          *
            1
          """);

  private static String query(String kind) {
    return kind.substring(0, kind.indexOf('\n'));
  }

  @ParameterizedTest
  @FieldSource("KINDS")
  void eachPartThatIsTooLongIsSplit(String kind) {
    String lines = LogqlPrinter.format(LogqlParser.parse(query(kind)), LINE_BYTES);
    assertEquals(kind.substring(kind.indexOf('\n') + 1).stripTrailing(), lines);
  }

  @Test
  void theLinesAreTheSameQuery() {
    for (String kind : KINDS) {
      Expr expr = LogqlParser.parse(query(kind));
      String normal = LogqlText.of(expr);
      for (int width = 0; width <= 100; width++) {
        String lines = LogqlPrinter.format(expr, width);
        assertEquals(normal, LogqlText.of(LogqlParser.parse(lines)), lines);
      }
    }
  }
}
