package io.widerow.storage.manifest;

import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionRule.Source;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeShort(rules.size());
      for (LayoutOverride rule : rules) {
        byte[] glob = rule.glob().getBytes(StandardCharsets.UTF_8);
        out.writeByte(glob.length);
        out.write(glob);
        out.writeShort(rule.widthMinutes());
        out.writeShort(rule.shards());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // a byte array takes everything
    }
    return bytes.toByteArray();
  }

  static LayoutSection of(byte[] bytes) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<LayoutOverride> rules = new ArrayList<>();
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        byte[] glob = new byte[in.readUnsignedByte()];
        in.readFully(glob);
        rules.add(
            new LayoutOverride(
                new String(glob, StandardCharsets.UTF_8),
                in.readShort(),
                in.readShort(),
                Source.API));
      }
      if (in.available() > 0) {
        throw new IOException("layouts: %d bytes after their end".formatted(in.available()));
      }
      return new LayoutSection(rules);
    } catch (IllegalArgumentException refused) {
      throw new IOException("layouts: " + refused.getMessage(), refused);
    }
  }
}
