package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.RawHttp;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: after a body that stalls the sender tries again, whatever its protocol: many repeat a
/// batch after 503, and drop it after 408. Method: a request to each endpoint whose body stops.
@Timeout(300)
class SlowBodyTest {
  private static final List<String> ENDPOINTS =
      List.of(
          "/v1/events?type=a application/x-ndjson",
          "/write?db=x text/plain",
          "/api/v2/write text/plain",
          "/api/v3/write_lp?db=x text/plain",
          "/a/_bulk application/x-ndjson",
          "/services/collector/event application/json",
          "/services/collector/raw text/plain",
          "/api/v2/logs application/json",
          "/gelf application/json",
          "/loki/api/v1/push application/json",
          "/api/v1/write application/x-protobuf",
          "/v1/logs application/x-protobuf");

  @Test
  @Tag("deep") // waits for ten seconds
  void isRefusedUntilLater() throws IOException {
    MemoryStore store = new MemoryStore(1);
    Map<String, String> keys = Map.of("http", "127.0.0.1:0", "lanes", "1");
    List<RawHttp> all = new ArrayList<>();
    try (Daemon daemon = Daemon.start(DaemonConfig.of(keys), store)) {
      for (String endpoint : ENDPOINTS) {
        String[] both = endpoint.split(" ", -1);
        String coding = both[0].equals("/api/v1/write") ? "content-encoding: snappy\r\n" : "";
        all.add(
            new RawHttp(daemon.httpAddress().getPort())
                .send(
                    "POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n"
                            .formatted(both[0])
                        + "content-type: %s\r\n%s\r\nx".formatted(both[1], coding)));
      }
      for (int i = 0; i < ENDPOINTS.size(); i++) {
        String answer = all.get(i).untilClosed();
        assertTrue(answer.startsWith("HTTP/1.1 503 "), ENDPOINTS.get(i) + ": " + answer);
        assertTrue(answer.contains("\r\nretry-after: "), ENDPOINTS.get(i) + ": " + answer);
        assertTrue(answer.contains("only 1 bytes of the body arrived in 10 s"), answer);
      }
    } finally {
      for (RawHttp each : all) {
        each.close();
      }
    }
    assertEquals(0, store.committed.size());
  }
}
