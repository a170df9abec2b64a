package io.widerow.storage.cassandra.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SegmentValueTest {
  private static final UUID STORE = new UUID(3, 4);
  private static final PartitionKey PARTITION = new PartitionKey(0, 60, "a/b|c\0d", 2);
  private static final SegmentKey KEY =
      new SegmentKey(PARTITION, SegmentKey.APPLIED, 3, (1L << 32) | 17, 0);

  private static List<TestEvent> events(int count, int textBytes) {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "body", ("event " + i + " ").repeat(1 + textBytes / 10));
      EventId id = EventId.leastOf(100L * i);
      events.add(new TestEvent(id, i % 3 == 0 ? i + 1 : 0, PARTITION.type(), attributes));
    }
    return events;
  }

  private static List<SegmentValue.Encoded> encode(List<TestEvent> events) {
    List<SegmentValue.Encoded> values = new ArrayList<>();
    try (SegmentValue.Writer writer =
        new SegmentValue.Writer(PARTITION, SegmentProfile.SEALED, STORE)) {
      for (TestEvent event : events) {
        writer.add(event);
        if (writer.isFull()) {
          values.add(writer.finish());
        }
      }
      if (writer.events() > 0) {
        values.add(writer.finish());
      }
    }
    return values;
  }

  private static List<TestEvent> read(Segment segment, boolean descending) {
    List<TestEvent> read = new ArrayList<>();
    try (EventCursor cursor =
        SegmentCursor.open(segment, PARTITION, Scan.all().withDescending(descending))) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        read.add(TestEvent.copyOf(cursor.event()));
      }
    }
    return read;
  }

  @Test
  void whatIsEncodedIsReadFromAnyThreadAndFromAnyKindOfBuffer() {
    List<TestEvent> events = events(3_000, 20);
    SegmentValue.Encoded value = encode(events).getFirst();
    DirectoryRow row = value.row(KEY);
    assertEquals(3_000, row.events());
    assertTrue(row.own());
    assertEquals(events.getFirst().id(), row.first());
    assertEquals(events.getLast().id(), row.last());
    ByteBuffer direct = ByteBuffer.allocateDirect(value.bytes().remaining() + 16).position(16);
    direct.put(value.bytes().duplicate()).position(16);
    for (ByteBuffer bytes : List.of(value.bytes(), direct)) {
      try (Segment segment = SegmentValue.open(bytes, row, STORE)) {
        segment.verify();
        assertEquals(events, CompletableFuture.supplyAsync(() -> read(segment, false)).join());
        List<TestEvent> backwards = new ArrayList<>(events);
        Collections.reverse(backwards);
        assertEquals(backwards, read(segment, true));
      }
    }
  }

  @Test
  void valuesAreCutByCountAndByBytesAndAlwaysAlike() {
    List<TestEvent> many = events(SegmentValue.EVENTS_MAX + 1, 1);
    assertEquals(
        List.of(SegmentValue.EVENTS_MAX, 1),
        encode(many).stream().map(SegmentValue.Encoded::events).toList());
    List<TestEvent> large = events(5_000, 2_000);
    List<SegmentValue.Encoded> values = encode(large);
    assertEquals(5_000, values.stream().mapToInt(SegmentValue.Encoded::events).sum());
    assertTrue(values.size() >= 2 && values.size() <= 4, () -> values.size() + " values");
    List<TestEvent> again = new ArrayList<>();
    int part = 0;
    for (SegmentValue.Encoded value : values) {
      DirectoryRow row = value.row(new SegmentKey(PARTITION, 0, 3, 17, part++));
      try (Segment segment = SegmentValue.open(value.bytes(), row, STORE)) {
        again.addAll(read(segment, false));
      }
    }
    assertEquals(large, again);
    assertEquals( // from events of another source
        values.stream().map(SegmentValue.Encoded::bytes).toList(),
        encode(again).stream().map(SegmentValue.Encoded::bytes).toList());
  }

  @Test
  void anotherValueThanTheDirectoryNamesIsRefusedWithItsKey() {
    SegmentValue.Encoded value = encode(events(100, 20)).getFirst();
    DirectoryRow row = value.row(KEY);
    byte[] damaged = value.bytes().array().clone();
    damaged[200] ^= 1;
    ByteBuffer flipped = ByteBuffer.wrap(damaged, 0, row.bytes());
    refused(flipped, row, STORE, "CRC32C");
    refused(value.bytes().duplicate().limit(row.bytes() - 1), row, STORE, "bytes");
    refused(value.bytes(), row, new UUID(3, 5), "header");
    DirectoryRow damagedRow =
        new DirectoryRow(
            KEY, row.first(), row.last(), 100, row.bytes(), true, SegmentValue.crc(flipped));
    refused(flipped, damagedRow, STORE, ""); // found when it is read
    PartitionKey other = new PartitionKey(0, 60, "other", 2);
    refused(value.bytes(), value.row(new SegmentKey(other, 0, 3, 17, 0)), STORE, "partitions");
    refused(
        value.bytes(),
        new DirectoryRow(KEY, row.first(), row.last(), 99, row.bytes(), true, row.crc()),
        STORE,
        "99 events");
  }

  private static void refused(ByteBuffer value, DirectoryRow row, UUID store, String why) {
    StorageException.Corrupt corrupt =
        assertThrows(
            StorageException.Corrupt.class,
            () -> {
              try (Segment segment = SegmentValue.open(value, row, store)) {
                segment.verify();
              }
            });
    String message = String.valueOf(corrupt.getMessage());
    assertTrue(message.contains(why), message);
    assertTrue(message.contains("tier 0 daemon 3"), message);
  }
}
