package io.widerow.storage.manifest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The section of the manifest of the tables: their live files.
///
/// ```
///   count (4), then each: id (8) | bytes (8) | rows (8)
/// ```
///
/// Big-endian; ids ascend.
///
/// @param files in the order of their ids
public record TableSection(List<TableEntry> files) {
  private static final int COUNT_MAX = 1 << 20;

  public TableSection {
    files = List.copyOf(files);
  }

  /// The section of a manifest; without files when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  public static TableSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(ManifestSections.TABLES | ManifestSections.REQUIRED);
    return bytes == null ? new TableSection(List.of()) : of(bytes);
  }

  /// @param files in any order
  public static TableSection ofUnsorted(List<TableEntry> files) {
    return new TableSection(
        files.stream().sorted(Comparator.comparingLong(TableEntry::id)).toList());
  }

  public ManifestSections toSections() {
    return ManifestSections.of(ManifestSections.TABLES | ManifestSections.REQUIRED, toBytes());
  }

  byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      out.writeInt(files.size());
      for (TableEntry file : files) {
        out.writeLong(file.id());
        out.writeLong(file.bytes());
        out.writeLong(file.rows());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // a byte array takes everything
    }
    return bytes.toByteArray();
  }

  static TableSection of(byte[] bytes) throws IOException {
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int count = in.readInt();
      if (count < 0 || count > COUNT_MAX) {
        throw new IOException("%d files of tables".formatted(count));
      }
      List<TableEntry> files = new ArrayList<>();
      long before = 0;
      for (int i = 0; i < count; i++) {
        TableEntry file = new TableEntry(in.readLong(), in.readLong(), in.readLong());
        if (file.id() <= before || file.bytes() <= 0 || file.rows() < 0) {
          throw new IOException("%s after file %d".formatted(file, before));
        }
        before = file.id();
        files.add(file);
      }
      if (in.available() > 0) {
        throw new IOException(
            "files of tables: %d bytes after their end".formatted(in.available()));
      }
      return new TableSection(files);
    }
  }
}
