package io.widerow.ingest.serve.reply;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.AcceptLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: an answer ends when its client closes the connection, and not when Armeria notices, a
/// second later; an answer that was given in time is not touched. Method: answers that never come
/// by themselves, on a server of one event loop. A client that leaves later, with its answer
/// watched, is seen earlier than one that left before it, with its answer not watched.
@Timeout(300)
class DisconnectDetectorTest {
  private static final String LATE = "late";
  private static final String AT_ONCE = "at once";

  private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
  private final CompletableFuture<HttpResponse> watched = new CompletableFuture<>();
  private Server server = Server.builder().service("/", (_, _) -> HttpResponse.of(204)).build();

  @BeforeEach
  void serve() {
    server =
        Server.builder()
            .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossGroupFactory(AcceptLoop::new)
            .workerGroup(new AcceptLoop("one"), true)
            .service("/late", (_, _) -> unanswered(LATE))
            .service("/at-once", (context, _) -> watch(context, unanswered(AT_ONCE)))
            .service("/soon", (context, _) -> watch(context, HttpResponse.of(HttpStatus.OK)))
            .build();
    server.start().join();
  }

  @AfterEach
  void stop() {
    server.stop().join();
  }

  private HttpResponse unanswered(String name) {
    HttpResponse response = HttpResponse.of(new CompletableFuture<>());
    var _ = response.whenComplete().whenComplete((_, _) -> ended.add(name));
    begun.add(name);
    return response;
  }

  private HttpResponse watch(ServiceRequestContext context, HttpResponse response) {
    DisconnectDetector.endsAnswer(context, response);
    watched.complete(response);
    return response;
  }

  private Socket ask(String path) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), server.activeLocalPort());
    String request = "GET " + path + " HTTP/1.1\r\nhost: localhost\r\n\r\n";
    client.getOutputStream().write(request.getBytes(US_ASCII));
    return client;
  }

  @Test
  void anAnswerEndsWithItsConnection() throws IOException, InterruptedException {
    try (Socket atOnce = ask("/at-once")) {
      try (Socket late = ask("/late")) {
        begun.take();
        begun.take();
        assertTrue(ended.isEmpty(), "no answer ends while its client waits");
        assertFalse(late.isClosed(), "it leaves first");
      }
      assertFalse(atOnce.isClosed(), "it leaves now");
    }
    assertEquals(AT_ONCE, ended.take());
    assertEquals(LATE, ended.take(), "what Armeria does by itself");
    CompletionException why =
        assertThrows(CompletionException.class, () -> watched.join().whenComplete().join());
    assertInstanceOf(ClosedSessionException.class, why.getCause());
  }

  @Test
  void anAnswerThatWasGivenIsWhole() throws IOException {
    try (Socket client = ask("/soon")) {
      byte[] start = client.getInputStream().readNBytes(15);
      assertEquals("HTTP/1.1 200 OK", new String(start, US_ASCII));
      watched.join().whenComplete().join(); // without a failure
    }
  }
}
