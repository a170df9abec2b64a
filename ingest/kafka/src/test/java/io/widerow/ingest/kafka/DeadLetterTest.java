package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/// Goal: each refused record is in the dead-letter topic at least once, whatever is killed, and one
/// that cannot be written there stops its partition, unless it may be lost. Method: a real broker,
/// and a consumer that reads the letters afterwards.
class DeadLetterTest extends BrokerTest {
  private static final String DEAD = "dead";

  private List<ConsumerRecord<byte[], byte[]>> letters() {
    return letters(DEAD);
  }

  private void setMessageBytesMax(int bytes) throws Exception {
    try (Admin admin = broker.admin()) {
      var topic = new ConfigResource(ConfigResource.Type.TOPIC, DEAD);
      var entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
      var set = List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET));
      admin.incrementalAlterConfigs(Map.of(topic, set)).all().get(Await.SECONDS, TimeUnit.SECONDS);
    }
  }

  /// One record that cannot be decoded, one that the store refuses, one with a good event too.
  @Test
  void aLetterHasTheRecordAndTheReason() throws Exception {
    broker.create("t", 1, Map.of());
    broker.create(DEAD, 1, Map.of());
    long millis = System.currentTimeMillis();
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("acks", "all"))) {
      for (String value :
          List.of(
              json("good"),
              "no JSON",
              "{\"ts\":\"2020-01-01T00:00:00Z\",\"body\":\"old\"}",
              json("better") + "\nbroken\nbroken")) {
        var record = new ProducerRecord<>("t", 0, millis, utf8("key"), utf8(value));
        record.headers().add("trace", utf8("abc"));
        Future<RecordMetadata> _ = producer.send(record);
      }
    }
    for (int start = 0; start < 2; start++) {
      KafkaDaemon daemon = daemon(Map.of("kafka", "t?dead-letter=" + DEAD, "retention", "30d"));
      daemon.awaitNext(4);
      daemon.awaitNothingOwed();
      Await.until(() -> letters().size() >= 3, "the letters are written");
      daemon.stop();
    }
    Map<String, ConsumerRecord<byte[], byte[]>> byOffset = new TreeMap<>();
    letters().forEach(letter -> byOffset.put(header(letter, "widerow.offset"), letter));
    assertEquals(Set.of("1", "2", "3"), byOffset.keySet());
    List<ConsumerRecord<byte[], byte[]>> letters = List.copyOf(byOffset.values());
    assertEquals("t", header(letters.get(0), "widerow.topic"));
    assertEquals("0", header(letters.get(0), "widerow.partition"));
    assertEquals("abc", header(letters.get(0), "trace"));
    assertEquals("key", new String(letters.get(0).key(), StandardCharsets.UTF_8));
    assertEquals("no JSON", new String(letters.get(0).value(), StandardCharsets.UTF_8));
    assertEquals(millis, letters.get(0).timestamp());
    assertTrue(
        header(letters.get(0), "widerow.reason").contains("JSON"),
        header(letters.get(0), "widerow.reason"));
    assertTrue(
        header(letters.get(1), "widerow.reason").contains("retention"),
        header(letters.get(1), "widerow.reason"));
    assertEquals(List.of("good", "better"), StoredRecords.read(data()).bodies());
  }

  /// The brokers refuse to write to the topic, and allow it later.
  @Test
  void aPartitionWaitsForItsLetters() throws Exception {
    broker.create("t", 1, Map.of());
    broker.create(DEAD, 1, Map.of());
    setMessageBytesMax(10);
    String[] bad = new String[100];
    Arrays.setAll(bad, i -> "bad " + i);
    send("t", bad);
    KafkaDaemon daemon = daemon("t?dead-letter=" + DEAD);
    daemon.awaitNext(100);
    daemon.await("\"owed\":100,");
    send("t", json("after"));
    daemon.await("\"state\":\"paused\"");
    daemon.kill();
    daemon = daemon("t?dead-letter=" + DEAD);
    daemon.await("\"owed\":100,");
    setMessageBytesMax(1_000_000);
    daemon.awaitNext(101);
    daemon.awaitNothingOwed();
    daemon.stop();
    TreeSet<Integer> written = new TreeSet<>();
    letters().forEach(letter -> written.add(Integer.parseInt(header(letter, "widerow.offset"))));
    assertEquals(100, written.size());
    assertEquals(99, written.last());
    assertEquals(List.of("after"), StoredRecords.read(data()).bodies());
  }

  /// The brokers refuse each letter, which may be lost: the partition goes on.
  @Test
  void lettersThatMayBeLostStopNoPartition() throws Exception {
    broker.create("t", 1, Map.of());
    broker.create(DEAD, 1, Map.of("max.message.bytes", "10"));
    String[] bad = new String[100];
    Arrays.setAll(bad, i -> "bad " + i);
    send("t", bad);
    send("t", json("after"));
    KafkaDaemon daemon = daemon("t?dead-letter-lost=pass&dead-letter=" + DEAD);
    daemon.awaitNext(101);
    daemon.awaitNothingOwed();
    daemon.stop();
    assertEquals(List.of(), letters());
    assertEquals(List.of("after"), StoredRecords.read(data()).bodies());
  }

  @Test
  void aLetterThatIsTooLargeHasNoValue() throws Exception {
    broker.create("t", 1, Map.of());
    broker.create(DEAD, 1, Map.of("max.message.bytes", "1000"));
    send("t", "x".repeat(5_000), "small");
    KafkaDaemon daemon = daemon("t?dead-letter=" + DEAD);
    daemon.awaitNext(2);
    Await.until(() -> letters().size() == 2, "the letters are written");
    daemon.stop();
    ConsumerRecord<byte[], byte[]> large =
        letters().stream()
            .filter(l -> header(l, "widerow.offset").equals("0"))
            .findFirst()
            .orElseThrow();
    assertEquals(null, large.value());
    assertTrue(header(large, "widerow.reason").contains("5000 bytes is too large"));
  }

  @Test
  void noneIsLostThroughKills() throws Exception {
    SplittableRandom random = new SplittableRandom(Seeds.one());
    broker.create("t", 2, Map.of());
    broker.create(DEAD, 1, Map.of());
    int records = 6_000;
    Thread sender = Thread.ofPlatform().start(() -> sendSome(records));
    Map<String, String> keys = Map.of("kafka", "t?dead-letter=" + DEAD, "retention", "30d");
    KafkaDaemon daemon = daemon(keys);
    for (int kill = 0; kill < 5; kill++) {
      daemon.awaitNext((kill + 1L) * records / 7);
      Await.pause(Duration.ofMillis(random.nextInt(100)));
      if (kill == 2) {
        broker.killAndStart();
      } else {
        daemon.kill();
        daemon = daemon(keys);
      }
    }
    sender.join();
    daemon.awaitNext(records);
    daemon.awaitNothingOwed();
    daemon.stop();
    TreeSet<Integer> expected = new TreeSet<>();
    TreeSet<Integer> written = new TreeSet<>();
    for (int i = 0; i < records; i += 10) {
      expected.add(i);
    }
    letters()
        .forEach(letter -> {
          String value = new String(letter.value(), StandardCharsets.UTF_8);
          written.add(Integer.parseInt(value.replaceAll(".*number ", "").replaceAll("\\D", "")));
        });
    assertEquals(expected, written);
    assertEquals(records - expected.size(), StoredRecords.read(data()).bodies().size());
  }

  /// Every tenth record is refused, by the decoder or by the store.
  private void sendSome(int records) {
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("acks", "all", "delivery.timeout.ms", "600000"))) {
      for (int i = 0; i < records; i++) {
        String value = json("number " + i);
        if (i % 20 == 0) {
          value = "number " + i;
        } else if (i % 10 == 0) {
          value = "{\"ts\":\"2020-01-01T00:00:00Z\",\"body\":\"number %d\"}".formatted(i);
        }
        Future<RecordMetadata> _ =
            producer.send(new ProducerRecord<>("t", i / 10 % 2, null, utf8(value)));
        if (i % 100 == 0) {
          Await.pause(Duration.ofMillis(20));
        }
      }
    }
  }
}
