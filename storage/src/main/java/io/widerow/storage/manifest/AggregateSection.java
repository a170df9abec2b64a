package io.widerow.storage.manifest;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The manifest's section of the files of aggregates whose events are gone.
///
/// ```
///   count (4), then each:
///     id (8) | bytes (8) | events (8) | fromNanos (8) | untilNanos (8) | keepNanos (8)
/// ```
///
/// Big-endian; ids ascend.
///
/// @param files in the order of their ids
public record AggregateSection(List<AggregateEntry> files) {
  private static final int TAG = ManifestSections.FIGURES | ManifestSections.REQUIRED;
  private static final int COUNT_MAX = 1 << 20;

  public AggregateSection {
    files = List.copyOf(files);
  }

  /// The section of a manifest; without files when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  public static AggregateSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(TAG);
    return bytes == null ? new AggregateSection(List.of()) : of(bytes);
  }

  /// The section after a change.
  ///
  /// @param removed ids of files that are no longer live; those of none are left alone
  public AggregateSection with(List<AggregateEntry> added, List<Long> removed) {
    List<AggregateEntry> all = new ArrayList<>(files);
    all.removeIf(file -> removed.contains(file.id()));
    all.addAll(added);
    all.sort(Comparator.comparingLong(AggregateEntry::id));
    return new AggregateSection(all);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(TAG, toBytes());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeInt(files.size());
      for (AggregateEntry file : files) {
        out.writeLong(file.id());
        out.writeLong(file.bytes());
        out.writeLong(file.events());
        out.writeLong(file.fromNanos());
        out.writeLong(file.untilNanos());
        out.writeLong(file.keepNanos());
      }
    });
  }

  static AggregateSection of(byte[] bytes) throws IOException {
    List<AggregateEntry> files =
        SectionBytes.read(
            "files of aggregates",
            bytes,
            in -> SectionBytes.list(in, SectionBytes.count(in, COUNT_MAX), AggregateSection::read));
    long before = 0;
    for (AggregateEntry file : files) {
      if (file.id() <= before
          || file.bytes() <= 0
          || file.events() <= 0
          || file.untilNanos() <= file.fromNanos()
          || file.keepNanos() <= 0) {
        throw new IOException("%s after file %d".formatted(file, before));
      }
      before = file.id();
    }
    return new AggregateSection(files);
  }

  private static AggregateEntry read(DataInputStream in) throws IOException {
    return new AggregateEntry(
        in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }
}
