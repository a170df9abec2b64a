package io.widerow.query.promql.run;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.query.logql.GroupReferences;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.series.Labels;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The functions that change labels.
///
/// - Threads: any.
final class LabelFunctions {
  /// Stands in a text for bytes that are no UTF-8.
  private static final char REPLACED = '\ufffd';

  private static final int VALUE_CHARS_MAX = 1 << 16;

  private LabelFunctions() {}

  /// Sets a label to a replacement where a regular expression matches the whole of another label.
  static List<Row> replace(
      List<Row> rows, String to, String replacement, String from, String regex) {
    Pattern pattern;
    try {
      pattern = Pattern.compile("(?s:" + regex + ")");
    } catch (PatternSyntaxException odd) {
      throw PromqlException.ofExecution("invalid regular expression in label_replace(): " + regex);
    }
    requireLabel(to, "label_replace");
    return rows.stream()
        .map(row -> {
          var match = pattern.matcher(row.labels().get(from));
          return match.matches()
              ? row.of(
                  LabelEdits.with(
                      row.labels(),
                      to,
                      GroupReferences.expand(replacement, match, LabelFunctions::requireShort)))
              : row;
        })
        .toList();
  }

  /// A replacement may have a group many times.
  private static void requireShort(long chars) {
    if (chars > VALUE_CHARS_MAX) {
      throw PromqlException.ofExecution(
          "label_replace(): a label of more than %d characters".formatted(VALUE_CHARS_MAX));
    }
  }

  /// Sets a label to the values of others, with a separator between them.
  static List<Row> join(List<Row> rows, String to, String separator, List<String> from) {
    requireLabel(to, "label_join");
    return rows.stream()
        .map(row -> {
          List<String> values = from.stream().map(row.labels()::get).toList();
          return row.of(LabelEdits.with(row.labels(), to, String.join(separator, values)));
        })
        .toList();
  }

  /// The labels of series that are absent. A matcher for equality gives its label. Any other
  /// matcher of the name that follows removes it.
  static Labels ofAbsent(PromqlExpr of) {
    Labels labels = LabelEdits.NONE;
    if (of.bare() instanceof PromqlExpr.Selector selector) {
      Set<String> set = new HashSet<>();
      for (Matcher matcher : selector.matchers()) {
        String name = matcher.name();
        if (!name.equals(Labels.NAME)) {
          boolean first = matcher.kind() == Matcher.Kind.EQUAL && set.add(name);
          labels = LabelEdits.with(labels, name, first ? matcher.text() : "");
        }
      }
    }
    return labels;
  }

  private static void requireLabel(String name, String function) {
    if (name.isEmpty() || name.indexOf(REPLACED) >= 0) {
      throw PromqlException.ofExecution(
          "invalid destination label name in %s(): %s".formatted(function, name));
    }
  }
}
