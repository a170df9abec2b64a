package io.widerow.ingest.alert;

import io.widerow.query.logql.RuleTemplate;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// An alert rule, or a recording rule.
///
/// @param isAlert false for a recording rule
/// @param name of the alert, or of the recorded series
/// @param forMillis how long an alert is pending before it fires
/// @param keepMillis how long it continues to fire without a result
/// @param labels in addition to those of the result, with those of the group
/// @param annotations of the alert
record Rule(
    boolean isAlert,
    String name,
    RuleExpr expr,
    long forMillis,
    long keepMillis,
    SortedMap<String, Text> labels,
    SortedMap<String, Text> annotations) {
  Rule {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /// A text of a rule, with its template.
  ///
  /// @param text as it is written
  /// @param template expands it
  record Text(String text, RuleTemplate template) {
    /// @throws IllegalArgumentException in Go's words when the text is no template
    static Text of(String text) {
      return new Text(text, new RuleTemplate(text));
    }
  }

  /// The texts of labels or annotations as they are written.
  static SortedMap<String, String> written(SortedMap<String, Text> texts) {
    SortedMap<String, String> written = new TreeMap<>();
    texts.forEach((name, text) -> written.put(name, text.text()));
    return written;
  }

  /// True for a rule whose state may be continued by the other one.
  boolean isSame(Rule other) {
    return isAlert == other.isAlert
        && name.equals(other.name)
        && expr.text().equals(other.expr.text())
        && written(labels).equals(written(other.labels));
  }
}
