package io.widerow.storage;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/// A live segment as the manifest knows it.
///
/// @param id names the file; never used twice in a store
/// @param bucketMinutes start of the bucket whose partitions it holds, minutes since the Unix epoch
/// @param widthMinutes width of that bucket
/// @param merged false for what sealing wrote, true for what a merge wrote, which is final
/// @param bytes size of the file
/// @param events events in it
record SegmentEntry(
    long id, int bucketMinutes, int widthMinutes, boolean merged, long bytes, long events) {
  private static final String SUFFIX = ".seg";

  /// Name of the file. No name ever comes from input.
  static String fileName(long id) {
    return "%016x".formatted(id) + SUFFIX;
  }

  String fileName() {
    return fileName(id);
  }

  void write(DataOutput out) throws IOException {
    out.writeLong(id);
    out.writeInt(bucketMinutes);
    out.writeShort(widthMinutes);
    out.writeBoolean(merged);
    out.writeLong(bytes);
    out.writeLong(events);
  }

  static SegmentEntry read(DataInput in) throws IOException {
    return new SegmentEntry(
        in.readLong(),
        in.readInt(),
        in.readUnsignedShort(),
        in.readBoolean(),
        in.readLong(),
        in.readLong());
  }
}
