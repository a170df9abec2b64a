package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Goal: whatever the check accepts can be read, and it accepts every record. Method: a record with
/// attributes of all kinds, cut at every length and with every byte set to every value.
class RecordCheckTest {
  private final RecordCheck check = new RecordCheck();

  private static MemorySegment record(Arena arena) {
    try (var batch = new EventBatch(1 << 10, 1 << 12)) {
      byte[] type = "日誌".getBytes(StandardCharsets.UTF_8);
      byte[] names = "abcde".getBytes(StandardCharsets.US_ASCII);
      batch.begin(type, 0, type.length, 1_700_000_000_000_000_017L);
      batch.putBoolean(names, 0, 1, true);
      batch.putBytes(names, 1, 1, type, 0, 3);
      batch.putDouble(names, 2, 1, 0.5);
      batch.putLong(names, 3, 1, 7);
      batch.putString(names, 4, 1, type);
      assertNull(batch.end());
      MemorySegment copy = arena.allocate(batch.bytes(), EventLayout.ALIGNMENT);
      return copy.copyFrom(batch.memory().asSlice(0, batch.bytes()));
    }
  }

  @Test
  void aRecordIsOneAndAPartOfItIsNot() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = record(arena);
      assertTrue(check.isRecord(record, 0));
      for (long bytes = 0; bytes < record.byteSize(); bytes++) {
        assertFalse(check.isRecord(record.asSlice(0, bytes), 0), bytes + " bytes");
      }
    }
  }

  @Test
  void whateverPassesCanBeRead() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = record(arena);
      int passed = 0;
      for (long at = 0; at < record.byteSize(); at++) {
        byte good = record.get(ValueLayout.JAVA_BYTE, at);
        for (int bad = 0; bad < 256; bad++) {
          record.set(ValueLayout.JAVA_BYTE, at, (byte) bad);
          if (check.isRecord(record, 0)) {
            read(record);
            passed++;
          }
        }
        record.set(ValueLayout.JAVA_BYTE, at, good);
      }
      assertTrue(passed > 256, passed + " changed records pass"); // values may be anything
    }
  }

  private static void read(MemorySegment record) {
    RecordView view = new RecordView().show(record, 0);
    long nanos = TimeUuid.tickNanos(view.idTime());
    int bucket = PartitionKey.bucketOf(nanos, 60);
    var key = new PartitionKey(bucket, 60, view.type(), EventLayout.shard(record, 0));
    assertTrue(key.fromNanos() <= nanos && nanos < key.untilNanos());
    assertTrue(view.id().compareTo(EventId.LIMIT) < 0);
    view.forEach(
        new AttributeValue(),
        (name, value) -> {
          AttributeValue found = new AttributeValue();
          assertTrue(view.find(name, found) && found.kind() == value.kind());
        });
  }
}
