package io.widerow.storage.journal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Layout of a mutation of a table: the same bytes in memory and in the frames of the journal that
/// have [JournalFrame#MUTATIONS].
///
/// ```
///  0        4          6           8
///  +--------+----------+-----------+---- ~ ----+----- ~ -----+
///  | length | keyBytes | partition | key       | fragment    |
///  +--------+----------+-----------+---- ~ ----+----- ~ -----+
/// ```
///
/// Little-endian, with no alignment. `length` counts the whole record. `partition` is how many of
/// the key's first bytes stand for the partition.
public final class MutationRecord {
  public static final int HEADER_BYTES = 8;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long KEY_BYTES = 4;
  private static final long PARTITION = 6;

  private MutationRecord() {}

  public static int length(MemorySegment records, long offset) {
    return records.get(INT, offset);
  }

  public static int keyBytes(MemorySegment records, long offset) {
    return Short.toUnsignedInt(records.get(SHORT, offset + KEY_BYTES));
  }

  public static int partition(MemorySegment records, long offset) {
    return Short.toUnsignedInt(records.get(SHORT, offset + PARTITION));
  }

  /// Writes the header of a record.
  public static void write(
      MemorySegment records, long offset, int length, int keyBytes, int partition) {
    records.set(INT, offset, length);
    records.set(SHORT, offset + KEY_BYTES, (short) keyBytes);
    records.set(SHORT, offset + PARTITION, (short) partition);
  }

  /// True when bytes are a sequence of records, by their headers.
  static boolean areRecords(MemorySegment bytes, int count) {
    long offset = 0;
    int seen = 0;
    while (bytes.byteSize() - offset >= HEADER_BYTES) {
      int length = length(bytes, offset);
      int key = keyBytes(bytes, offset);
      if (length < HEADER_BYTES + key
          || length > bytes.byteSize() - offset
          || partition(bytes, offset) >= key) {
        return false;
      }
      offset += length;
      seen++;
    }
    return offset == bytes.byteSize() && seen == count;
  }
}
