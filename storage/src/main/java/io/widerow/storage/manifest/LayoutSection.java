package io.widerow.storage.manifest;

import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy.Source;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The manifest's section about layouts: the rules that were set while the store was open.
///
/// ```
///   count (2) of rules, then each:
///     bytes of glob (1) | glob, UTF-8 | width in minutes (2) | shards (2)
///   a width or a number of shards: 0 the store chooses, -1 the rule says nothing about it
/// ```
///
/// @param rules of the source API, in the order in which they were set
public record LayoutSection(List<LayoutOverride> rules) {
  public LayoutSection {
    rules = List.copyOf(rules);
  }

  /// The overrides in sections; null for none.
  ///
  /// @throws IOException when the bytes are no such section
  static @Nullable LayoutSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(ManifestSections.LAYOUTS);
    return bytes == null ? null : of(bytes);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(ManifestSections.LAYOUTS, toBytes());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeShort(rules.size());
      for (LayoutOverride rule : rules) {
        SectionBytes.putShort(rule.glob(), out);
        out.writeShort(rule.widthMinutes());
        out.writeShort(rule.shards());
      }
    });
  }

  static LayoutSection of(byte[] bytes) throws IOException {
    return SectionBytes.read(
        "layouts",
        bytes,
        in ->
            new LayoutSection(
                SectionBytes.list(in, in.readUnsignedShort(), LayoutSection::override)));
  }

  private static LayoutOverride override(DataInputStream in) throws IOException {
    return new LayoutOverride(
        SectionBytes.shortText(in), in.readShort(), in.readShort(), Source.API);
  }
}
