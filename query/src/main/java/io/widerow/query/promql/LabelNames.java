package io.widerow.query.promql;

import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Matching;
import java.util.Set;
import java.util.TreeSet;

/// The names of labels in an expression. Events that are neither samples nor measurements have
/// these labels.
///
/// - Threads: any.
public final class LabelNames {
  private LabelNames() {}

  /// All names, of selectors too.
  public static Set<String> of(PromqlExpr expr) {
    Set<String> names = new TreeSet<>();
    add(expr, names);
    return names;
  }

  private static void add(PromqlExpr expr, Set<String> names) {
    switch (expr) {
      case PromqlExpr.NumberLiteral _, PromqlExpr.TextLiteral _ -> {}
      case PromqlExpr.Selector selector ->
          selector.matchers().forEach(matcher -> names.add(matcher.name()));
      case PromqlExpr.Range range -> add(range.of(), names);
      case PromqlExpr.Subquery subquery -> add(subquery.of(), names);
      case PromqlExpr.Signed signed -> add(signed.of(), names);
      case PromqlExpr.Parentheses inner -> add(inner.of(), names);
      case Call call -> {
        boolean edits =
            call.function() == PromqlFunction.LABEL_REPLACE
                || call.function() == PromqlFunction.LABEL_JOIN;
        for (PromqlExpr argument : call.arguments()) {
          if (edits && argument.bare() instanceof PromqlExpr.TextLiteral(String text, var _)) {
            names.add(text);
          }
          add(argument, names);
        }
      }
      case Aggregate aggregate -> {
        names.addAll(aggregate.labels());
        add(aggregate.of(), names);
        PromqlExpr parameter = aggregate.parameter();
        if (parameter != null) {
          add(parameter, names);
        }
      }
      case Binary binary -> {
        Matching matching = binary.matching();
        if (matching != null) {
          names.addAll(matching.labels());
          names.addAll(matching.include());
        }
        add(binary.left(), names);
        add(binary.right(), names);
      }
    }
  }
}
