package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The oracle: the events of a stopped store, as the records that they were.
///
/// @param offsets of the stored records, by topic and partition; each record is one event
/// @param bodies of the events, in their order
record StoredRecords(Map<String, TreeSet<Long>> offsets, List<String> bodies) {
  private static final AttributeName TOPIC = AttributeName.of("kafka.topic");
  private static final AttributeName PARTITION = AttributeName.of("kafka.partition");
  private static final AttributeName OFFSET = AttributeName.of("kafka.offset");

  /// The bodies of the events of a store, in their order.
  static List<String> bodies(Path directory) {
    List<String> bodies = new ArrayList<>();
    forEachBody(directory, bodies::add);
    return bodies;
  }

  static void forEachBody(Path directory, Consumer<String> reader) {
    var value = new AttributeValue();
    forEach(
        directory,
        event -> reader.accept(event.find(AttributeName.BODY, value) ? value.toString() : ""));
  }

  private static void forEach(Path directory, Consumer<EventView> reader) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      forEach(view, reader);
    }
  }

  private static void forEach(StoreView view, Consumer<EventView> reader) {
    List<PartitionKey> keys =
        view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream().map(PartitionInfo::key).toList();
    try (EventCursor cursor = view.open(keys, Scan.all())) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        reader.accept(cursor.event());
      }
    }
  }

  /// Reads a store, and fails when a record is there twice, or equal times are not in the order of
  /// offsets.
  static StoredRecords read(Path directory) {
    Map<String, TreeSet<Long>> offsets = new TreeMap<>();
    offsets(directory, _ -> true)
        .forEach((of, set) ->
            offsets.put(
                of, new TreeSet<>(set.stream().mapToObj(offset -> (long) offset).toList())));
    return new StoredRecords(offsets, bodies(directory));
  }

  /// The same for the partitions of some topics. They may have as many records as there are bits in
  /// the heap.
  static Map<String, BitSet> offsets(Path directory, Predicate<String> topics) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory);
        StoreView view = store.view()) {
      return offsets(view, topics);
    }
  }

  /// The same for the events of a view.
  static Map<String, BitSet> offsets(StoreView view, Predicate<String> topics) {
    Map<String, BitSet> offsets = new TreeMap<>();
    Map<String, Moment> last = new HashMap<>();
    var value = new AttributeValue();
    forEach(
        view,
        event -> {
          assertTrue(event.find(TOPIC, value), "an event without topic");
          String topic = value.toString();
          if (topics.test(topic)) {
            assertTrue(event.find(PARTITION, value), "an event without partition");
            String of = topic + "/" + value.bits();
            assertTrue(event.find(OFFSET, value), "an event without offset");
            int offset = Math.toIntExact(value.bits());
            BitSet set = offsets.computeIfAbsent(of, _ -> new BitSet());
            assertFalse(set.get(offset), () -> "twice: " + of + "@" + offset);
            set.set(offset);
            Moment moment =
                new Moment(event.timeNanos(), TimeUuid.daemonOf(event.idTail()), offset);
            Moment before = last.put(of, moment);
            assertTrue(
                before == null || moment.mayFollow(before), () -> "order of " + of + "@" + offset);
          }
        });
    return offsets;
  }

  private record Moment(long nanos, int daemon, int offset) {
    /// Equal times are in the order of offsets as long as one daemon reads the partition.
    boolean mayFollow(Moment before) {
      return before.nanos < nanos
          || (before.nanos == nanos && (before.daemon != daemon || before.offset < offset));
    }
  }
}
