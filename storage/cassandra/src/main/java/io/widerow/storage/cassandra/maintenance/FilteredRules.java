package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.manifest.FilteredRetentionSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Retention of the events that filters keep. Its text is the body of the policy
/// `retention.filtered`: a line for each. Its first word counts, the rest is for people:
///
/// ```
/// 1                                     version of the text
/// AAEABnNob3AuKgAA... shop.* PT24H level <= debug
/// ```
///
/// The word is the section of a manifest with this policy only, in Base64.
///
/// @param policies in the order in which they were set
record FilteredRules(List<FilteredRetention> policies) {
  static final FilteredRules NONE = new FilteredRules(List.of());

  private static final String VERSION = "1";

  /// @throws IllegalArgumentException when there are too many
  FilteredRules {
    policies = new FilteredRetentionSection(policies).policies();
  }

  /// These without the policy of some types and a filter.
  FilteredRules without(String glob, Filter filter) {
    return new FilteredRules(policies.stream().filter(each -> !each.isFor(glob, filter)).toList());
  }

  /// These with one in place of that of the same types and filter.
  FilteredRules with(FilteredRetention policy) {
    List<FilteredRetention> all = new ArrayList<>(without(policy.glob(), policy.filter()).policies);
    all.add(policy);
    return new FilteredRules(all);
  }

  /// @throws PolicyException when the text is not what [#text] writes
  static FilteredRules parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().equals(VERSION)) {
      throw new PolicyException(
          "policy retention.filtered of version '%s'; this program knows version %s"
              .formatted(lines.isEmpty() ? "" : lines.getFirst(), VERSION));
    }
    List<FilteredRetention> all = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      try {
        byte[] bytes = Base64.getDecoder().decode(line.split(" ", 2)[0]);
        all.addAll(FilteredRetentionSection.of(bytes).policies());
      } catch (IOException | IllegalArgumentException bad) {
        throw new PolicyException(
            "policy retention.filtered has the line '%s'".formatted(line), bad);
      }
    }
    return new FilteredRules(all);
  }

  /// @throws IllegalArgumentException when a filter cannot be stored
  String text() {
    StringBuilder text = new StringBuilder(VERSION + "\n");
    for (FilteredRetention each : policies) {
      byte[] bytes = new FilteredRetentionSection(List.of(each)).toBytes();
      text.append(Base64.getEncoder().encodeToString(bytes))
          .append(' ')
          .append("%s %s %s".formatted(each.glob(), each.age(), each.where()).replace('\n', ' '))
          .append('\n');
    }
    return text.toString();
  }
}
