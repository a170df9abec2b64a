package io.widerow.ingest.serve.loki;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.EndlessStore;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a query whose client leaves ends its work. Method: a store whose only event comes again
/// and again, for ever.
@Timeout(300)
class LokiCancelTest {
  private final EndlessStore endless = new EndlessStore();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "query?query=sum(bytes_over_time(%7Bapp%3D%22a%22%7D%5B1h%5D))",
        "query_range?query=%7Bapp%3D%22a%22%7D%20%7C%20logfmt%20%7C%20z%3D%221%22",
        "label/app/values?query=%7Bapp%3D%22a%22%7D"
      })
  void aClientThatLeavesEndsItsQuery(String question, @TempDir Path directory)
      throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"), endless::of)) {
      long nanos = (System.currentTimeMillis() - 60_000) * 1_000_000;
      String lines =
          "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[\"%d\",\"x\"]]}]}"
              .formatted(nanos);
      assertEquals(204, it.http.post("/loki/api/v1/push", "application/json", lines).statusCode());
      try (Socket client = new Socket()) {
        client.connect(it.daemon.httpAddress());
        String request =
            "GET /loki/api/v1/%s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n"
                .formatted(question, it.daemon.httpAddress().getPort());
        client.getOutputStream().write(request.getBytes(US_ASCII));
        assertTrue(endless.begun.await(Await.SECONDS, TimeUnit.SECONDS), "the query runs");
        assertEquals(1, endless.ended.getCount(), "it does not end by itself");
      }
      assertTrue(endless.ended.await(Await.SECONDS, TimeUnit.SECONDS), "it ends after its client");
    }
  }
}
