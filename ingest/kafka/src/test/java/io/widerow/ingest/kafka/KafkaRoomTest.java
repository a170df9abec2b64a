package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.Slice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: whatever waits in Kafka, a daemon takes no more memory than it has, leaves room for other
/// senders, and goes on by itself once there is room again. Method: a real broker, and a daemon
/// with a small heap, a full disk, or many partitions.
class KafkaRoomTest extends BrokerTest {
  private static final String PADDING = "x".repeat(1_000);

  private static String padded(int number) {
    return json(PADDING + number);
  }

  private Map<String, String> reading(String topic) {
    return Map.of("kafka", broker.address() + "/" + topic);
  }

  private static long count(Path data) {
    return StoredRecords.read(data).offsets().values().stream().mapToLong(TreeSet::size).sum();
  }

  /// A client keeps what it has received of each partition.
  @Test
  void theBacklogOfManyPartitionsFitsIntoASmallHeap() throws Exception {
    int partitions = 150;
    int each = 1_100; // more than a client fetches of a partition by default
    broker.create("many", partitions, Map.of());
    broker.send(
        "many", partitions, IntStream.range(0, partitions * each).mapToObj(KafkaRoomTest::padded));
    KafkaDaemon daemon = KafkaDaemon.withOption("-Xmx96m", data(), reading("many?fields=none"));
    try {
      daemon.awaitNext((long) partitions * each);
    } finally {
      daemon.stop();
    }
    assertEquals((long) partitions * each, StoredRecords.bodies(data()).size());
  }

  @Test
  void aBacklogLeavesRoomForSenders() throws Exception {
    int records = 60_000;
    broker.create("long", 4, Map.of());
    broker.send("long", 4, IntStream.range(0, records).mapToObj(KafkaRoomTest::padded));
    KafkaDaemon daemon = KafkaDaemon.withOption("-Xmx80m", data(), reading("long?readers=2"));
    try {
      int posts = 0;
      String body = "{\"type\":\"other\",\"body\":\"%s\"}\n".formatted(PADDING).repeat(500);
      while (daemon.sumOfNext() < records) {
        assertEquals(200, daemon.post("/v1/events", body));
        posts++;
      }
      System.out.printf("%d bodies of other senders meanwhile%n", posts);
    } finally {
      daemon.stop();
    }
  }

  @Test
  void aFullDiskIsWaitedFor() throws Exception {
    String missing = FaultDisk.Kind.TMPFS.missing();
    assumeTrue(missing == null, () -> "skipped: " + missing);
    int records = 10_000;
    broker.create("full", 2, Map.of());
    Path mounted = Files.createDirectory(directory.resolve("disk"));
    try (FaultDisk disk = new FaultDisk(FaultDisk.Kind.TMPFS, 96 << 20, mounted)) {
      Path data = disk.root().resolve("store");
      Path ballast = disk.root().resolve("ballast");
      broker.send("full", 2, IntStream.range(0, 100).mapToObj(KafkaRoomTest::padded));
      KafkaDaemon daemon = new KafkaDaemon(data, reading("full"));
      for (int start = 0; start < 2; start++) {
        daemon.awaitNext(100L + (long) start * records);
        FaultDisk.fill(ballast);
        broker.send("full", 2, IntStream.range(0, records).mapToObj(KafkaRoomTest::padded));
        daemon.await("\"state\":\"paused\"");
        if (start == 1) {
          daemon.kill();
        }
        Files.delete(ballast);
        if (start == 1) {
          daemon = new KafkaDaemon(data, reading("full"));
        }
        daemon.awaitNext(100L + (start + 1L) * records);
      }
      daemon.stop();
      assertEquals(100L + 2L * records, count(data));
    }
  }

  @Test
  void aThousandPartitionsAreReadSoonAfterAKill() throws Exception {
    int partitions = Slice.of("kafka.partitions", 200, 1_000);
    broker.create("p", partitions, Map.of());
    broker.send("p", partitions, IntStream.range(0, 5 * partitions).mapToObj(BrokerTest::json));
    KafkaDaemon daemon = new KafkaDaemon(data(), reading("p?refresh=1s"));
    daemon.awaitNext(5L * partitions);
    daemon.kill();
    broker.send("p", partitions, IntStream.range(0, partitions).mapToObj(BrokerTest::json));
    KafkaDaemon again = new KafkaDaemon(data(), reading("p"));
    Await.until(() -> KafkaDaemon.count(again.get("/v1/kafka")) == partitions, "all are read");
    long reading = again.millis() - again.readyMillis();
    again.awaitNext(6L * partitions);
    System.out.printf(
        "%d partitions, ms after a daemon is ready (%d from its start): all are read %d, all new"
            + " records are stored %d%n",
        partitions, again.readyMillis(), reading, again.millis() - again.readyMillis());
    again.stop();
    assertEquals(6L * partitions, count(data()));
  }
}
