package io.widerow.storage.manifest;

import java.io.DataInputStream;
import java.io.IOException;
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
    return SectionBytes.of(out -> {
      out.writeInt(files.size());
      for (TableEntry file : files) {
        out.writeLong(file.id());
        out.writeLong(file.bytes());
        out.writeLong(file.rows());
      }
    });
  }

  static TableSection of(byte[] bytes) throws IOException {
    List<TableEntry> files =
        SectionBytes.read(
            "files of tables",
            bytes,
            in -> SectionBytes.list(in, SectionBytes.count(in, COUNT_MAX), TableSection::read));
    long before = 0;
    for (TableEntry file : files) {
      if (file.id() <= before || file.bytes() <= 0 || file.rows() < 0) {
        throw new IOException("%s after file %d".formatted(file, before));
      }
      before = file.id();
    }
    return new TableSection(files);
  }

  private static TableEntry read(DataInputStream in) throws IOException {
    return new TableEntry(in.readLong(), in.readLong(), in.readLong());
  }
}
