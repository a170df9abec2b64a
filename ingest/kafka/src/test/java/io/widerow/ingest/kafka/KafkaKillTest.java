package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
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
/// letter, through kills of daemons and of the broker, while a topic is created again and another
/// one loses its end. Method: a real broker, a producer that goes on while processes are killed,
/// daemons that divide the partitions, and [StoredRecords], which reads their stores afterwards.
/// The whole test: `-Dkafka.records=10000000 -Dkills=200 -Dbroker.kills=20`.
@Timeout(value = 8, unit = TimeUnit.HOURS)
class KafkaKillTest extends BrokerTest {
  private static final int PARTITIONS = 12;
  private static final int DAEMONS = 3;
  private static final int POISON = 1_000; // one record in so many cannot be decoded
  private static final int AGAIN = 300;
  private static final int BATCHES = 4; // of the topic that loses its end
  private static final Duration LONG = Duration.ofMinutes(30);

  private int cuts;
  private int sentToCut;
  private int cutNext;

  @Test
  void eachRecordIsStoredOnceThroughKills() throws Exception {
    int records = Slice.of("kafka.records", 30_000, 200_000);
    int kills = Slice.of("kills", 4, 8);
    int brokerKills = Slice.of("broker.kills", 1, 2);
    SplittableRandom random = new SplittableRandom(Seeds.one());
    broker.create("logs", PARTITIONS, Map.of());
    broker.create("again", 1, Map.of());
    broker.create("cut", 1, Map.of());
    broker.create("dead", 1, Map.of());
    send("again", numbers("again ", 0, AGAIN));
    sendToCut("kept");
    List<String> jvm =
        KafkaJvm.quick(
            directory.resolve("jvm"),
            Map.of("kafka", broker.address() + "/again?format=json"),
            AGAIN);
    CompletableFuture<Void> sender =
        CompletableFuture.runAsync(
            () -> send(broker, records), task -> Thread.ofPlatform().start(task));
    KafkaFleet fleet = new KafkaFleet(jvm, "logs");
    try (fleet) {
      for (int number = 0; number < DAEMONS; number++) {
        fleet.add(data(number), Map.of("kafka", source(number)));
      }
      for (int kill = 0; kill < kills; kill++) {
        long reached = (kill + 1L) * records / (kills + 2);
        Await.until(() -> hasRead(fleet, reached, sender), LONG, reached + " records are read");
        Await.pause(Duration.ofMillis(random.nextInt(300)));
        if (kill == kills / 2) {
          createAgain(fleet.ready(0));
        }
        if (kill == kills / 4 || kill == 3 * kills / 4) {
          cut(fleet.ready(0));
        }
        if ((kill + 1) * brokerKills / kills > kill * brokerKills / kills) {
          broker.killAndStart();
        }
        fleet.kill(random.nextInt(DAEMONS));
      }
      sender.join();
      Await.until(() -> hasRead(fleet, records, sender), LONG, "all records are read");
      fleet.ready(0).await("again", "\"next\":" + 3 * AGAIN + ",");
      fleet.ready(0).await("cut", "\"next\":" + cutNext + ",");
      for (int number = 0; number < DAEMONS; number++) {
        fleet.ready(number).awaitNothingOwed();
      }
      fleet.stop();
    }
    System.out.printf(
        "%d records, %d kills of daemons, %d of the broker; from start, ms: ready %s, first record"
            + " stored %s%n",
        records, kills, brokerKills, quartiles(fleet.ready), quartiles(fleet.stored));
    check(records);
  }

  /// Whether so many records are read; fails when they are not all sent.
  private static boolean hasRead(KafkaFleet fleet, long records, CompletableFuture<Void> sender)
      throws IOException, InterruptedException {
    if (sender.isCompletedExceptionally()) {
      sender.join();
    }
    return fleet.next() >= records;
  }

  private Path data(int number) {
    return directory.resolve("store-" + number);
  }

  private String source(int number) {
    int each = PARTITIONS / DAEMONS;
    return broker.address()
        + "/logs,again,cut?format=json&readers=2&dead-letter=dead&partitions=%d-%d"
            .formatted(number * each, (number + 1) * each - 1);
  }

  private static String quartiles(List<Long> millis) {
    List<Long> sorted = millis.stream().sorted().toList();
    int last = sorted.size() - 1;
    return last < 0
        ? "never"
        : "%d of them %d .. %d .. %d"
            .formatted(sorted.size(), sorted.getFirst(), sorted.get(last / 2), sorted.get(last));
  }

  private void createAgain(KafkaDaemon daemon) {
    daemon.await("again", "\"next\":" + AGAIN + ",");
    broker.delete("again");
    broker.create("again", 1, Map.of());
    send("again", numbers("again ", AGAIN, 4 * AGAIN));
  }

  /// The broker loses all but the first batch, and gets others.
  private void cut(KafkaDaemon daemon) throws Exception {
    daemon.await("cut", "\"next\":" + cutNext + ",");
    broker.kill();
    broker.damage("cut", 0, 1);
    broker.startAgain();
    cuts++;
    cutNext = AGAIN;
    sendToCut("after " + cuts);
  }

  /// Sends more than the last time: else the position would be the same again.
  private void sendToCut(String name) {
    for (int batch = 0; batch < BATCHES + cuts; batch++) {
      send("cut", numbers("cut %s, batch %d, ".formatted(name, batch), 0, AGAIN));
      sentToCut += AGAIN;
      cutNext += AGAIN;
    }
  }

  private static String[] numbers(String name, int from, int until) {
    return IntStream.range(from, until).mapToObj(i -> json(name + i)).toArray(String[]::new);
  }

  private void check(int records) {
    Map<String, BitSet> stored = new HashMap<>();
    for (int number = 0; number < DAEMONS; number++) {
      stored.putAll(StoredRecords.offsets(data(number), "logs"::equals));
    }
    assertEquals(PARTITIONS, stored.size());
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
    Set<String> others = new HashSet<>();
    int poison = (records + POISON - 1) / POISON;
    int[] events = {0};
    for (int number = 0; number < DAEMONS; number++) {
      StoredRecords.forEachBody(
          data(number),
          body -> {
            events[0]++;
            if (body.startsWith("again ") || body.startsWith("cut ")) {
              assertTrue(others.add(body), "twice: " + body);
            }
          });
    }
    assertEquals(4 * AGAIN + sentToCut, others.size());
    assertEquals(records - poison + others.size(), events[0]);
  }

  private static void send(Broker broker, int records) {
    AtomicBoolean failed = new AtomicBoolean();
    int pauseAfter = Math.max(100, records / 20_000);
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(
            Map.of(
                "acks",
                "all",
                "delivery.timeout.ms",
                Long.toString(LONG.toMillis()),
                "max.block.ms",
                Long.toString(LONG.toMillis()),
                "max.in.flight.requests.per.connection",
                "1"))) { // some fail else at the start
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
