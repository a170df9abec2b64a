package io.widerow.storage.manifest;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupShape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeShort(rollups.size());
      for (RollupDefinition rollup : rollups) {
        write(rollup, out);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // a byte array takes everything
    }
    return bytes.toByteArray();
  }

  private static void write(RollupDefinition rollup, DataOutputStream out) throws IOException {
    RollupShape shape = rollup.shape();
    Duration keep = rollup.keep();
    write(rollup.name(), out);
    write(rollup.glob(), out);
    write(rollup.stats(), out);
    out.writeByte(shape.minutes());
    out.writeLong(keep == null ? 0 : keep.toNanos());
    out.writeByte(shape.by().size());
    for (AttributeName name : shape.by()) {
      write(name.toString(), out);
    }
    out.writeByte(shape.fields().size());
    for (RollupField field : shape.fields()) {
      write(field.name().toString(), out);
      out.writeByte(field.figures());
    }
  }

  private static void write(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeShort(utf8.length);
    out.write(utf8);
  }

  static RollupSection of(byte[] bytes) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<RollupDefinition> rollups = new ArrayList<>();
      Set<String> names = new HashSet<>();
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        RollupDefinition rollup = read(in);
        if (!names.add(rollup.name())) {
          throw new IOException("rollups: %s twice".formatted(rollup.name()));
        }
        rollups.add(rollup);
      }
      if (in.available() > 0) {
        throw new IOException("rollups: %d bytes after their end".formatted(in.available()));
      }
      return new RollupSection(rollups);
    } catch (IllegalArgumentException refused) {
      throw new IOException("rollups: " + refused.getMessage(), refused);
    }
  }

  private static RollupDefinition read(DataInputStream in) throws IOException {
    String name = text(in);
    String glob = text(in);
    String stats = text(in);
    int minutes = in.readUnsignedByte();
    long keepNanos = in.readLong();
    List<AttributeName> by = new ArrayList<>();
    for (int left = in.readUnsignedByte(); left > 0; left--) {
      by.add(AttributeName.of(text(in)));
    }
    List<RollupField> fields = new ArrayList<>();
    for (int left = in.readUnsignedByte(); left > 0; left--) {
      fields.add(new RollupField(AttributeName.of(text(in)), in.readUnsignedByte()));
    }
    @Nullable Duration keep = keepNanos == 0 ? null : Duration.ofNanos(keepNanos);
    return new RollupDefinition(name, glob, new RollupShape(minutes, by, fields), stats, keep);
  }

  private static String text(DataInputStream in) throws IOException {
    byte[] text = new byte[in.readUnsignedShort()];
    in.readFully(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
