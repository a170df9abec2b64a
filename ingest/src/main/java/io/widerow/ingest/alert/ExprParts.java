package io.widerow.ingest.alert;

import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlFunction;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What an expression reads.
///
/// - Threads: one while it is made; then any.
final class ExprParts {
  private static final Set<PromqlFunction> OF_QUERY =
      EnumSet.of(
          PromqlFunction.START, PromqlFunction.END, PromqlFunction.STEP, PromqlFunction.RANGE);

  private final List<List<Matcher>> selectors = new ArrayList<>();
  private boolean ofQuery;
  private boolean ofFixedTime;

  private ExprParts() {}

  static ExprParts of(PromqlExpr expr) {
    ExprParts parts = new ExprParts();
    parts.add(expr);
    return parts;
  }

  /// True when it selects a series.
  boolean reads(Labels labels) {
    return selectors.stream()
        .anyMatch(
            matchers -> matchers.stream().allMatch(each -> each.test(labels.get(each.name()))));
  }

  /// True when the value at a time depends on the other times of its query.
  boolean isOfQuery() {
    return ofQuery;
  }

  /// True when it reads the same time whenever it is evaluated.
  boolean isOfFixedTime() {
    return ofFixedTime;
  }

  /// True when a selector may select a metric of one of the names.
  boolean mayRead(Collection<String> names) {
    return selectors.stream()
        .anyMatch(matchers ->
            names.stream()
                .anyMatch(name ->
                    matchers.stream()
                        .allMatch(each -> !each.name().equals(Labels.NAME) || each.test(name))));
  }

  private void add(@Nullable PromqlExpr expr) {
    switch (expr) {
      case null -> {}
      case PromqlExpr.NumberLiteral _, PromqlExpr.TextLiteral _ -> {}
      case PromqlExpr.Selector(var _, var matchers, var timing, var _) -> {
        selectors.add(matchers);
        add(timing);
      }
      case PromqlExpr.Range(var of, var range, var _) -> {
        add(of);
        add(range);
      }
      case PromqlExpr.Subquery(var of, var range, var step, var timing, var _) -> {
        add(of);
        add(range);
        add(step);
        add(timing);
      }
      case PromqlExpr.Call(var function, var arguments, var _) -> {
        ofQuery |= OF_QUERY.contains(function);
        arguments.forEach(this::add);
      }
      case PromqlExpr.Aggregate(var _, var of, var parameter, var _, var _, var _) -> {
        add(of);
        add(parameter);
      }
      case PromqlExpr.Binary(var _, var left, var right, var _, var _, var _) -> {
        add(left);
        add(right);
      }
      case PromqlExpr.Signed(var _, var of, var _) -> add(of);
      case PromqlExpr.Parentheses(var of, var _) -> add(of);
    }
  }

  private void add(PromqlExpr.Timing timing) {
    add(timing.offset());
    ofQuery |= timing.at() instanceof PromqlExpr.At.Start;
    ofQuery |= timing.at() instanceof PromqlExpr.At.End;
    ofFixedTime |= timing.at() != null;
  }
}
