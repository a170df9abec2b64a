package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: after any end of the daemon, everything acknowledged is there, once and in order. Method:
/// the daemon as a separate process that is stopped under load, and senders with a ledger.
/// [DaemonKillTest] covers kills.
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@Tag("process")
class ServeProcessTest {
  private static final int SENDERS = 4;

  @TempDir private Path directory = Path.of(".");

  @Test
  void aSecondDaemonIsRefusedAndAStopUnderLoadLosesNothing()
      throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    ServeProcess daemon = ServeProcess.start(data);
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      load.awaitMore(20);
      assertSecondIsRefused(data, daemon.pid());
      load.awaitMore(20);
      long start = System.nanoTime();
      assertEquals(0, daemon.stop(12), daemon.output());
      System.out.printf("stopped in %d ms%n", (System.nanoTime() - start) / 1_000_000);
      daemon = ServeProcess.start(data);
      assertTrue(daemon.output().contains(" 0 events replayed"), daemon.output());
      load.moveTo(daemon.port());
      load.awaitMore(20);
      load.end();
      load.verify();
    } finally {
      daemon.close();
    }
  }

  private void assertSecondIsRefused(Path data, long owner)
      throws IOException, InterruptedException {
    Path log = directory.resolve("second.log");
    Process second = ServeProcess.launch(data, log);
    assertTrue(second.waitFor(Await.SECONDS, TimeUnit.SECONDS), "still there");
    String told = Files.readString(log);
    assertEquals(75, second.exitValue(), told);
    assertTrue(told.contains("process " + owner), told);
  }

  @Test
  void aBatchWhoseAnswerWasLostIsRecognisedAfterAKill() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    String body = "one\ntwo\n";
    String path = "/v1/events?type=a";
    try (ServeProcess daemon = ServeProcess.start(data)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), daemon.port())) {
        OutputStream out = socket.getOutputStream();
        out.write(
            ("POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\n"
                    + "idempotency-key: k\r\ncontent-length: %d\r\n\r\n%s")
                .formatted(path, body.length(), body)
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        Await.until(
            () -> get(daemon, "/v1/status").contains("\"eventsCommitted\":2,"),
            "both events are committed");
      }
      daemon.kill();
    }
    try (ServeProcess daemon = ServeProcess.start(data)) {
      HttpRequest again =
          HttpRequest.newBuilder(uri(daemon, path))
              .header("content-type", Http.TEXT)
              .header("idempotency-key", "k")
              .POST(BodyPublishers.ofString(body))
              .build();
      assertEquals(
          "{\"accepted\":0,\"duplicate\":2,\"rejected\":[],\"durability\":\"disk\"}\n",
          send(again));
      assertEquals(3, get(daemon, "/v1/query").lines().count());
    }
  }

  private static URI uri(ServeProcess daemon, String path) {
    return URI.create("http://127.0.0.1:" + daemon.port() + path);
  }

  private static String get(ServeProcess daemon, String path)
      throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(daemon, path)).build());
  }

  private static String send(HttpRequest request) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return client.send(request, BodyHandlers.ofString()).body();
    }
  }
}
