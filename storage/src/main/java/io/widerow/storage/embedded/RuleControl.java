package io.widerow.storage.embedded;

import io.widerow.event.SavedRule;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.manifest.RuleSection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The rules that an open store keeps for its owner. A change is durable when the call returns.
///
/// - Threads: any.
public final class RuleControl {
  private final StoreContents contents;
  private final Runnable requireOpen;

  /// @param requireOpen throws while the store may not be changed yet
  RuleControl(StoreContents contents, Runnable requireOpen) {
    this.contents = contents;
    this.requireOpen = requireOpen;
  }

  /// All rules, in the order of names.
  public List<SavedRule> all() {
    return of(contents.sections()).rules();
  }

  /// Sets a rule, in place of the one with its name.
  ///
  /// @throws IllegalArgumentException when there are too many
  public void set(SavedRule rule) {
    requireOpen.run();
    contents.change(sections -> {
      List<SavedRule> next = without(rule.name(), sections);
      next.add(rule);
      if (next.size() > RuleSection.COUNT_MAX) {
        throw new IllegalArgumentException(
            "rule: %d are set; at most %d can be"
                .formatted(next.size() - 1, RuleSection.COUNT_MAX));
      }
      next.sort(Comparator.comparing(SavedRule::name));
      return new RuleSection(next).toSections();
    });
  }

  /// Removes a rule.
  ///
  /// @throws IllegalArgumentException when there is none of this name
  public void unset(String name) {
    requireOpen.run();
    contents.change(sections -> {
      List<SavedRule> next = without(name, sections);
      List<SavedRule> before = of(sections).rules();
      if (next.size() == before.size()) {
        List<String> names = before.stream().map(SavedRule::name).toList();
        throw new IllegalArgumentException(
            "rule: there is no '%s'; %s"
                .formatted(
                    name,
                    names.isEmpty() ? "none is set" : "there are " + String.join(", ", names)));
      }
      return new RuleSection(next).toSections();
    });
  }

  private static List<SavedRule> without(String name, ManifestSections sections) {
    List<SavedRule> rules = new ArrayList<>(of(sections).rules());
    rules.removeIf(rule -> rule.name().equals(name));
    return rules;
  }

  private static RuleSection of(ManifestSections sections) {
    try {
      return RuleSection.of(sections);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // the manifest was read
    }
  }
}
