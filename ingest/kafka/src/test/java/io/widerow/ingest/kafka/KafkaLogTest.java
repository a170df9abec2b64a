package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
}
