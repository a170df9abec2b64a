package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon that neither reads from Kafka nor sends to it loads no class of Kafka's client,
/// nor of this module. Method: the log of loaded classes of a daemon that writes and answers, and
/// that of one with the key `kafka`, where the same search finds them.
@Tag("process")
@Timeout(300)
class KafkaClassesTest {
  @TempDir private Path directory = Path.of(".");

  private String loaded(String kafka) throws Exception {
    Path log = directory.resolve("classes-" + kafka.length());
    KafkaDaemon daemon =
        KafkaDaemon.withOption(
            "-Xlog:class+load:file=" + log,
            directory.resolve("store" + kafka.length()),
            Map.of("kafka", kafka));
    try {
      assertEquals(200, daemon.post("/v1/events", "{\"type\":\"t\",\"body\":\"b\"}\n"));
      for (String path : new String[] {"/v1/kafka", "/v1/status", "/metrics", "/v1/admin/doctor"}) {
        assertFalse(daemon.get(path).contains("error"), path);
      }
    } finally {
      daemon.stop();
    }
    return Files.readString(log);
  }

  @Test
  void noClassOfTheClientIsLoadedUnlessItIsAskedFor() throws Exception {
    String with = loaded("127.0.0.1:1/t");
    assertTrue(with.contains("org.apache.kafka.clients.consumer.KafkaConsumer "));
    assertTrue(with.contains("io.widerow.ingest.kafka.KafkaPoller "));
    String without = loaded("");
    assertTrue(without.contains("io.widerow.ingest.Daemon "));
    assertFalse(without.contains(" org.apache.kafka."));
    assertFalse(
        without.replace(KafkaDaemon.class.getName(), "").contains(" io.widerow.ingest.kafka."));
  }
}
