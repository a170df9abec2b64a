package io.widerow.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.kafka.Broker;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the demo reads topics of a broker, and shows how far. Method: a real broker.
@Tag("process")
@Timeout(300)
class DemoKafkaTest {
  @Test
  void itReadsATopic(@TempDir Path directory) throws Exception {
    try (Broker broker = new Broker(directory.resolve("broker"))) {
      broker.create("shop", 2, Map.of());
      broker.send("shop", 2, IntStream.range(0, 30).mapToObj("{\"body\":\"order %d\"}"::formatted));
      String data = directory.resolve("demo").toString();
      String source = broker.address() + "/shop";
      CommandDaemon.Ran ran =
          CommandDaemon.run(
              Map.of(), "demo", "--logs", "../../loadgen/logs", "--data", data, "--kafka", source);
      assertEquals(0, ran.code(), ran.err());
      assertTrue(ran.out().contains("It also reads " + source), ran.out());
      assertTrue(ran.out().matches("(?s).*shop +0 +reading +15 +15 +0 .*"), ran.out());
      CommandDaemon.Ran count =
          CommandDaemon.run(Map.of(), "query", "--data", data, "shop", "--stats", "count");
      assertTrue(count.out().contains("30"), count.out());
    }
  }
}
