package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.serve.prometheus.RemoteRead.matcher;
import static io.widerow.ingest.serve.prometheus.RemoteRead.packed;
import static io.widerow.ingest.serve.prometheus.RemoteRead.query;
import static io.widerow.ingest.serve.prometheus.RemoteRead.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a request that cannot be answered gets one sentence with the value, whatever it is.
/// Method: one request for each reason.
class RemoteReadMistakesTest {
  private static final String PATH = "/api/v1/read";
  private static final String SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

  private final Path directory;
  private final OperatedDaemon daemon;

  RemoteReadMistakesTest(@TempDir Path directory) {
    this.directory = directory;
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1", "query-memory-bytes", "8388608"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private String refusal(int status, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = daemon.http.exchange(PATH, RemoteRead.TYPE, body, headers);
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    assertEquals(status, answer.statusCode(), text);
    assertEquals(1, text.lines().count(), text);
    return text.strip();
  }

  private String refusal(byte[] query) throws IOException, InterruptedException {
    return refusal(400, request(query));
  }

  @Test
  void whatIsNoBlockOfSnappy() throws IOException, InterruptedException {
    assertEquals(
        "the body is not a valid snappy block: the length is cut at byte 0",
        refusal(400, new byte[0]));
    byte[] good = request(query(1, 2));
    assertEquals(
        "the body is not a valid snappy block: a literal of 6 bytes does not fit at byte 2",
        refusal(400, Arrays.copyOf(good, good.length - 1)));
    assertEquals(
        "the body is not a valid snappy block: 8 bytes cannot hold 4294967295 at byte 0",
        refusal(400, new byte[] {-1, -1, -1, -1, 15, 0, 0, 0}));
    assertEquals(
        "the body is larger than the limit of 1048576 bytes",
        refusal(413, packed(new byte[(1 << 20) + 1])));
    assertEquals(
        "the body is larger than the limit of 1048576 bytes", refusal(413, new byte[2 << 20]));
    assertEquals(
        "Content-Encoding must be snappy, got gzip",
        refusal(415, good, "content-encoding", "gzip"));
    HttpResponse<String> json = daemon.http.post(PATH, "application/json", "{}");
    assertEquals(415, json.statusCode());
    assertEquals(
        "Content-Type must be application/x-protobuf, got application/json\n", json.body());
  }

  @Test
  void whatIsNoRequest() throws IOException, InterruptedException {
    assertEquals("the request has no query", refusal(400, packed(new byte[0])));
    String wrongType = refusal(400, packed(number(1, 7)));
    assertTrue(wrongType.startsWith("the body is no prometheus.ReadRequest: field 1: "), wrongType);
    byte[] whole = query(1, 2, matcher(0, "a", "b"));
    String cut = refusal(400, packed(Arrays.copyOf(whole, whole.length - 2)));
    assertTrue(cut.startsWith("the body is no prometheus.ReadRequest: field 1: "), cut);
    assertEquals("a query ends before it starts: start 5, end 4", refusal(query(5, 4)));
    assertEquals(
        "label job: matchers are of the types 0 to 3, got 4",
        refusal(query(1, 2, matcher(4, "job", "x"))));
    assertEquals(
        "label job: missing closing ): `(a`", refusal(query(1, 2, matcher(2, "job", "(a"))));
    assertEquals(
        "label job: regular expressions of more than 3000 characters in one request",
        refusal(query(1, 2, matcher(3, "job", "a".repeat(3_001)))));
    String notUtf8 = refusal(query(1, 2, message(3, message(2, new byte[] {(byte) 0xff}))));
    assertTrue(notUtf8.contains("a text is not valid UTF-8"), notUtf8);
    assertEquals(
        "accepted_response_types: only SAMPLES (0) and STREAMED_XOR_CHUNKS (1) are known, got 7",
        refusal(400, packed(join(query(1, 2), number(2, 7)))));
    byte[][] many = IntStream.range(0, 101).mapToObj(i -> query(1, 2)).toArray(byte[][]::new);
    assertEquals("more than 100 queries in one request", refusal(400, request(many)));
    byte[][] matchers =
        IntStream.range(0, 1_001).mapToObj(i -> matcher(0, "a", "b")).toArray(byte[][]::new);
    assertEquals(
        "more than 1000 matchers in one request", refusal(400, request(query(1, 2, matchers))));
  }

  /// More series than fit into the memory of queries, which is 8 MiB here.
  @Test
  void aQuestionForTooMuchNamesTheLimit() throws IOException, InterruptedException {
    for (int part = 0; part < 8; part++) {
      byte[][] all = new byte[2_000][];
      for (int i = 0; i < all.length; i++) {
        all[i] =
            Messages.series(
                Messages.labels("__name__", "many", "series", "s" + (part * 2_000 + i)),
                Messages.sample(i, 1_700_000_000_000L));
      }
      byte[] body = Messages.packed(join(all));
      assertEquals(204, daemon.http.post("/api/v1/write", RemoteRead.TYPE, body).statusCode());
    }
    for (byte[] more : new byte[][] {new byte[0], number(2, 1)}) { // samples, and chunks
      String why = refusal(413, packed(join(query(0, Long.MAX_VALUE), more)));
      assertTrue(
          why.startsWith(
              "the query needs more than its budget of 8388608 bytes of memory, shared by all"),
          why);
    }
    HttpResponse<byte[]> small =
        daemon.http.exchange(
            PATH, RemoteRead.TYPE, request(query(0, Long.MAX_VALUE, matcher(0, "series", "s77"))));
    assertEquals(200, small.statusCode());
    assertEquals(1, RemoteRead.samples(small.body()).getFirst().size());
  }

  @Test
  void aTokenNeedsTheScopeOfQueries() throws IOException, InterruptedException {
    try (TokenDaemon guarded = new TokenDaemon(directory, SECRET)) {
      byte[] body = request(query(1, 2));
      HttpResponse<String> none = guarded.http.post(PATH, RemoteRead.TYPE, body);
      assertEquals(401, none.statusCode());
      assertEquals("needs a token\n", none.body());
      HttpResponse<String> other =
          guarded.http.post(PATH, RemoteRead.TYPE, body, "authorization", "Bearer " + SECRET);
      assertEquals(403, other.statusCode());
      assertEquals("the token has no scope query\n", other.body());
    }
  }
}
