package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each record is stored once, in the order of its partition, through kills of the daemon and
/// of the broker. Method: a real broker, a producer that goes on while processes are killed, and
/// [StoredRecords], which reads the store afterwards.
@Tag("process")
@Timeout(900)
class KafkaKillTest {
  private static final int PARTITIONS = 6;

  @TempDir private Path directory = Path.of(".");

  @Test
  void eachRecordIsStoredOnceThroughKills() throws Exception {
    int records = Slice.of("kafka.records", 30_000, 200_000);
    int kills = Slice.of("kafka.kills", 4, 8);
    SplittableRandom random = new SplittableRandom(Seeds.one());
    Path data = directory.resolve("store");
    try (Broker broker = new Broker(directory.resolve("broker"))) {
      broker.create("logs", PARTITIONS, Map.of());
      String kafka = broker.address() + "/logs?format=json";
      Thread sender = Thread.ofPlatform().start(() -> send(broker, records));
      KafkaDaemon daemon = new KafkaDaemon(data, kafka);
      try {
        for (int kill = 0; kill < kills; kill++) {
          daemon.awaitNext((kill + 1L) * records / (kills + 2));
          Await.pause(Duration.ofMillis(random.nextInt(300)));
          if (kill % 4 == 3) {
            broker.killAndStart();
          } else {
            daemon.kill();
            daemon = new KafkaDaemon(data, kafka);
          }
        }
        sender.join();
        daemon.awaitNext(records);
      } finally {
        daemon.stop();
      }
    }
    StoredRecords stored = StoredRecords.read(data);
    long sum = 0;
    for (Map.Entry<String, TreeSet<Long>> each : stored.offsets().entrySet()) {
      TreeSet<Long> offsets = each.getValue();
      assertEquals(offsets.last() + 1, offsets.size(), "missing in " + each.getKey());
      sum += offsets.size();
    }
    assertEquals(records, sum);
  }

  private static void send(Broker broker, int records) {
    AtomicBoolean failed = new AtomicBoolean();
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("acks", "all", "delivery.timeout.ms", "600000"))) {
      for (int i = 0; i < records; i++) {
        String json =
            i % 50 == 0 // ids of keys have no order, so no two of their times are equal
                ? "{\"ts\":\"2026-01-02T00:00:00.%06dZ\",\"body\":\"%d\",\"_key\":\"k%d\"}"
                    .formatted(i / 50, i, i)
                : "{\"ts\":\"2026-01-01T00:00:%02d.%03dZ\",\"body\":\"record %d\"}"
                    .formatted(i / 1000 % 60, i % 10, i);
        Future<RecordMetadata> _ =
            producer.send(
                new ProducerRecord<>(
                    "logs", i % PARTITIONS, null, json.getBytes(StandardCharsets.UTF_8)),
                (_, failure) -> failed.compareAndSet(false, failure != null));
        if (i % 100 == 0) {
          Await.pause(Duration.ofMillis(10));
        }
      }
    }
    assertEquals(false, failed.get());
  }
}
