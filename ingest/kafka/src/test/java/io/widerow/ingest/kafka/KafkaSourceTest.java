package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a source does with records and logs that are not plain: bad records, records without
/// a value, aborted transactions, headers, records that are gone, a topic that is created again.
/// Method: a real broker, a daemon, and [StoredRecords].
@Tag("process")
@Timeout(600)
class KafkaSourceTest {
  private static final String OTHER = "{\"type\":\"t\",\"body\":\"other\"}\n";

  @TempDir private Path directory = Path.of(".");
  private Broker broker;

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(directory.resolve("broker"));
  }

  @AfterEach
  void stop() throws Exception {
    broker.close();
  }

  private Path data() {
    return directory.resolve("store");
  }

  private KafkaDaemon daemon(String topics) throws Exception {
    return new KafkaDaemon(data(), broker.address() + "/" + topics);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void send(String topic, String... values) {
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("acks", "all"))) {
      for (String value : values) {
        Future<RecordMetadata> _ =
            producer.send(
                new ProducerRecord<>(topic, 0, null, value.isEmpty() ? null : utf8(value)));
      }
    }
  }

  @Test
  void badRecordsAreReportedAndPassed() throws Exception {
    broker.create("web-a", 1, Map.of());
    broker.create("web-b", 1, Map.of());
    broker.create("other", 1, Map.of());
    send("web-a", "{\"body\":\"one\"}", "no JSON", "", "{\"body\":\"two\"}\n{\"body\":\"three\"}");
    send("other", "{\"body\":\"not read\"}");
    KafkaDaemon daemon = daemon("web-*?type=web");
    try {
      daemon.awaitNext(4);
      String report = daemon.get("/v1/kafka");
      assertTrue(report.contains("\"reason\":\"web-a/0@1: "), report);
      assertTrue(report.contains("\"records\":4,\"rejected\":1,\"empty\":1,\"owed\":0"), report);
      assertTrue(report.contains("\"topic\":\"web-b\""), report);
      String senders = daemon.get("/v1/senders");
      assertTrue(senders.contains("web-a/0"), senders);
      String labels = "{source=\"kafka\",topic=\"web-a\"}";
      Await.until( // the daemon looks once a second
          () -> daemon.get("/metrics").contains("widerow_kafka_records_total" + labels + " 4.0"),
          "the records are counted");
      String metrics = daemon.get("/metrics");
      assertTrue(metrics.contains("widerow_kafka_rejected_total" + labels + " 1.0"), metrics);
      assertTrue(metrics.contains("widerow_kafka_lag_seconds" + labels + " 0.0"), metrics);
      String found = daemon.get("/v1/query?type=web&since=1h");
      for (String body : List.of("one", "two", "three")) {
        assertTrue(found.contains("\"body\":\"" + body + "\""), found);
      }
      assertTrue(found.contains("\"kafka.topic\":\"web-a\""), found);
    } finally {
      daemon.stop();
    }
  }

  @Test
  void abortedTransactionsAreNotRead() throws Exception {
    broker.create("t", 1, Map.of());
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("transactional.id", "x"))) {
      producer.initTransactions();
      for (int i = 0; i < 4; i++) {
        producer.beginTransaction();
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>("t", 0, utf8("key"), utf8("{\"body\":\"" + i + "\"}"));
        record.headers().add("trace", utf8("abc"));
        Future<RecordMetadata> _ = producer.send(record);
        producer.flush();
        if (i % 2 == 0) {
          producer.commitTransaction();
        } else {
          producer.abortTransaction();
        }
      }
    }
    KafkaDaemon daemon = daemon("t");
    daemon.awaitNext(8); // four records and four markers
    String found = daemon.get("/v1/query?type=t&since=1h");
    assertTrue(found.contains("\"kafka.header.trace\":\"abc\""), found);
    assertTrue(found.contains("\"kafka.key\":\"key\""), found);
    daemon.stop();
    assertEquals(
        Map.of("t/0", new TreeSet<>(List.of(0L, 4L))), StoredRecords.read(data()).offsets());
    daemon = daemon("t"); // the position is behind the markers
    daemon.awaitNext(8);
    daemon.stop();
    assertEquals(List.of("0", "2"), StoredRecords.read(data()).bodies());
  }

  @Test
  void recordsThatAreGoneAreAGap() throws Exception {
    broker.create("g", 1, Map.of());
    send("g", "{\"body\":\"0\"}", "{\"body\":\"1\"}");
    KafkaDaemon daemon = daemon("g");
    daemon.awaitNext(2);
    daemon.stop();
    send("g", "{\"body\":\"2\"}", "{\"body\":\"3\"}", "{\"body\":\"4\"}");
    try (Admin admin = broker.admin()) {
      admin
          .deleteRecords(Map.of(new TopicPartition("g", 0), RecordsToDelete.beforeOffset(4)))
          .all()
          .get(Await.SECONDS, TimeUnit.SECONDS);
    }
    for (int start = 0; start < 2; start++) { // the gap stays listed
      daemon = daemon("g");
      daemon.awaitNext(5);
      daemon.await("\"gaps\":[{\"from\":2,\"until\":4,\"why\":\"expired\"");
      KafkaDaemon asked = daemon; // the daemon looks at its sources once a second
      Await.until(
          () -> asked.get("/v1/admin/doctor").contains("\"code\":\"kafka-gap\""),
          "the doctor reports the gap");
      if (start == 1) {
        assertEquals(200, daemon.post("/v1/kafka/seen", ""));
        daemon.await("\"gaps\":[]");
      }
      daemon.stop();
    }
    daemon = daemon("g");
    daemon.awaitNext(5);
    daemon.await("\"gaps\":[]");
    daemon.stop();
    assertEquals(List.of("0", "1", "4"), StoredRecords.read(data()).bodies());
  }

  /// An offset cannot tell: the second topic is longer than the first.
  @Test
  void aTopicThatIsCreatedAgainIsAnother() throws Exception {
    broker.create("r", 1, Map.of());
    send("r", "{\"body\":\"old 0\"}", "{\"body\":\"old 1\"}");
    KafkaDaemon daemon = daemon("r?fields=none");
    daemon.awaitNext(2);
    daemon.stop();
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of("r")).all().get(Await.SECONDS, TimeUnit.SECONDS);
      Await.until(() -> !admin.listTopics().names().get().contains("r"), "the topic is deleted");
    }
    broker.create("r", 1, Map.of());
    send("r", "{\"body\":\"new 0\"}", "{\"body\":\"new 1\"}", "{\"body\":\"new 2\"}");
    daemon = daemon("r?fields=none");
    try {
      daemon.awaitNext(3);
      String found = daemon.get("/v1/query?type=r&since=1h");
      for (String body : List.of("old 0", "old 1", "new 0", "new 1", "new 2")) {
        assertEquals(2, found.split("\"body\":\"" + body + "\"", -1).length, body + " in " + found);
      }
    } finally {
      daemon.stop();
    }
  }

  /// Longer than the source takes to look for topics again.
  @Test
  void aBrokerThatIsAwayIsWaitedFor() throws Exception {
    broker.create("w", 1, Map.of());
    send("w", "{\"body\":\"0\"}", "{\"body\":\"1\"}");
    KafkaDaemon daemon = daemon("w");
    daemon.awaitNext(2);
    send("w", "{\"body\":\"2\"}");
    daemon.awaitNext(3);
    broker.kill();
    daemon.await("\"next\":3,\"end\":3");
    daemon.await("\"state\":\"waiting\"");
    assertEquals(200, daemon.post("/v1/events", OTHER));
    daemon.kill();
    daemon = daemon("w"); // it is ready without a broker
    daemon.awaitStatus("\"state\":\"waiting\"");
    assertEquals(200, daemon.post("/v1/events", OTHER));
    broker.killAndStart();
    send("w", "{\"body\":\"3\"}", "{\"body\":\"4\"}");
    daemon.awaitNext(5);
    daemon.stop();
    List<String> bodies = StoredRecords.bodies(data()).stream().sorted().toList();
    assertEquals(List.of("0", "1", "2", "3", "4", "other", "other"), bodies);
  }

  @Test
  void formatsAreThoseOfTheEndpoints() throws Exception {
    Map<String, String> records =
        Map.of(
            "text", "a line",
            "line", "cpu,host=a usage=1 1767225600000000000",
            "gelf", "{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"a message\"}",
            "splunk", "{\"event\":\"an event\",\"host\":\"h\"}",
            "loki",
                "{\"streams\":[{\"stream\":{\"app\":\"x\"},"
                    + "\"values\":[[\"1767225600000000000\",\"l\"]]}]}",
            "otlp",
                "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":"
                    + "\"1767225600000000000\",\"body\":{\"stringValue\":\"o\"}}]}]}]}");
    for (Map.Entry<String, String> each : records.entrySet()) {
      String topic = "f-" + each.getKey();
      broker.create(topic, 1, Map.of());
      send(topic, each.getValue(), each.getKey().equals("text") ? "more" : "{broken");
      KafkaDaemon daemon = daemon(topic + "?format=" + each.getKey());
      try {
        daemon.awaitNext(2);
        String report = daemon.get("/v1/kafka");
        int rejected = each.getKey().equals("text") ? 0 : 1;
        assertTrue(report.contains("\"records\":2,\"rejected\":" + rejected), topic + report);
      } finally {
        daemon.stop();
      }
    }
    assertEquals(records.size(), StoredRecords.read(data()).offsets().size());
  }
}
