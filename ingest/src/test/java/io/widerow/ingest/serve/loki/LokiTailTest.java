package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a tail shows each line once, also late ones, and ends with its daemon. Method: the
/// WebSocket client of the JDK.
@Timeout(300)
class LokiTailTest {
  private static final class Messages implements WebSocket.Listener {
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        queue.add(part.toString());
        part.setLength(0);
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closed.complete(code);
      return CompletableFuture.completedFuture(null);
    }

    String next() throws InterruptedException {
      String message = queue.poll(Await.SECONDS, TimeUnit.SECONDS);
      return message == null ? "none" : message;
    }
  }

  private static WebSocket open(HttpClient client, LokiDaemon loki, Messages messages) {
    String question = LokiDaemon.form("query", "{app=\"a\"} |= \"line\"", "limit", "10");
    int port = loki.daemon.httpAddress().getPort();
    URI uri = URI.create("ws://127.0.0.1:" + port + "/loki/api/v1/tail?" + question);
    return client.newWebSocketBuilder().buildAsync(uri, messages).join();
  }

  @Test
  void linesAreShownAsTheyCome(@TempDir Path directory) throws IOException, InterruptedException {
    Messages messages = new Messages();
    try (HttpClient client = HttpClient.newHttpClient()) {
      try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
        long now = System.currentTimeMillis() * 1_000_000;
        loki.push(
            "{\"app\":\"a\"}",
            "[\"%d\",\"line 1\"],[\"%d\",\"line 2\"]"
                .formatted(now - 2_000_000_000L, now - 1_000_000_000L));
        WebSocket socket = open(client, loki, messages);
        assertEquals(
            "{\"streams\":[{\"stream\":{\"app\":\"a\",\"detected_level\":\"unknown\","
                + "\"service_name\":\"a\"},\"values\":[[\"%d\",\"line 1\"],[\"%d\",\"line 2\"]]}],"
                    .formatted(now - 2_000_000_000L, now - 1_000_000_000L)
                + "\"dropped_entries\":null}",
            messages.next());
        loki.push("{\"app\":\"a\"}", "[\"%d\",\"late line 3\"]".formatted(now - 1_500_000_000L));
        assertTrue(messages.next().contains("late line 3"));
        loki.push("{\"app\":\"b\"}", "[\"%d\",\"line of b\"]".formatted(now));
        loki.push("{\"app\":\"a\"}", "[\"%d\",\"line 4\"]".formatted(now));
        assertTrue(messages.next().contains("\"line 4\""));
        assertEquals(0, messages.queue.size());
        assertFalse(socket.isInputClosed());
      }
      assertEquals(WebSocket.NORMAL_CLOSURE, messages.closed.join());
    }
  }

  @Test
  void aQuestionThatCannotBeFollowedIsRefused(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      assertEquals(
          "only lines can be followed", loki.refusal(400, "tail", "query", "rate({a=\"b\"}[1m])"));
      assertEquals(
          "delay_for can't be greater than 5, got 6",
          loki.refusal(400, "tail", "query", "{a=\"b\"}", "delay_for", "6"));
    }
  }
}
