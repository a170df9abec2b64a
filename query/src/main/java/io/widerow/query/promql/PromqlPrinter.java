package io.widerow.query.promql;

import io.widerow.query.logql.GoDuration;
import io.widerow.query.logql.GoQuotes;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.At;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Cardinality;
import io.widerow.query.promql.PromqlExpr.Matching;
import io.widerow.query.promql.PromqlExpr.Range;
import io.widerow.query.promql.PromqlExpr.Selector;
import io.widerow.query.promql.PromqlExpr.Subquery;
import io.widerow.query.promql.PromqlExpr.Timing;
import io.widerow.query.series.Labels;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes expressions in their canonical form, which parses to the same expression.
///
/// - Threads: any.
public final class PromqlPrinter {
  private static final Pattern METRIC = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  private PromqlPrinter() {}

  public static String print(PromqlExpr expr) {
    return switch (expr) {
      case PromqlExpr.NumberLiteral(double value, boolean isDuration, var _) ->
          isDuration ? duration(value) : GoNumber.shortest(value);
      case PromqlExpr.TextLiteral(String text, var _) -> GoQuotes.quoted(text);
      case Selector selector -> selector(selector) + timing(selector.timing());
      case Range(Selector of, var range, var _) ->
          selector(of) + "[" + print(range) + "]" + timing(of.timing());
      case Subquery(var of, var range, var step, var timing, var _) ->
          print(of)
              + "["
              + print(range)
              + ":"
              + (step == null ? "" : print(step))
              + "]"
              + timing(timing);
      case Call(var function, var arguments, var _) ->
          function.text
              + arguments.stream()
                  .map(PromqlPrinter::print)
                  .collect(Collectors.joining(", ", "(", ")"));
      case Aggregate aggregate -> aggregate(aggregate);
      case Binary binary -> binary(binary);
      case PromqlExpr.Signed(boolean negative, var of, var _) -> (negative ? "-" : "+") + print(of);
      case PromqlExpr.Parentheses(var of, var _) -> "(" + print(of) + ")";
    };
  }

  private static String aggregate(Aggregate of) {
    String by = of.without() ? " without " + names(of.labels()) + " " : "";
    if (!of.without() && !of.labels().isEmpty()) {
      by = " by " + names(of.labels()) + " ";
    }
    String parameter = of.parameter() == null ? "" : print(of.parameter()) + ", ";
    return of.operator().name().toLowerCase(Locale.ROOT)
        + by
        + "("
        + parameter
        + print(of.of())
        + ")";
  }

  private static String binary(Binary of) {
    StringBuilder text = new StringBuilder(print(of.left()));
    text.append(' ').append(of.operator().sign).append(of.bool() ? " bool " : " ");
    Matching matching = of.matching();
    if (matching != null) {
      if (matching.on() || !matching.labels().isEmpty()) {
        text.append(matching.on() ? "on " : "ignoring ").append(names(matching.labels()));
        text.append(' ');
      }
      if (matching.cardinality() == Cardinality.MANY_TO_ONE) {
        text.append("group_left ").append(names(matching.include())).append(' ');
      } else if (matching.cardinality() == Cardinality.ONE_TO_MANY) {
        text.append("group_right ").append(names(matching.include())).append(' ');
      }
    }
    return text.append(print(of.right())).toString();
  }

  private static String names(List<String> names) {
    return names.stream().map(PromqlPrinter::label).collect(Collectors.joining(", ", "(", ")"));
  }

  /// True for the name of a metric that needs no quotes.
  public static boolean isMetric(String name) {
    return METRIC.matcher(name).matches();
  }

  /// The name of a label, in quotes if it needs them.
  public static String label(String name) {
    return LABEL.matcher(name).matches() ? name : GoQuotes.quoted(name);
  }

  private static String selector(Selector of) {
    boolean bare = isMetric(of.name());
    List<String> parts =
        of.matchers().stream()
            .filter(each -> of.name().isEmpty() || !each.name().equals(Labels.NAME))
            .map(PromqlPrinter::matcher)
            .collect(Collectors.toList());
    if (!bare && !of.name().isEmpty()) {
      parts.addFirst(GoQuotes.quoted(of.name()));
    }
    String braces = parts.isEmpty() ? "" : "{" + String.join(",", parts) + "}";
    return (bare ? of.name() : "") + braces;
  }

  private static String matcher(Matcher matcher) {
    return label(matcher.name()) + matcher.kind().sign + GoQuotes.quoted(matcher.text());
  }

  private static String timing(Timing timing) {
    String at =
        switch (timing.at()) {
          case null -> "";
          case At.Time(long millis) -> String.format(Locale.ROOT, " @ %.3f", millis / 1e3);
          case At.Start _ -> " @ start()";
          case At.End _ -> " @ end()";
        };
    return at + offset(timing.offset());
  }

  private static String offset(@Nullable PromqlExpr offset) {
    return offset == null ? "" : " offset " + print(offset);
  }

  private static String duration(double seconds) {
    return GoDuration.ofMillis(Math.round(seconds * 1e3));
  }
}
