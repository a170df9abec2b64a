package io.widerow.storage.manifest;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupShape;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The manifest's section of rollups that are defined.
///
/// ```
///   count (2) of rollups, then each:
///     a text, its name | a text, its glob | a text, its aggregates |
///     minutes (1) of a step | keep in ns (8), 0 for as long as events |
///     count (1) of names, then each a text |
///     count (1) of fields, then each: a text, its name | figures (1), bits of RollupFigure
///   a text: length (2) | UTF-8
/// ```
///
/// @param rollups in the order of names; no two have the same
public record RollupSection(List<RollupDefinition> rollups) {
  /// The most rollups.
  public static final int COUNT_MAX = 64;

  public RollupSection {
    rollups = List.copyOf(rollups);
  }

  /// The section of a manifest; without rollups when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  public static RollupSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(ManifestSections.ROLLUPS);
    return bytes == null ? new RollupSection(List.of()) : of(bytes);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(ManifestSections.ROLLUPS, toBytes());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeShort(rollups.size());
      for (RollupDefinition rollup : rollups) {
        write(rollup, out);
      }
    });
  }

  private static void write(RollupDefinition rollup, DataOutputStream out) throws IOException {
    RollupShape shape = rollup.shape();
    Duration keep = rollup.keep();
    SectionBytes.put(rollup.name(), out);
    SectionBytes.put(rollup.glob(), out);
    SectionBytes.put(rollup.stats(), out);
    out.writeByte(shape.minutes());
    out.writeLong(keep == null ? 0 : keep.toNanos());
    out.writeByte(shape.by().size());
    for (AttributeName name : shape.by()) {
      SectionBytes.put(name.toString(), out);
    }
    out.writeByte(shape.fields().size());
    for (RollupField field : shape.fields()) {
      SectionBytes.put(field.name().toString(), out);
      out.writeByte(field.figures());
    }
  }

  static RollupSection of(byte[] bytes) throws IOException {
    List<RollupDefinition> rollups =
        SectionBytes.read(
            "rollups",
            bytes,
            in -> SectionBytes.list(in, in.readUnsignedShort(), RollupSection::read));
    Set<String> names = new HashSet<>();
    for (RollupDefinition rollup : rollups) {
      if (!names.add(rollup.name())) {
        throw new IOException("rollups: %s twice".formatted(rollup.name()));
      }
    }
    return new RollupSection(rollups);
  }

  private static RollupDefinition read(DataInputStream in) throws IOException {
    String name = SectionBytes.text(in);
    String glob = SectionBytes.text(in);
    String stats = SectionBytes.text(in);
    int minutes = in.readUnsignedByte();
    long keepNanos = in.readLong();
    List<AttributeName> by = SectionBytes.list(in, in.readUnsignedByte(), RollupSection::name);
    List<RollupField> fields =
        SectionBytes.list(
            in,
            in.readUnsignedByte(),
            each -> new RollupField(name(each), each.readUnsignedByte()));
    @Nullable Duration keep = keepNanos == 0 ? null : Duration.ofNanos(keepNanos);
    return new RollupDefinition(name, glob, new RollupShape(minutes, by, fields), stats, keep);
  }

  private static AttributeName name(DataInputStream in) throws IOException {
    return AttributeName.of(SectionBytes.text(in));
  }
}
