package io.widerow.storage.manifest;

import io.widerow.event.SavedText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeShort(texts.size());
      for (SavedText text : texts) {
        byte[] name = text.name().getBytes(StandardCharsets.UTF_8);
        byte[] definition = text.definition().getBytes(StandardCharsets.UTF_8);
        out.writeByte(name.length);
        out.write(name);
        out.writeShort(definition.length);
        out.write(definition);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // a byte array takes everything
    }
    return bytes.toByteArray();
  }

  static SavedSection of(byte[] bytes) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<SavedText> texts = new ArrayList<>();
      Set<String> names = new HashSet<>();
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        SavedText text =
            new SavedText(text(in, in.readUnsignedByte()), text(in, in.readUnsignedShort()));
        if (!names.add(text.name())) {
          throw new IOException("saved texts: %s twice".formatted(text.name()));
        }
        texts.add(text);
      }
      if (in.available() > 0) {
        throw new IOException("saved texts: %d bytes after their end".formatted(in.available()));
      }
      return new SavedSection(texts);
    } catch (IllegalArgumentException refused) {
      throw new IOException("saved texts: " + refused.getMessage(), refused);
    }
  }

  private static String text(DataInputStream in, int length) throws IOException {
    byte[] text = new byte[length];
    in.readFully(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
