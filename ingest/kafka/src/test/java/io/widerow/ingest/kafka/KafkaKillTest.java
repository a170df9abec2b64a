package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: each record is stored once, in the order of its partition, or is refused and has a dead
/// letter, through kills of the daemon and of the broker, and while another topic is created again.
/// Method: a real broker, a producer that goes on while processes are killed, and [StoredRecords],
/// which reads the store afterwards. The whole test: `-Dkafka.records=10000000 -Dkills=200`.
@Timeout(value = 8, unit = TimeUnit.HOURS)
class KafkaKillTest extends BrokerTest {
  private static final int PARTITIONS = 12;
  private static final int POISON = 1_000; // one record in so many cannot be decoded
  private static final int AGAIN = 300;
  private static final String SOURCE = "logs,again?format=json&readers=2&dead-letter=dead";

  @Test
  void eachRecordIsStoredOnceThroughKills() throws Exception {
    int records = Slice.of("kafka.records", 30_000, 200_000);
    int kills = Slice.of("kills", 4, 10);
    SplittableRandom random = new SplittableRandom(Seeds.one());
    broker.create("logs", PARTITIONS, Map.of());
    broker.create("again", 1, Map.of());
    broker.create("dead", 1, Map.of());
    send("again", numbers(0, AGAIN));
    Thread sender = Thread.ofPlatform().start(() -> send(broker, records));
    List<Long> ready = new ArrayList<>(); // milliseconds
    List<Long> stored = new ArrayList<>();
    KafkaDaemon daemon = daemon(SOURCE);
    try {
      for (int kill = 0; kill < kills; kill++) {
        daemon.awaitNext((kill + 1L) * records / (kills + 2));
        Await.pause(Duration.ofMillis(random.nextInt(300)));
        if (kill == kills / 2) {
          daemon.await("again", "\"next\":" + AGAIN + ",");
          broker.delete("again");
          broker.create("again", 1, Map.of());
          send("again", numbers(AGAIN, 4 * AGAIN));
        }
        if (kill % 5 == 3) {
          broker.killAndStart();
        } else {
          daemon.kill();
          daemon = daemon(SOURCE);
          ready.add(daemon.readyMillis);
          daemon.firstStoredMillis(records).ifPresent(stored::add);
        }
      }
      System.out.printf("from start, ms: ready %s, first record stored %s%n", ready, stored);
      sender.join();
      daemon.awaitNext(records + 3L * AGAIN);
      daemon.awaitNothingOwed();
    } finally {
      daemon.stop();
    }
    check(records);
  }

  private static String[] numbers(int from, int until) {
    return IntStream.range(from, until).mapToObj(i -> json("again " + i)).toArray(String[]::new);
  }

  private void check(int records) {
    Map<String, BitSet> stored = StoredRecords.offsets(data(), "logs"::equals);
    for (ConsumerRecord<byte[], byte[]> letter : letters("dead")) {
      String of = header(letter, "widerow.topic") + "/" + header(letter, "widerow.partition");
      int offset = Integer.parseInt(header(letter, "widerow.offset"));
      String value = new String(letter.value(), StandardCharsets.UTF_8);
      assertTrue(value.startsWith("poison "), value);
      BitSet offsets = stored.getOrDefault(of, new BitSet());
      offsets.set(offset); // a letter may be there twice, and no other record has its offset
    }
    long sum = 0;
    for (Map.Entry<String, BitSet> each : stored.entrySet()) {
      assertEquals(
          each.getValue().length(), each.getValue().cardinality(), "missing in " + each.getKey());
      sum += each.getValue().cardinality();
    }
    assertEquals(records, sum);
    Set<String> again = new HashSet<>();
    int poison = (records + POISON - 1) / POISON;
    int[] events = {0};
    StoredRecords.forEachBody(
        data(),
        body -> {
          events[0]++;
          if (body.startsWith("again ")) {
            assertTrue(again.add(body), "twice: " + body);
          }
        });
    assertEquals(4 * AGAIN, again.size());
    assertEquals(records - poison + again.size(), events[0]);
  }

  private static void send(Broker broker, int records) {
    AtomicBoolean failed = new AtomicBoolean();
    int pauseAfter = Math.max(100, records / 20_000);
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("acks", "all", "delivery.timeout.ms", "600000"))) {
      for (int i = 0; i < records; i++) {
        byte[] value = utf8(record(i));
        Future<RecordMetadata> _ =
            producer.send(
                new ProducerRecord<>("logs", i % PARTITIONS, null, value),
                (_, failure) -> failed.compareAndSet(false, failure != null));
        if (i % pauseAfter == 0) {
          Await.pause(Duration.ofMillis(10));
        }
      }
    }
    assertEquals(false, failed.get());
  }

  private static String record(int i) {
    if (i % POISON == 0) {
      return "poison " + i;
    }
    return i % 50 == 1 // ids of keys have no order, so no two of their times are equal
        ? "{\"ts\":\"2026-01-02T00:00:%02d.%06dZ\",\"body\":\"%d\",\"_key\":\"k%d\"}"
            .formatted(i / 50 / 1_000_000, i / 50 % 1_000_000, i, i)
        : "{\"ts\":\"2026-01-01T00:00:%02d.%03dZ\",\"body\":\"record %d\"}"
            .formatted(i / 1000 % 60, i % 10, i);
  }
}
