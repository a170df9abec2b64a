package io.widerow.storage.embedded;

import io.widerow.event.SavedText;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.manifest.SavedSection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Texts of one kind that an open store keeps for its owner. A change is durable when the call
/// returns.
///
/// - Threads: any.
public final class SavedControl {
  private final StoreContents contents;
  private final Runnable requireOpen;
  private final Kind kind;

  /// Kind of a saved object.
  public enum Kind {
    RULES(ManifestSections.RULES, "rule"),
    QUERIES(ManifestSections.QUERIES, "query");

    private final int section;
    private final String one; // in sentences

    Kind(int section, String one) {
      this.section = section;
      this.one = one;
    }
  }

  /// @param requireOpen throws while the store may not be changed yet
  SavedControl(StoreContents contents, Runnable requireOpen, Kind kind) {
    this.contents = contents;
    this.requireOpen = requireOpen;
    this.kind = kind;
  }

  /// All texts, in the order of names.
  public List<SavedText> all() {
    return of(contents.sections());
  }

  /// Sets a text, in place of the one with its name.
  ///
  /// @throws IllegalArgumentException when there are too many
  public void set(SavedText text) {
    requireOpen.run();
    contents.change(sections -> {
      List<SavedText> next = without(text.name(), sections);
      next.add(text);
      if (next.size() > SavedSection.COUNT_MAX) {
        throw new IllegalArgumentException(
            "%s: %d are set; at most %d can be"
                .formatted(kind.one, next.size() - 1, SavedSection.COUNT_MAX));
      }
      next.sort(Comparator.comparing(SavedText::name));
      return new SavedSection(next).toSections(kind.section);
    });
  }

  /// Removes a text.
  ///
  /// @throws IllegalArgumentException when there is none of this name
  public void unset(String name) {
    requireOpen.run();
    contents.change(sections -> {
      List<SavedText> next = without(name, sections);
      if (next.size() == of(sections).size()) {
        throw new IllegalArgumentException(noneSuch(name));
      }
      return new SavedSection(next).toSections(kind.section);
    });
  }

  /// The error for an unknown name, with the existing names.
  public String noneSuch(String name) {
    List<String> names = all().stream().map(SavedText::name).toList();
    return "%s: there is no '%s'; %s"
        .formatted(
            kind.one,
            name,
            names.isEmpty() ? "none is set" : "there are " + String.join(", ", names));
  }

  private List<SavedText> without(String name, ManifestSections sections) {
    List<SavedText> texts = new ArrayList<>(of(sections));
    texts.removeIf(text -> text.name().equals(name));
    return texts;
  }

  private List<SavedText> of(ManifestSections sections) {
    try {
      return SavedSection.of(sections, kind.section).texts();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // the manifest was read
    }
  }
}
