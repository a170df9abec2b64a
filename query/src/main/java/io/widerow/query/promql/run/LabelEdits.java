package io.widerow.query.promql.run;

import io.widerow.query.logql.GoQuotes;
import io.widerow.query.series.Labels;
import io.widerow.query.series.Labels.Label;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// Labels made of other labels. Labels stay in the order of their names.
///
/// - Threads: any.
final class LabelEdits {
  static final Labels NONE = new Labels(List.of());

  private LabelEdits() {}

  /// Without the name of the metric.
  static Labels unnamed(Labels labels) {
    return labels.get(Labels.NAME).isEmpty() ? labels : without(labels, List.of(Labels.NAME));
  }

  /// Only some of them.
  static Labels only(Labels labels, Collection<String> names) {
    return new Labels(labels.all().stream().filter(each -> names.contains(each.name())).toList());
  }

  static Labels without(Labels labels, Collection<String> names) {
    return new Labels(labels.all().stream().filter(each -> !names.contains(each.name())).toList());
  }

  /// With a label, or without it when its value is empty.
  static Labels with(Labels labels, String name, String value) {
    List<Label> all = new ArrayList<>(labels.all());
    all.removeIf(each -> each.name().equals(name));
    if (!value.isEmpty()) {
      all.add(new Label(name, value));
      all.sort(Comparator.comparing(Label::name));
    }
    return new Labels(all);
  }

  /// As errors show them: `{a="b"}`.
  static String text(Labels labels) {
    StringBuilder text = new StringBuilder("{");
    for (Label label : labels.all()) {
      text.append(text.length() == 1 ? "" : ", ")
          .append(label.name())
          .append('=')
          .append(GoQuotes.quoted(label.value()));
    }
    return text.append('}').toString();
  }
}
