package io.widerow.query.promql;

import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Matching;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The selectors in an expression, and the names of labels: events that are neither samples nor
/// measurements have these labels.
///
/// - Threads: any.
public final class LabelNames {
  private LabelNames() {}

  /// All names, of selectors too.
  public static Set<String> of(PromqlExpr expr) {
    Set<String> names = new TreeSet<>();
    add(expr, names, new ArrayList<>());
    return names;
  }

  /// All selectors, also those of ranges.
  public static List<PromqlExpr.Selector> selectors(PromqlExpr expr) {
    List<PromqlExpr.Selector> selectors = new ArrayList<>();
    add(expr, new TreeSet<>(), selectors);
    return selectors;
  }

  private static void add(PromqlExpr expr, Set<String> names, List<PromqlExpr.Selector> selectors) {
    switch (expr) {
      case PromqlExpr.NumberLiteral _, PromqlExpr.TextLiteral _ -> {}
      case PromqlExpr.Selector selector -> {
        selectors.add(selector);
        selector.matchers().forEach(matcher -> names.add(matcher.name()));
      }
      case PromqlExpr.Range range -> add(range.of(), names, selectors);
      case PromqlExpr.Subquery subquery -> add(subquery.of(), names, selectors);
      case PromqlExpr.Signed signed -> add(signed.of(), names, selectors);
      case PromqlExpr.Parentheses inner -> add(inner.of(), names, selectors);
      case Call call -> {
        boolean edits =
            call.function() == PromqlFunction.LABEL_REPLACE
                || call.function() == PromqlFunction.LABEL_JOIN;
        for (PromqlExpr argument : call.arguments()) {
          if (edits && argument.bare() instanceof PromqlExpr.TextLiteral(String text, var _)) {
            names.add(text);
          }
          add(argument, names, selectors);
        }
      }
      case Aggregate aggregate -> {
        names.addAll(aggregate.labels());
        add(aggregate.of(), names, selectors);
        PromqlExpr parameter = aggregate.parameter();
        if (parameter != null) {
          add(parameter, names, selectors);
        }
      }
      case Binary binary -> {
        Matching matching = binary.matching();
        if (matching != null) {
          names.addAll(matching.labels());
          names.addAll(matching.include());
        }
        add(binary.left(), names, selectors);
        add(binary.right(), names, selectors);
      }
    }
  }
}
