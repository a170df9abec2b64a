package io.widerow.storage.manifest;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.SegmentSummary;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/// The manifest's entry of a live segment. It repeats the partitions of the segment's index, so
/// that the content is known even when the segment is unreadable.
///
/// @param id gives the file its name; unique in a store
/// @param bucketMinutes start of its bucket, in minutes since the Unix epoch
/// @param widthMinutes width of its bucket
/// @param merged true when a merge (compaction) wrote it, which is final; false when sealing did
/// @param bytes size of the file
/// @param events number of events
/// @param partitions its partitions
public record SegmentEntry(
    long id,
    int bucketMinutes,
    int widthMinutes,
    boolean merged,
    long bytes,
    long events,
    PartitionTable partitions) {
  /// Suffix of the names of files.
  public static final String SUFFIX = ".seg";

  private static final int COUNT_MAX = 1 << 24;

  /// The entry of a new segment.
  ///
  /// @param bucket any partition of the segment's bucket
  public static SegmentEntry of(SegmentSummary written, PartitionKey bucket, boolean merged) {
    return new SegmentEntry(
        written.segmentId(),
        bucket.bucketMinutes(),
        bucket.widthMinutes(),
        merged,
        written.bytes(),
        written.events(),
        written.partitions());
  }

  /// Name of the file. It never depends on input.
  public static String fileName(long id) {
    return FileName.of(id, SUFFIX);
  }

  public String fileName() {
    return fileName(id);
  }

  /// The id in a file's name; negative for another name.
  public static long idOf(String name) {
    return FileName.idOf(name, SUFFIX);
  }

  public List<PartitionInfo> infos() {
    return partitions.stream().map(SegmentSummary.Partition::info).toList();
  }

  void write(DataOutput out) throws IOException {
    out.writeLong(id);
    out.writeInt(bucketMinutes);
    out.writeShort(PartitionKey.widthCode(widthMinutes));
    out.writeBoolean(merged);
    out.writeLong(bytes);
    out.writeLong(events);
    out.writeInt(partitions.size());
    for (SegmentSummary.Partition partition : partitions) {
      byte[] key = partition.key().toBytes();
      out.writeShort(key.length);
      out.write(key);
      out.writeLong(partition.events());
      out.writeLong(partition.least().time());
      out.writeLong(partition.least().tail());
      out.writeLong(partition.greatest().time());
      out.writeLong(partition.greatest().tail());
      out.writeBoolean(partition.ownIds());
    }
  }

  /// @throws IOException when the bytes are not an entry
  static SegmentEntry read(DataInputStream in) throws IOException {
    long id = in.readLong();
    int bucketMinutes = in.readInt();
    int widthMinutes = PartitionKey.widthOf(in.readUnsignedShort());
    boolean merged = in.readBoolean();
    long bytes = in.readLong();
    long events = in.readLong();
    List<SegmentSummary.Partition> partitions =
        SectionBytes.list(in, SectionBytes.count(in, COUNT_MAX), SegmentEntry::readPartition);
    if (bytes < 0 || events < 0) {
      throw new IOException("%d events in %d bytes".formatted(events, bytes));
    }
    try {
      return new SegmentEntry(
          id, bucketMinutes, widthMinutes, merged, bytes, events, PartitionTable.of(partitions));
    } catch (IllegalArgumentException noTable) {
      throw new IOException(noTable.getMessage(), noTable);
    }
  }

  private static SegmentSummary.Partition readPartition(DataInputStream in) throws IOException {
    byte[] key = new byte[in.readUnsignedShort()];
    in.readFully(key);
    try {
      return new SegmentSummary.Partition(
          PartitionKey.of(key),
          in.readLong(),
          new EventId(in.readLong(), in.readLong()),
          new EventId(in.readLong(), in.readLong()),
          in.readBoolean());
    } catch (IllegalArgumentException noKeyOrId) {
      throw new IOException(noKeyOrId.getMessage(), noKeyOrId);
    }
  }
}
