package io.widerow.ingest.serve.prometheus;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.EndlessStore;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a remote read whose reader leaves ends its work. Method: a store whose only event comes
/// again and again, for ever.
@Timeout(300)
class RemoteReadCancelTest {
  private final EndlessStore endless = new EndlessStore();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReaderThatLeavesEndsItsQuery(boolean chunks, @TempDir Path directory)
      throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"), endless::of)) {
      byte[] up =
          Messages.series(
              Messages.labels("__name__", "up"), Messages.sample(1, 1_700_000_000_000L));
      assertEquals(
          204, it.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(up)).statusCode());
      byte[] query = RemoteRead.query(0, Long.MAX_VALUE, RemoteRead.matcher(0, "__name__", "up"));
      byte[] body = chunks ? RemoteRead.chunkRequest(query) : RemoteRead.request(query);
      try (Socket client = new Socket()) {
        client.connect(it.daemon.httpAddress());
        OutputStream out = client.getOutputStream();
        String head =
            "POST /api/v1/read HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-length: %d\r\n\r\n"
                .formatted(it.daemon.httpAddress().getPort(), body.length);
        out.write(head.getBytes(US_ASCII));
        out.write(body);
        assertTrue(endless.begun.await(Await.SECONDS, TimeUnit.SECONDS), "the query runs");
        assertEquals(1, endless.ended.getCount(), "it does not end by itself");
      }
      assertTrue(endless.ended.await(Await.SECONDS, TimeUnit.SECONDS), "it ends after its reader");
    }
  }
}
