package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.SourceRefusedException;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a parameter that the endpoint of a format does not have ends the start with the key and
/// the name in one sentence. No broker is needed.
class KafkaParametersTest {
  @ParameterizedTest
  @ValueSource(strings = {"json", "text"})
  void unknownOnesEndTheStart(String format, @TempDir Path directory) {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "data",
                directory.toString(),
                "http",
                "127.0.0.1:0",
                "kafka",
                "127.0.0.1:1/t?nonsense=1&format=" + format));
    try (EmbeddedStore store = LocalStore.open(config)) {
      String why =
          assertThrows(SourceRefusedException.class, () -> Daemon.start(config, store))
              .getMessage();
      assertTrue(String.valueOf(why).startsWith("kafka: nonsense: no such parameter"), why);
    }
  }
}
