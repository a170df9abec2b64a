package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// The oracle: the events of a stopped store, as the records that they were.
///
/// @param offsets of the stored records, by topic and partition; each record is one event
/// @param bodies of the events, in their order
record StoredRecords(Map<String, TreeSet<Long>> offsets, List<String> bodies) {
  private static final AttributeName TOPIC = AttributeName.of("kafka.topic");
  private static final AttributeName PARTITION = AttributeName.of("kafka.partition");
  private static final AttributeName OFFSET = AttributeName.of("kafka.offset");

  /// Reads a store, and fails when a record is there twice, or equal times are not in the order of
  /// offsets.
  static StoredRecords read(Path directory) {
    Map<String, TreeSet<Long>> offsets = new TreeMap<>();
    List<String> bodies = new ArrayList<>();
    Map<String, Long> last = new HashMap<>();
    var value = new AttributeValue();
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
          EventView event = cursor.event();
          assertTrue(event.find(TOPIC, value), "an event without topic");
          String topic = value.toString();
          assertTrue(event.find(PARTITION, value), "an event without partition");
          String of = topic + "/" + value.bits();
          assertTrue(event.find(OFFSET, value), "an event without offset");
          long offset = value.bits();
          assertTrue(
              offsets.computeIfAbsent(of, _ -> new TreeSet<>()).add(offset),
              "twice: " + of + "@" + offset);
          String moment = of + " " + event.timeNanos();
          Long before = last.put(moment, offset);
          assertTrue(before == null || before < offset, "order of " + of + "@" + offset);
          bodies.add(event.find(AttributeName.BODY, value) ? value.toString() : "");
        }
      }
    }
    return new StoredRecords(offsets, bodies);
  }
}
