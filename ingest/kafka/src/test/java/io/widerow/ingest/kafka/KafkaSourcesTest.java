package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/// Goal: several sources of one daemon, readers that share a source, and the parameters that decide
/// the format, the time and the start. Method: a real broker and one daemon.
class KafkaSourcesTest extends BrokerTest {
  private void send(String topic, int partitions, long millis, String... values) {
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < values.length; i++) {
        Future<RecordMetadata> _ =
            producer.send(
                new ProducerRecord<>(topic, i % partitions, millis, null, utf8(values[i])));
      }
    }
  }

  @Test
  void sourcesAndReadersShareThePartitions() throws Exception {
    broker.create("a", 1, Map.of());
    broker.create("b", 12, Map.of());
    String[] records = new String[120];
    for (int i = 0; i < records.length; i++) {
      records[i] = json(i);
    }
    send("a", 1, 1_000, records);
    send("b", 12, 1_000, records);
    KafkaDaemon daemon =
        daemon(Map.of("kafka", "a", "kafka.web", "b?readers=3&group=web", "kafka.other", "a"));
    daemon.awaitNext(240);
    daemon.await("\"source\":\"web\",\"topic\":\"b\"");
    String status = daemon.get("/v1/status");
    assertTrue(
        status.contains("\"source\":\"web\",\"state\":\"reading\",\"partitions\":12"), status);
    boolean isOther = status.contains("a-0: the source other reads it");
    assertTrue(isOther || status.contains("a-0: the source kafka reads it"), status);
    daemon.kill();
    daemon = daemon(Map.of("kafka", "a", "kafka.web", "b?readers=2"));
    daemon.awaitNext(240);
    daemon.stop();
    StoredRecords stored = StoredRecords.read(data());
    assertEquals(240, stored.bodies().size());
    assertEquals(13, stored.offsets().size());
  }

  @Test
  void syslogMessagesAreRecords() throws Exception {
    broker.create("s", 1, Map.of());
    String message = "<34>1 2026-01-02T03:04:05Z web app 7 - - a message";
    send("s", 1, 1_000, message, "<34>Jan  2 03:04:05 web app[7]: local");
    KafkaDaemon daemon = daemon("s?format=syslog&zone=Europe/Berlin&fields=offset");
    daemon.awaitNext(2);
    String found = daemon.get("/v1/query?type=syslog&since=3650d");
    daemon.stop();
    assertTrue(found.contains("\"body\":\"a message\""), found);
    assertTrue(found.contains("2026-01-02T03:04:05"), found);
    assertTrue(found.contains("-01-02T02:04:05"), found);
  }

  @Test
  void theTimeMayBeThatOfKafka() throws Exception {
    broker.create("k", 1, Map.of());
    long millis = Instant.parse("2026-02-03T04:05:06.789Z").toEpochMilli();
    send("k", 1, millis, "{\"ts\":\"2025-01-01T00:00:00Z\",\"body\":\"x\"}", json("y"));
    KafkaDaemon daemon = daemon("k?time=kafka");
    daemon.awaitNext(2);
    String found = daemon.get("/v1/query?type=k&since=3650d");
    daemon.stop();
    assertEquals(3, found.split("2026-02-03T04:05:06.789", -1).length, found);
  }

  @Test
  void aTopicMayBeginAtATime() throws Exception {
    broker.create("w", 1, Map.of());
    broker.create("old", 1, Map.of());
    long millis = Instant.parse("2026-02-03T04:05:06Z").toEpochMilli();
    send("old", 1, millis - 1, json("old"));
    for (int i = -2; i < 3; i++) {
      send("w", 1, millis + i, json("at " + i));
    }
    KafkaDaemon daemon = daemon("w,old?start=2026-02-03T04:05:06Z&refresh=1s");
    daemon.awaitNext(6);
    send("w", 1, millis - 100, json("late"));
    broker.create("more", 1, Map.of());
    daemon.awaitNext(7);
    daemon.kill();
    daemon = daemon("w,old?start=earliest");
    daemon.awaitNext(7);
    daemon.stop();
    assertEquals(
        List.of("at 0", "at 1", "at 2", "late"),
        StoredRecords.read(data()).bodies().stream().sorted().toList());
  }

  @Test
  void newTopicsAreFoundAtEachRefresh() throws Exception {
    broker.create("n-1", 1, Map.of());
    KafkaDaemon daemon = daemon("n-*?refresh=1s");
    daemon.await("\"topic\":\"n-1\"");
    broker.create("n-2", 1, Map.of());
    send("n-2", 1, 1_000, json(1));
    long start = System.nanoTime();
    Await.until(() -> daemon.get("/v1/kafka").contains("n-2"), "the topic is found");
    daemon.awaitNext(1);
    daemon.stop();
    assertTrue(System.nanoTime() - start < 25_000_000_000L, "before the default of 30 s");
  }

  /// Tools of others look at the offsets of the group.
  @Test
  void aStopCommitsTheOffsetsThatAreStored() throws Exception {
    int partitions = 4;
    broker.create("c", partitions, Map.of());
    try (Admin admin = broker.admin()) {
      for (int stop = 1; stop <= 3; stop++) {
        KafkaDaemon daemon = daemon("c?group=g&readers=2");
        broker.send("c", partitions, IntStream.range(0, 400).mapToObj(BrokerTest::json));
        daemon.awaitNext(400L * stop);
        daemon.stop();
        Map<TopicPartition, OffsetAndMetadata> committed =
            admin.listConsumerGroupOffsets("g").partitionsToOffsetAndMetadata().get();
        assertEquals(partitions, committed.size());
        for (OffsetAndMetadata each : committed.values()) {
          assertEquals(100L * stop, each.offset(), committed::toString);
        }
      }
    }
  }
}
