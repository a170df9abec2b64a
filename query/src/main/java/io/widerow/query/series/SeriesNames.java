package io.widerow.query.series;

import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.query.series.Labels.Label;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The names that a matcher `=` may use for a name that it cannot write: with underscores in place
/// of other characters.
///
/// - Threads: any.
final class SeriesNames {
  private SeriesNames() {}

  /// The labels of a series under the names that matchers ask for; null when one of them does not
  /// keep it. The same object when the matchers use its names.
  static @Nullable Labels asked(List<Matcher> matchers, Labels labels) {
    Labels asked = labels;
    for (Matcher matcher : matchers) {
      if (!matcher.test(asked.get(matcher.name()))) {
        asked = alias(matcher, asked);
        if (asked == null) {
          return null;
        }
      }
    }
    return asked;
  }

  private static @Nullable Labels alias(Matcher matcher, Labels labels) {
    if (matcher.kind() != Matcher.Kind.EQUAL || matcher.text().isEmpty()) {
      return null;
    }
    String name = matcher.name();
    if (name.equals(Labels.NAME)) {
      return isAlias(matcher.text(), labels.get(name)) ? labels.named(matcher.text()) : null;
    }
    if (!name.contains("_") || !labels.get(name).isEmpty()) {
      return null;
    }
    for (Label label : labels.all()) {
      if (label.value().equals(matcher.text()) && LogqlNames.shown(label.name()).equals(name)) {
        List<Label> all = new ArrayList<>(labels.all());
        all.set(all.indexOf(label), new Label(name, label.value()));
        all.sort(Comparator.comparing(Label::name));
        return new Labels(all);
      }
    }
    return null;
  }

  /// Whether a name shows as another one.
  static boolean isAlias(String asked, String name) {
    return asked.contains("_") && LogqlNames.metric(name).equals(asked);
  }
}
