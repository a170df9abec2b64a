package io.widerow.storage.manifest;

import io.widerow.event.SavedRule;
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

/// The manifest's section of rules that the store keeps for its owner.
///
/// ```
///   count (2) of rules, then each:
///     bytes of its name (1) | name | bytes of its definition (2) | definition       UTF-8
/// ```
///
/// @param rules in the order of names; no two have the same
public record RuleSection(List<SavedRule> rules) {
  /// The most rules.
  public static final int COUNT_MAX = 1_024;

  public RuleSection {
    rules = List.copyOf(rules);
  }

  /// The section of a manifest; without rules when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  public static RuleSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(ManifestSections.RULES);
    return bytes == null ? new RuleSection(List.of()) : of(bytes);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(ManifestSections.RULES, toBytes());
  }

  byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeShort(rules.size());
      for (SavedRule rule : rules) {
        byte[] name = rule.name().getBytes(StandardCharsets.UTF_8);
        byte[] definition = rule.definition().getBytes(StandardCharsets.UTF_8);
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

  static RuleSection of(byte[] bytes) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<SavedRule> rules = new ArrayList<>();
      Set<String> names = new HashSet<>();
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        SavedRule rule =
            new SavedRule(text(in, in.readUnsignedByte()), text(in, in.readUnsignedShort()));
        if (!names.add(rule.name())) {
          throw new IOException("rules: %s twice".formatted(rule.name()));
        }
        rules.add(rule);
      }
      if (in.available() > 0) {
        throw new IOException("rules: %d bytes after their end".formatted(in.available()));
      }
      return new RuleSection(rules);
    } catch (IllegalArgumentException refused) {
      throw new IOException("rules: " + refused.getMessage(), refused);
    }
  }

  private static String text(DataInputStream in, int length) throws IOException {
    byte[] text = new byte[length];
    in.readFully(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
