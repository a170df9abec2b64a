package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a log that is not what it was is read exactly: each record that it has is stored once, and
/// a gap has exactly the offsets that could not be read. Method: a real broker whose topics are
/// created again, and whose files are damaged while it does not run.
class KafkaLogTest extends BrokerTest {
  private static String[] jsons(String name, int count) {
    String[] jsons = new String[count];
    for (int i = 0; i < count; i++) {
      jsons[i] = json(name + " " + i);
    }
    return jsons;
  }

  /// An offset cannot tell: each topic is longer than the one before, and is not looked for.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTopicThatIsCreatedAgainIsAnother(boolean isUp) throws Exception {
    String source = "r,other?fields=none&refresh=1d";
    broker.create("other", 1, Map.of());
    List<String> sent = new ArrayList<>();
    KafkaDaemon daemon = daemon(source);
    for (int round = 0; round < 4; round++) {
      if (round > 0) {
        broker.delete("r");
      }
      broker.create("r", 1, Map.of());
      String[] records = jsons("round " + round, 10 << round);
      send("r", records);
      sent.addAll(List.of(records));
      if (!isUp && round > 0) {
        daemon = daemon(source);
      }
      daemon.awaitNext(10L << round);
      if (!isUp) {
        daemon.stop();
      }
    }
    daemon.stop();
    List<String> stored = StoredRecords.bodies(data()).stream().map(BrokerTest::json).toList();
    assertEquals(sorted(sent), sorted(stored));
  }

  private static List<String> sorted(List<String> texts) {
    List<String> sorted = new ArrayList<>(texts);
    Collections.sort(sorted);
    return sorted;
  }

  @Test
  void damagedBatchesAreGaps() throws Exception {
    broker.create("d", 1, Map.of());
    for (int batch = 0; batch < 6; batch++) {
      send("d", jsons("batch " + batch, batch == 3 ? 100 : 2));
    }
    broker.stop();
    broker.damage("d", 0, 1);
    broker.damage("d", 0, 3);
    broker.damage("d", 0, 4);
    broker.startAgain();
    for (int start = 0; start < 2; start++) {
      KafkaDaemon daemon = daemon("d");
      daemon.awaitNext(110);
      daemon.await("\"gaps\":[{\"from\":2,\"until\":4,\"why\":\"damaged\"");
      daemon.await("{\"from\":6,\"until\":108,\"why\":\"damaged\"");
      if (start == 0) {
        String report = daemon.get("/v1/kafka");
        assertTrue(report.contains("\"rejected\":104,"), report);
        assertTrue(report.contains("d/0@106: damaged up to 107: "), report);
      }
      daemon.kill();
    }
    KafkaDaemon daemon = daemon("d");
    daemon.awaitNext(110);
    daemon.stop();
    assertEquals(
        List.of("batch 0 0", "batch 0 1", "batch 2 0", "batch 2 1", "batch 5 0", "batch 5 1"),
        StoredRecords.read(data()).bodies());
  }

  /// A broker that was killed drops what is damaged in its log and all after it.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTruncatedLogIsReadAgainFromThere(boolean isUp) throws Exception {
    broker.create("t", 1, Map.of());
    for (int batch = 0; batch < 3; batch++) {
      send("t", jsons("old " + batch, 2));
    }
    KafkaDaemon daemon = daemon("t?fields=none");
    daemon.awaitNext(6);
    if (!isUp) {
      daemon.stop();
    }
    broker.kill();
    broker.damage("t", 0, 1);
    broker.startAgain();
    for (int batch = 0; batch < 3; batch++) {
      send("t", jsons("new " + batch, 3));
    }
    if (!isUp) {
      daemon = daemon("t?fields=none");
    }
    daemon.await("\"gaps\":[{\"from\":2,\"until\":6,\"why\":\"truncated\"");
    daemon.awaitNext(11);
    daemon.stop();
    List<String> all = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      all.addAll(List.of(jsons("old " + batch, 2)));
      all.addAll(List.of(jsons("new " + batch, 3)));
    }
    List<String> stored = StoredRecords.bodies(data()).stream().map(BrokerTest::json).toList();
    assertEquals(sorted(all), sorted(stored));
  }

  /// Its keys are there once afterwards, and no offset that is missing is a gap.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCompactedTopicHasNoGaps(boolean isUp) throws Exception {
    Map<String, String> settings =
        Map.of(
            "cleanup.policy", "compact",
            "segment.ms", "100",
            "min.cleanable.dirty.ratio", "0.001",
            "min.compaction.lag.ms", "0");
    broker.create("c", 1, settings);
    sendKeyed("c", "first", 10);
    KafkaDaemon daemon = daemon("c");
    daemon.awaitNext(10);
    pause(daemon, isUp);
    for (int round = 0; round < 3; round++) {
      sendKeyed("c", "round " + round, 10);
      Await.pause(Duration.ofMillis(200)); // the next batch begins a segment
    }
    Await.until(
        () -> {
          sendKeyed("c", "last", 1); // a segment that is written to is not compacted
          return offsets("c").size() < 20;
        },
        "the topic is compacted");
    daemon = goOn(daemon, isUp, "c");
    long end = offsets("c").last() + 1;
    daemon.awaitNext(end);
    String report = daemon.get("/v1/kafka");
    assertTrue(report.contains("\"gaps\":[],"), report);
    daemon.stop();
    Set<Long> stored = stored("c/0");
    SortedSet<Long> left = offsets("c");
    left.removeIf(offset -> offset < 10);
    assertTrue(stored.containsAll(left), stored + " without some of " + left);
    assertTrue(stored.size() < end, "nothing was compacted before it was read: " + stored);
  }

  private void sendKeyed(String topic, String name, int count) {
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < count; i++) {
        Future<RecordMetadata> _ =
            producer.send(new ProducerRecord<>(topic, 0, utf8("key " + i), utf8(json(name))));
      }
    }
  }

  private Set<Long> stored(String partition) {
    return StoredRecords.read(data()).offsets().getOrDefault(partition, new TreeSet<>());
  }

  private SortedSet<Long> offsets(String topic) {
    SortedSet<Long> offsets = new TreeSet<>();
    letters(topic).forEach(record -> offsets.add(record.offset()));
    return offsets;
  }

  /// Lets it read nothing more.
  private static void pause(KafkaDaemon daemon, boolean isUp) throws Exception {
    if (isUp) {
      daemon.signal("STOP");
    } else {
      daemon.stop();
    }
  }

  private KafkaDaemon goOn(KafkaDaemon paused, boolean isUp, String source) throws Exception {
    if (isUp) {
      paused.signal("CONT");
    }
    return isUp ? paused : daemon(source);
  }

  /// Whatever `start`, its new partitions begin with their first records.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theNewPartitionsOfATopicAreReadFromTheirBegin(boolean isUp) throws Exception {
    String source = "e?refresh=1s&start=latest";
    broker.create("e", 1, Map.of());
    KafkaDaemon daemon = daemon(source);
    daemon.await("\"topic\":\"e\"");
    send("e", jsons("old", 10));
    daemon.awaitNext(10);
    pause(daemon, isUp);
    try (Admin admin = broker.admin()) {
      admin
          .createPartitions(Map.of("e", NewPartitions.increaseTo(12)))
          .all()
          .get(Await.SECONDS, TimeUnit.SECONDS);
    }
    broker.send("e", 12, Arrays.stream(jsons("new", 120)));
    daemon = goOn(daemon, isUp, source);
    daemon.awaitNext(130);
    String report = daemon.get("/v1/kafka");
    assertFalse(report.contains("\"why\""), report);
    daemon.stop();
    Map<String, TreeSet<Long>> stored = StoredRecords.read(data()).offsets();
    assertEquals(12, stored.size());
    assertEquals(130, stored.values().stream().mapToInt(TreeSet::size).sum());
  }

  @Test
  void recordsThatAreGoneWhileItIsUpAreAGap() throws Exception {
    broker.create("g", 1, Map.of());
    send("g", jsons("old", 2));
    KafkaDaemon daemon = daemon("g");
    daemon.awaitNext(2);
    daemon.signal("STOP");
    send("g", jsons("new", 3));
    try (Admin admin = broker.admin()) {
      admin
          .deleteRecords(Map.of(new TopicPartition("g", 0), RecordsToDelete.beforeOffset(4)))
          .all()
          .get(Await.SECONDS, TimeUnit.SECONDS);
    }
    daemon.signal("CONT");
    daemon.awaitNext(5);
    String report = daemon.get("/v1/kafka");
    daemon.stop();
    Set<Long> stored = stored("g/0");
    // a response that was on its way may have records that are gone by now
    boolean isGap = report.contains("\"gaps\":[{\"from\":2,\"until\":4,\"why\":\"expired\"");
    assertEquals(isGap ? Set.of(0L, 1L, 4L) : Set.of(0L, 1L, 2L, 3L, 4L), stored, report);
  }

  /// The offsets in the group are for other tools: a start does not read them.
  @ParameterizedTest
  @ValueSource(longs = {0, 7})
  void aStartReadsThePositionsOfTheStore(long committed) throws Exception {
    var name = new TopicPartition("h", 0);
    broker.create("h", 1, Map.of());
    send("h", jsons("old", 5));
    KafkaDaemon daemon = daemon("h?group=g");
    daemon.awaitNext(5);
    try (Admin admin = broker.admin()) {
      Await.until(() -> committed(admin, name) == 5, "what is durable is committed");
      daemon.stop();
      send("h", jsons("new", 5));
      admin
          .alterConsumerGroupOffsets("g", Map.of(name, new OffsetAndMetadata(committed)))
          .all()
          .get(Await.SECONDS, TimeUnit.SECONDS);
    }
    daemon = daemon("h?group=g");
    daemon.awaitNext(10);
    daemon.stop();
    assertEquals(10, stored("h/0").size());
  }

  private static long committed(Admin admin, TopicPartition name) throws Exception {
    OffsetAndMetadata hint =
        admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata().get().get(name);
    return hint == null ? -1 : hint.offset();
  }
}
