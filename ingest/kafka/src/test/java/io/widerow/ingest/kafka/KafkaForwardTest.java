package io.widerow.ingest.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a daemon forwards to a topic arrives at least once through kills of the daemon and of
/// the broker, with the same token when it comes again; read back by another store it is the same
/// events in the same order. Method: a real broker, daemons, and a consumer of its own.
@Tag("process")
@Timeout(900)
class KafkaForwardTest {
  private static final int PARTITIONS = 3;
  private static final Pattern BODY = Pattern.compile("\"body\":\"([^\"]*)\"");

  @TempDir private Path directory = Path.of(".");
  private Broker broker;

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(directory.resolve("broker"));
    broker.create("out", PARTITIONS, Map.of());
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private KafkaDaemon sender(String parameters) throws Exception {
    return new KafkaDaemon(
        directory.resolve("store"),
        "",
        "forward=kafka:" + broker.address() + "/out?since=2026-01-01T00:00:00Z" + parameters);
  }

  private static String lines(int from, int count) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < from + count; i++) {
      lines.append("{\"type\":\"t%d\",\"body\":\"%d\",\"n\":%d}\n".formatted(i % 5, i, i));
    }
    return lines.toString();
  }

  /// Reads the topic until each of these bodies is there.
  private List<ConsumerRecord<byte[], byte[]>> records(int bodies) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    TreeSet<String> seen = new TreeSet<>();
    var bytes = new ByteArrayDeserializer();
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.address(), "isolation.level", "read_committed"),
            bytes,
            bytes)) {
      List<TopicPartition> partitions =
          IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition("out", i)).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Await.until(
          () -> {
            consumer
                .poll(Duration.ofMillis(100))
                .forEach(record -> {
                  all.add(record);
                  seen.add(body(record));
                });
            return seen.size() >= bodies;
          },
          bodies + " bodies are in the topic");
    }
    return all;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static String body(ConsumerRecord<byte[], byte[]> record) {
    var body = BODY.matcher(text(record.value()));
    assertTrue(body.find(), () -> text(record.value()));
    return body.group(1);
  }

  @Test
  void everyEventArrivesThroughKills() throws Exception {
    int batches = Slice.of("forward.batches", 60, 600);
    int size = 50;
    int kills = Slice.of("forward.kills", 4, 40);
    SplittableRandom random = new SplittableRandom(Seeds.one());
    TreeSet<Integer> at = new TreeSet<>();
    while (at.size() < kills) {
      at.add(1 + random.nextInt(batches - 1));
    }
    KafkaDaemon daemon = sender("&lag=200ms");
    try {
      int kill = 0;
      for (int batch = 0; batch < batches; batch++) {
        if (at.contains(batch)) {
          Await.pause(Duration.ofMillis(random.nextInt(1_500)));
          if (kill++ % 4 == 3) {
            broker.killAndStart();
          } else {
            daemon.kill();
            daemon = sender("&lag=200ms");
          }
        }
        assertEquals(200, daemon.post("/v1/events", lines(batch * size, size)));
      }
      Map<String, String> tokens = new HashMap<>();
      List<ConsumerRecord<byte[], byte[]>> records = records(batches * size);
      for (ConsumerRecord<byte[], byte[]> record : records) {
        String token = text(record.headers().lastHeader("widerow.token").value());
        String before = tokens.put(body(record), token);
        assertTrue(before == null || before.equals(token), () -> "another token: " + body(record));
        String type = "\"type\":\"" + text(record.key()) + "\"";
        assertTrue(text(record.value()).contains(type), () -> text(record.value()));
        assertFalse(text(record.value()).contains("\n"));
      }
      assertEquals(batches * size, tokens.size());
      assertEquals(batches * size, new TreeSet<>(tokens.values()).size());
      assertTrue(
          Files.readString(directory.resolve("store/forward")).startsWith("widerow-forward"));
      daemon.awaitStatus("\"forward\":{\"to\":\"kafka:" + broker.address() + "/out\"");
    } finally {
      daemon.stop();
    }
  }

  @Test
  void anotherStoreReadsTheSameEventsInTheSameOrder() throws Exception {
    KafkaDaemon first = sender("&type=t1,t2");
    String expected;
    try {
      for (int batch = 0; batch < 10; batch++) {
        assertEquals(200, first.post("/v1/events", lines(batch * 100, 100)));
      }
      records(400);
      expected = events(first);
    } finally {
      first.stop();
    }
    assertEquals(400, expected.lines().count());
    KafkaDaemon second =
        new KafkaDaemon(
            directory.resolve("second"), broker.address() + "/out?id-field=id&fields=none");
    try {
      second.awaitNext(400);
      assertEquals(expected, events(second));
    } finally {
      second.stop();
    }
  }

  /// Without the flag of late events, which a slow machine may make of one, and with the 100 ns to
  /// which an id keeps its time.
  private static String events(KafkaDaemon daemon) throws Exception {
    return daemon
        .get("/v1/query?type=t1&type=t2&since=1d&limit=1000")
        .replace(",\"widerow.late\":true", "")
        .replaceAll("(\\.\\d{7})\\d\\dZ", "$1" + "00Z")
        .replaceFirst("\\{\"token\".*\n?", "");
  }

  @Test
  void aBrokerThatIsAwayIsReported() throws Exception {
    broker.kill();
    KafkaDaemon daemon = sender("");
    try {
      assertEquals(200, daemon.post("/v1/events", lines(0, 10)));
      daemon.awaitStatus("\"state\":\"waiting\",\"events\":0");
      daemon.awaitStatus("no broker answers at " + broker.address());
      broker.killAndStart();
      records(10);
      daemon.awaitStatus("\"state\":\"sending\",\"events\":10");
    } finally {
      daemon.stop();
    }
  }
}
