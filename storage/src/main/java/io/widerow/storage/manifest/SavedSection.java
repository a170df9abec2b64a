package io.widerow.storage.manifest;

import io.widerow.event.SavedText;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A section of the manifest with texts that the store keeps for its owner: rules that watch, or
/// queries.
///
/// ```
///   count (2) of texts, then each:
///     bytes of its name (1) | name | bytes of its definition (2) | definition       UTF-8
/// ```
///
/// @param texts in the order of names; no two have the same
public record SavedSection(List<SavedText> texts) {
  /// The most texts.
  public static final int COUNT_MAX = 1_024;

  public SavedSection {
    texts = List.copyOf(texts);
  }

  /// The section of a manifest; without texts when it has none.
  ///
  /// @param kind such as [ManifestSections#RULES]
  /// @throws IOException when the bytes are no such section
  public static SavedSection of(ManifestSections sections, int kind) throws IOException {
    byte[] bytes = sections.get(kind);
    return bytes == null ? new SavedSection(List.of()) : of(bytes);
  }

  public ManifestSections toSections(int kind) {
    return ManifestSections.of(kind, toBytes());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeShort(texts.size());
      for (SavedText text : texts) {
        SectionBytes.putShort(text.name(), out);
        SectionBytes.put(text.definition(), out);
      }
    });
  }

  static SavedSection of(byte[] bytes) throws IOException {
    List<SavedText> texts =
        SectionBytes.read(
            "saved texts",
            bytes,
            in -> SectionBytes.list(in, in.readUnsignedShort(), SavedSection::read));
    Set<String> names = new HashSet<>();
    for (SavedText text : texts) {
      if (!names.add(text.name())) {
        throw new IOException("saved texts: %s twice".formatted(text.name()));
      }
    }
    return new SavedSection(texts);
  }

  private static SavedText read(DataInputStream in) throws IOException {
    return new SavedText(SectionBytes.shortText(in), SectionBytes.text(in));
  }
}
