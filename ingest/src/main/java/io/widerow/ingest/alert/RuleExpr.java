package io.widerow.ingest.alert;

import io.widerow.query.logql.Metric;
import io.widerow.query.promql.PromqlExpr;

/// The expression of a rule. A closed set.
sealed interface RuleExpr {
  /// As it is written.
  String text();

  /// PromQL.
  record Promql(String text, PromqlExpr expr) implements RuleExpr {}

  /// LogQL.
  record Logql(String text, Metric metric) implements RuleExpr {}

  /// An aggregate and a threshold, of a rule that the store keeps.
  record Aggregate(AlertRule rule) implements RuleExpr {
    @Override
    public String text() {
      return rule.expression();
    }
  }
}
