package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.Server;
import io.widerow.faults.Await;
import io.widerow.faults.RawHttp;
import io.widerow.ingest.http.AcceptLoop;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a small answer is sent whole, a large one piece by piece, and headers do not wait until an
/// answer is complete. Method: a server that answers under the test's control on its own thread;
/// the JDK's client, and a client that leaves.
@Timeout(300)
class QueryReplyTest {
  private static final ResponseHeaders OK =
      ResponseHeaders.of(HttpStatus.OK, "content-type", MediaType.PLAIN_TEXT_UTF_8);

  private final CompletableFuture<Void> answered = new CompletableFuture<>();
  private Server server = Server.builder().service("/", (_, _) -> HttpResponse.of(204)).build();

  private interface Answer {
    void to(QueryReply reply)
        throws ExecutionException, InterruptedException, TimeoutException, IOException;
  }

  private int serve(Answer answer) {
    server =
        Server.builder()
            .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossGroupFactory(AcceptLoop::new)
            .service(
                "/",
                (context, _) -> {
                  QueryReply reply = new QueryReply(context, 20);
                  Thread.ofVirtual().start(() -> run(answer, reply));
                  return reply.response();
                })
            .build();
    server.start().join();
    return server.activeLocalPort();
  }

  private void run(Answer answer, QueryReply reply) {
    try {
      answer.to(reply);
      answered.complete(null);
    } catch (Exception failure) {
      answered.completeExceptionally(failure);
    }
  }

  private java.net.http.HttpResponse<InputStream> get(int port)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build();
      var response = client.send(request, BodyHandlers.ofInputStream());
      gate.countDown(); // the client closes after reading the answer
      try (InputStream in = response.body()) {
        body = in.readAllBytes();
      }
      return response;
    }
  }

  private final CountDownLatch gate = new CountDownLatch(1); // open once the headers are there
  private byte[] body = new byte[0];

  @AfterEach
  void stop() {
    server.stop().join();
  }

  @Test
  void aSmallAnswerGoesOutWhole() throws Exception {
    byte[] text = "one\ntwo\n".getBytes(StandardCharsets.US_ASCII);
    int port =
        serve(reply -> {
          reply.begin(OK);
          reply.end(text, text.length);
        });
    var response = get(port);
    assertEquals(text.length, response.headers().firstValueAsLong("content-length").orElseThrow());
    assertArrayEquals(text, body);
    answered.join();
  }

  @Test
  void aLargeAnswerGoesOutInPieces() throws Exception {
    byte[] piece = new byte[300_000];
    int port =
        serve(reply -> {
          reply.begin(OK);
          for (int i = 0; i < 5; i++) {
            Arrays.fill(piece, (byte) ('a' + i));
            assertTrue(reply.write(piece, piece.length));
          }
          reply.end(piece, 7);
        });
    var response = get(port);
    assertTrue(response.headers().firstValue("content-length").isEmpty());
    assertEquals(5 * piece.length + 7, body.length);
    for (int i = 0; i < body.length; i++) {
      assertEquals('a' + Math.min(4, i / piece.length), body[i]);
    }
    answered.join();
  }

  @Test
  void headersComeBeforeAnAnswerThatTakesLong() throws Exception {
    int port =
        serve(reply -> {
          reply.begin(OK);
          assertTrue(gate.await(Await.SECONDS, TimeUnit.SECONDS), "no headers before the answer");
          reply.end(new byte[] {'x'}, 1);
        });
    assertEquals(200, get(port).statusCode());
    assertArrayEquals(new byte[] {'x'}, body);
    answered.join();
  }

  @Test
  void aRefusalReplacesTheAnswer() throws Exception {
    int port = serve(reply -> reply.refuse(HttpResponse.of(HttpStatus.GONE)));
    assertEquals(410, get(port).statusCode());
  }

  @Test
  void aFailureBeforeTheFirstByteIsReported() throws Exception {
    int port =
        serve(reply -> {
          reply.begin(OK);
          reply.fail(new IllegalStateException("broken"));
        });
    assertEquals(500, get(port).statusCode());
  }

  @Test
  void aReaderThatLeavesIsNoticed() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    int port =
        serve(reply -> {
          var _ = reply.response().whenComplete().whenComplete((_, _) -> left.countDown());
          reply.begin(OK);
          asked.countDown();
          assertTrue(left.await(Await.SECONDS, TimeUnit.SECONDS), "nobody left");
          byte[] piece = new byte[300_000];
          assertFalse(reply.write(piece, piece.length));
        });
    try (RawHttp raw = new RawHttp(port)) {
      raw.send("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
      assertTrue(asked.await(Await.SECONDS, TimeUnit.SECONDS));
    }
    answered.join();
  }
}
