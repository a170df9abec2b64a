package io.widerow.storage.manifest;

import io.widerow.storage.journal.JournalFrame;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// An atomic edit of the manifest. A snapshot is the edit that turns an empty manifest into the
/// current state.
///
/// ```
///  0               8              16           24            28
///  +---------------+--------------+------------+-------------+------- ~ -+---------------+-- ~
///  | segmentIdNext | counterLimit | clockNanos | added count | entries   | removed count | ...
///  +---------------+--------------+------------+-------------+------- ~ -+---------------+-- ~
///   then the removed ids and the lanes
///   lanes: count (4), then for each: lane (4), sealedLsn (8); then journals (4)
///   then sections, if the store has any
/// ```
///
/// Big-endian, as `java.io.DataOutput` writes it.
///
/// @param segmentIdNext greater than every segment id ever used
/// @param counterLimit greater than every arrival counter in the segments
/// @param clockNanos last time at which the clock was sane, at or after each arrival time that a
///   sane clock gave
/// @param added segments that become live
/// @param removed ids of segments that are no longer live
/// @param sealedLsns by lane, the last journal frame whose events are all in segments
/// @param journals number of lanes with a journal: lanes `[0, journals)`
/// @param sections changes other than of segments and journals
public record ManifestEdit(
    long segmentIdNext,
    long counterLimit,
    long clockNanos,
    List<SegmentEntry> added,
    List<Long> removed,
    Map<Integer, Long> sealedLsns,
    int journals,
    ManifestSections sections) {
  private static final int COUNT_MAX = 1 << 24;

  public ManifestEdit {
    added = List.copyOf(added);
    removed = List.copyOf(removed);
    sealedLsns = Map.copyOf(sealedLsns);
  }

  /// An edit without sections.
  public ManifestEdit(
      long segmentIdNext,
      long counterLimit,
      long clockNanos,
      List<SegmentEntry> added,
      List<Long> removed,
      Map<Integer, Long> sealedLsns,
      int journals) {
    this(
        segmentIdNext,
        counterLimit,
        clockNanos,
        added,
        removed,
        sealedLsns,
        journals,
        ManifestSections.NONE);
  }

  /// An edit of sections alone.
  ///
  /// @param manifest the one that it is for
  public static ManifestEdit ofSections(Manifest manifest, ManifestSections sections) {
    return new ManifestEdit(
        manifest.segmentIdNext(),
        manifest.counterLimit(),
        manifest.clockNanos(),
        List.of(),
        List.of(),
        Map.of(),
        manifest.journals(),
        sections);
  }

  /// True when files may be deleted after it, segments or journals, and no segment comes.
  boolean makesRoom() {
    return added.isEmpty() && !(removed.isEmpty() && sealedLsns.isEmpty() && sections.isEmpty());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeLong(segmentIdNext);
      out.writeLong(counterLimit);
      out.writeLong(clockNanos);
      out.writeInt(added.size());
      for (SegmentEntry entry : added) {
        entry.write(out);
      }
      out.writeInt(removed.size());
      for (long id : removed) {
        out.writeLong(id);
      }
      out.writeInt(sealedLsns.size());
      for (var sealed : new TreeMap<>(sealedLsns).entrySet()) {
        out.writeInt(sealed.getKey());
        out.writeLong(sealed.getValue());
      }
      out.writeInt(journals);
      sections.write(out);
    });
  }

  /// @throws IOException when the bytes are no edit although their checksum matched
  static ManifestEdit of(byte[] bytes) throws IOException {
    return SectionBytes.read("edit", bytes, ManifestEdit::read);
  }

  private static ManifestEdit read(DataInputStream in) throws IOException {
    long segmentIdNext = in.readLong();
    long counterLimit = in.readLong();
    long clockNanos = in.readLong();
    List<SegmentEntry> added = SectionBytes.list(in, count(in), SegmentEntry::read);
    List<Long> removed = SectionBytes.list(in, count(in), DataInputStream::readLong);
    Map<Integer, Long> sealedLsns = new TreeMap<>();
    for (int left = count(in); left > 0; left--) {
      sealedLsns.put(lanes(in, JournalFrame.LANE_LIMIT - 1), in.readLong());
    }
    int journals = lanes(in, JournalFrame.LANE_LIMIT);
    ManifestSections sections = ManifestSections.read(in);
    return new ManifestEdit(
        segmentIdNext, counterLimit, clockNanos, added, removed, sealedLsns, journals, sections);
  }

  private static int lanes(DataInputStream in, int most) throws IOException {
    int lanes = in.readInt();
    if (lanes < 0 || lanes > most) {
      throw new IOException("%d of %d lanes".formatted(lanes, most));
    }
    return lanes;
  }

  private static int count(DataInputStream in) throws IOException {
    return SectionBytes.count(in, COUNT_MAX);
  }
}
