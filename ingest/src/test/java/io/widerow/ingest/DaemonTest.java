package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.widerow.faults.Await;
import io.widerow.faults.RawHttp;
import io.widerow.ingest.http.IntakeRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the answers over HTTP agree with what the store has. Method: a daemon on a free port of
/// this machine with a store in memory, and a plain HTTP client.
class DaemonTest {
  @AutoClose
  private final MemoryDaemon it =
      new MemoryDaemon(2, Map.of("body-bytes-max", "4000000", "credit-bytes", "16000000"));

  private final MemoryStore store = it.store;
  private final Daemon daemon = it.daemon;
  private final Http http = it.http;

  @Test
  void jsonLinesAreStoredAndBadOnesNamed() throws IOException, InterruptedException {
    String lines =
        """
        {"ts":"2026-11-20T19:00:00.123456789Z","type":"a","body":"one","n":1,"x":{"y":2.5,"z":null}}
        {"ts":1763665200,"type":"a","body":}

        {"ts":1763665200123,"body":"no type"}
        {"ts":1763665200123456,"type":"b","ok":true,"list":[1, "a"]}
        """;
    HttpResponse<String> answer = http.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode());
    assertEquals(
        """
        {"accepted":2,"rejected":[{"index":1,"reason":"not valid JSON"},\
        {"index":2,"reason":"no type: neither a member nor a parameter"}],"durability":"disk"}
        """,
        answer.body());
    assertEquals(
        "[Stored[type=a, timeNanos=1795201200123456789, ownId=null, attributes={body=one, n=1,"
            + " x.y=2.5}], Stored[type=b, timeNanos=1763665200123456000, ownId=null,"
            + " attributes={list=[1, \"a\"], ok=true}]]",
        store.committed.toString());
  }

  @Test
  void nothingStoredIsAnError() throws IOException, InterruptedException {
    assertEquals(400, http.post("/v1/events?type=a", Http.NDJSON, "nonsense").statusCode());
    assertEquals(200, http.post("/v1/events?type=a", Http.NDJSON, "").statusCode());
    assertEquals(415, http.post("/v1/events?type=a", "image/png", "x").statusCode());
    assertEquals(400, http.post("/v1/events", Http.TEXT, "x").statusCode());
    assertEquals(400, http.post("/v1/events?type=a&durability=hope", Http.TEXT, "x").statusCode());
    assertEquals(
        403, http.post("/v1/events?type=a", Http.TEXT, "x", "origin", "http://e").statusCode());
  }

  @Test
  void textLinesKeepTheirBytes() throws IOException, InterruptedException {
    String log =
        """
        h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5
        no time here
        h - - [17/May/2015:12:05:03 +0200] "GET /ä HTTP/1.1"\t404 5\r
        """;
    HttpResponse<String> answer =
        http.post("/v1/events?type=w&ts=clf&durability=os", Http.TEXT, log);
    assertTrue(answer.body().startsWith("{\"accepted\":3,\"rejected\":[],"), answer.body());
    assertTrue(answer.body().endsWith("\"durability\":\"os\"}\n"));
    assertEquals(1431857103000000000L, store.committed.get(0).timeNanos());
    assertEquals(1431857103000000000L, store.committed.get(1).timeNanos(), "of the line before");
    assertEquals(1431857103000000000L, store.committed.get(2).timeNanos());
    assertEquals("no time here", store.committed.get(1).body());
    assertEquals(log.lines().findFirst().orElseThrow(), store.committed.get(0).body());
    assertEquals(
        "h - - [17/May/2015:12:05:03 +0200] \"GET /ä HTTP/1.1\"\t404 5",
        store.committed.get(2).body(),
        "the CR of CRLF is no part of a line");
  }

  /// A repeat is recognized by its content only when the content has all times.
  @Test
  void textTimesAreFoundBySight() throws IOException, InterruptedException {
    String timed = "2015-10-18 18:01:47,978 INFO a\n\tat b\n".repeat(8);
    String arrived = "no time\n" + timed;
    for (String log : List.of(timed, arrived)) {
      assertEquals(200, http.post("/v1/events?type=w", Http.TEXT, log).statusCode());
    }
    assertEquals(1_445_191_307_978_000_000L, store.committed.get(0).timeNanos());
    assertEquals(1_445_191_307_978_000_000L, store.committed.get(1).timeNanos());
    assertEquals(1_445_191_307_978_000_000L, store.committed.get(17).timeNanos());
    assertTrue(http.post("/v1/events?type=w", Http.TEXT, timed).body().contains("duplicate"));
    assertFalse(http.post("/v1/events?type=w", Http.TEXT, arrived).body().contains("duplicate"));
  }

  @Test
  void multiLineRecordsAreJoined() throws IOException, InterruptedException {
    String log =
        """
        [2016-12-19 16:31:47,999] ERROR first
        \tat a.b.C

        \tat d.e.F
        [2016-12-19 16:31:48,001] INFO second
        """;
    http.post("/v1/events?type=k&ts=log4j&start=time", Http.TEXT, log);
    assertEquals(2, store.committed.size());
    assertEquals(
        "[2016-12-19 16:31:47,999] ERROR first\n\tat a.b.C\n\n\tat d.e.F",
        store.committed.get(0).body());
    assertEquals(1482165107999000000L, store.committed.get(0).timeNanos());
  }

  @Test
  void packedBodiesAreUnpackedUpToTheLimit() throws IOException, InterruptedException {
    byte[] line = "x".repeat(3_000_000).getBytes(StandardCharsets.US_ASCII);
    byte[] small = "hello\n".getBytes(StandardCharsets.US_ASCII);
    String path = "/v1/events?type=a";
    assertEquals(
        200, http.post(path, Http.TEXT, gzip(small), "content-encoding", "gzip").statusCode());
    byte[] zstd = Zstd.compress(small);
    assertEquals(200, http.post(path, Http.TEXT, zstd, "content-encoding", "zstd").statusCode());
    assertEquals(
        413, http.post(path, Http.TEXT, gzip(line), "content-encoding", "gzip").statusCode());
    assertEquals(
        413,
        http.post(path, Http.TEXT, Zstd.compress(line), "content-encoding", "zstd").statusCode());
    assertEquals(400, http.post(path, Http.TEXT, small, "content-encoding", "gzip").statusCode());
    assertEquals(400, http.post(path, Http.TEXT, small, "content-encoding", "zstd").statusCode());
    assertEquals(415, http.post(path, Http.TEXT, small, "content-encoding", "br").statusCode());
    assertEquals(413, http.post(path, Http.TEXT, new byte[4_000_001]).statusCode());
    assertEquals(2, store.committed.size());
  }

  @Test
  void aTransferCodingThatIsNotChunkedEndsTheConnection() throws IOException {
    List<String> wrong =
        List.of(
            "xchunked",
            "identity",
            "gzip",
            "gzip, chunked",
            "chunked, gzip",
            "chunked, chunked",
            "chunked\r\ntransfer-encoding: identity",
            "identity\r\ntransfer-encoding: chunked",
            "");
    String next = RawHttp.post("next") + "content-length: 4\r\n\r\nevil";
    for (String coding : wrong) {
      try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
        raw.send(RawHttp.post("first") + "transfer-encoding: " + coding + "\r\n\r\n");
        raw.send("4\r\ngood\r\n0\r\n\r\n" + next);
        String told = raw.untilClosed();
        assertTrue(told.startsWith("HTTP/1.1 400"), () -> coding + " gets " + told);
        assertEquals(-1, told.indexOf("HTTP/1.1", 1), () -> coding + " gets " + told);
      }
    }
    assertEquals(0, store.committed.size());
    try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
      raw.send(RawHttp.post("first") + "transfer-encoding: Chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n");
      assertEquals(200, raw.status());
    }
  }

  /// One packet and one wake-up for each answer: to a batch, which is stored meanwhile, and to a
  /// request that is answered at once.
  @Test
  void anAnswerIsSentAsAWhole() throws IOException {
    try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
      for (int i = 0; i < 20; i++) {
        raw.send(RawHttp.post("whole") + "content-length: 4\r\n\r\ngood");
        String stored = raw.piece();
        assertTrue(stored.startsWith("HTTP/1.1 200") && stored.endsWith("}\n"), stored);
        raw.send("GET /ready HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
        String ready = raw.piece();
        assertTrue(ready.contains("\r\n\r\n") && !ready.endsWith("\r\n\r\n"), ready);
      }
    }
  }

  @Test
  void aRequestOfWhichNothingIsStoredListsAHundredReasons()
      throws IOException, InterruptedException {
    HttpResponse<String> none = http.post("/v1/events?type=a", Http.NDJSON, "bad\n".repeat(1_234));
    assertEquals(400, none.statusCode());
    assertEquals(100, none.body().split("\"index\"", -1).length - 1);
    assertTrue(none.body().contains("\"rejectedNotListed\":1134"), none.body());
    String one = "{\"a\":1}\n" + "bad\n".repeat(1_234);
    HttpResponse<String> some = http.post("/v1/events?type=a", Http.NDJSON, one);
    assertEquals(1_234, some.body().split("\"index\"", -1).length - 1);
  }

  @Test
  void curlWithoutAHeaderIsToldWhatToAdd() throws IOException, InterruptedException {
    HttpResponse<String> told =
        http.post("/v1/events?type=a", "application/x-www-form-urlencoded", "{}");
    assertEquals(415, told.statusCode());
    assertTrue(told.body().contains("-H 'content-type: application/x-ndjson'"), told.body());
    assertTrue(told.body().contains("--data-binary"), told.body());
    assertFalse(http.post("/v1/events?type=a", "image/png", "{}").body().contains("curl"));
  }

  @Test
  void aSenderThatReadsOnlyAtTheEndSeesTheRefusal() throws IOException {
    byte[] body = new byte[0x200_0000]; // more than socket buffers hold
    for (String framed :
        List.of("content-length: 33554432\r\n", "transfer-encoding: chunked\r\n\r\n2000000")) {
      try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
        raw.send(RawHttp.post("large") + framed + "\r\n").send(body);
        String told = raw.untilClosed();
        assertTrue(told.startsWith("HTTP/1.1 413 "), told);
        assertTrue(told.endsWith("the limit of 4000000 bytes\"}\n"), told);
      }
    }
  }

  @Test
  void statusIsReported() throws IOException, InterruptedException {
    http.post("/v1/events?type=a", Http.TEXT, "x");
    assertEquals(200, http.get("/ready").statusCode());
    assertEquals(204, http.get("/ping").statusCode());
    assertTrue(http.get("/health").body().contains("\"status\":\"pass\""));
    String metrics = http.get("/metrics").body();
    assertTrue(metrics.contains("widerow_events_accepted_total"), metrics);
    assertTrue(metrics.contains("jvm_memory_used_bytes{area=\"heap\""), metrics);
    assertTrue(metrics.contains("process_files_open_files"), metrics);
    http.post("/v1/events?type=a", Http.NDJSON, "bad\n".repeat(5));
    for (int i = 0; i < 12; i++) {
      http.post("/v1/events", Http.NDJSON, "{\"type\":\"a\"}\n{\"n\":1}\n");
    }
    String status = http.get("/v1/status").body();
    assertTrue(status.contains("\"eventsCommitted\":13"), status);
    assertTrue(status.contains("\"disk\":{\"usableBytes\":"), status);
    assertTrue(status.contains("\"backgroundFailure\":\"\""), status);
    String sample = "\"source\":\"/v1/events\",\"index\":";
    assertEquals(3 + 12 + 1, status.split(sample, -1).length);
    for (int i = 0; i < 12; i++) {
      http.post("/v1/events", Http.NDJSON, "{\"n\":1}\n");
    }
    assertEquals(20 + 1, http.get("/v1/status").body().split(sample, -1).length);
  }

  @Test
  void aRepeatIsAnsweredAsBefore() throws IOException, InterruptedException {
    String fine = "{\"ts\":\"2026-11-20T19:00:00.0000001Z\",\"type\":\"a\"}\n";
    String timed = fine + fine + "bad\n";
    String first = http.post("/v1/events", Http.NDJSON, timed).body();
    String again = http.post("/v1/events", Http.NDJSON, timed).body();
    assertEquals(first.replace("\"accepted\":2,", "\"accepted\":0,\"duplicate\":2,"), again);
    HttpResponse<String> none = http.post("/v1/events", Http.NDJSON, timed);
    assertEquals(200, none.statusCode(), "a repeat is no error, though nothing is stored now");
    for (int i = 0; i < 2; i++) { // without times and without a key each one is new
      http.post("/v1/events?type=a", Http.TEXT, "x");
      http.post("/v1/events?type=a", Http.TEXT, "y", "idempotency-key", "k");
    }
    assertEquals(2 + 2 + 1, store.committed.size());
  }

  /// Every event acknowledged as accepted is stored: a few events with coarse times are not a
  /// retry.
  @ParameterizedTest
  @CsvSource({
    "2026-11-20T19:00:00Z, 1, false",
    "2026-11-20T19:00:00.123Z, 15, false",
    "2026-11-20T19:00:00.123Z, 16, true",
    "2026-11-20T19:00:00.1230001Z, 1, true",
    "2026-11-20T19:00:00.123000001Z, 15, true",
  })
  void equalBodiesAreRepeatsOnlyWhenTheyCannotBeReal(String time, int events, boolean repeat)
      throws IOException, InterruptedException {
    String body = "{\"ts\":\"%s\",\"type\":\"a\"}\n".formatted(time).repeat(events);
    String first = "{\"accepted\":%d,\"rejected\":[],\"durability\":\"disk\"}\n".formatted(events);
    String again = "{\"accepted\":0,\"duplicate\":%d,".formatted(events);
    assertEquals(first, http.post("/v1/events", Http.NDJSON, body).body());
    String answer = http.post("/v1/events", Http.NDJSON, body).body();
    assertEquals(repeat ? first.replace("{\"accepted\":" + events + ",", again) : first, answer);
    assertEquals(repeat ? events : 2 * events, store.committed.size());
    for (int i = 0; i < 2; i++) { // a key says what the content does not
      http.post("/v1/events", Http.NDJSON, body, "idempotency-key", "k");
    }
    assertEquals(repeat ? 2 * events : 3 * events, store.committed.size());
  }

  /// One coarse time among fine ones is enough to doubt, and so is a refused event.
  @Test
  void aFewEventsAreARepeatOnlyWhenAllTheirTimesAreFine() throws IOException, InterruptedException {
    String mixed = "m v=1 1700000000123456789\nm v=2 1700000000123000000\n";
    String fine = "m v=1 1700000000123456789\nm v=2 1700000000123000001\n";
    String bad = "m v=1 1700000000123000000\n" + "m v\n".repeat(15);
    for (int i = 0; i < 2; i++) {
      assertEquals(204, http.post("/write", Http.TEXT, mixed).statusCode());
      assertEquals(204, http.post("/write", Http.TEXT, fine).statusCode());
      assertEquals(400, http.post("/write", Http.TEXT, bad).statusCode());
    }
    assertEquals(2 * 2 + 2 + 2, store.committed.size());
  }

  @Test
  void influxAnswersAsInfluxDoes() throws IOException, InterruptedException {
    HttpResponse<String> good = http.post("/api/v2/write?precision=s", Http.TEXT, "m v=1 5\n");
    assertEquals(204, good.statusCode());
    assertEquals(5_000_000_000L, store.committed.get(0).timeNanos());
    HttpResponse<String> partly = http.post("/api/v2/write", Http.TEXT, "m v=1 5\nm v\nm v=2 6\n");
    assertEquals(400, partly.statusCode());
    assertEquals(
        "{\"code\":\"invalid\",\"message\":\"partial write: unable to parse 'm v':"
            + " missing field value (line 2) dropped=1\"}\n",
        partly.body());
    assertEquals(3, store.committed.size());
    assertEquals(204, http.post("/write?db=x&precision=ms", Http.TEXT, "m v=1 5\n").statusCode());
    HttpResponse<String> none = http.post("/write?db=x", Http.TEXT, "m\n");
    assertEquals(400, none.statusCode());
    assertTrue(none.body().startsWith("{\"error\":\"unable to parse 'm'"), none.body());
    assertEquals(400, http.post("/write?precision=d", Http.TEXT, "m v=1 5").statusCode());
  }

  @Test
  void overloadIsReportedAndMemoryIsBounded() throws IOException, InterruptedException {
    store.commits.drainPermits(); // a disk that hangs
    byte[] body = "line of text\n".repeat(80_000).getBytes(StandardCharsets.US_ASCII);
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(http.postLater("/v1/events?type=a", Http.TEXT, body));
    }
    Await.until(() -> all.stream().anyMatch(CompletableFuture::isDone), "one request is answered");
    assertTrue(daemon.creditBytesUsed() < 200_000_000, "held " + daemon.creditBytesUsed());
    store.commits.release(1_000);
    int stored = 0;
    for (CompletableFuture<HttpResponse<String>> each : all) {
      HttpResponse<String> answer = each.join();
      stored += answer.statusCode() == 200 ? 1 : 0;
      if (answer.statusCode() != 200) {
        assertEquals(503, answer.statusCode(), answer.body());
        assertTrue(answer.headers().firstValueAsLong("retry-after").isPresent());
      }
    }
    assertTrue(stored > 0 && stored < 40, stored + " stored");
    assertEquals(stored * 80_000, store.committed.size());
    assertEquals(0, daemon.creditBytesUsed());
  }

  @Test
  void creditIsClaimedBeforeTheBodyArrives() throws IOException {
    try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
      raw.send(RawHttp.post("a") + "content-length: 1000000\r\n\r\nx");
      awaitCredit(IntakeRequest.BYTES_PER_BODY_BYTE * 1_000_000L);
    }
    awaitCredit(0); // the sender has left
  }

  private void awaitCredit(long bytes) {
    Await.until(() -> daemon.creditBytesUsed() == bytes, bytes + " bytes are claimed");
  }

  @Test
  void aStoppingDaemonAnswersRequestsInFlightAndRefusesNewOnes()
      throws IOException, InterruptedException {
    store.commits.drainPermits();
    byte[] line = "x".getBytes(StandardCharsets.US_ASCII);
    CompletableFuture<HttpResponse<String>> first =
        http.postLater("/v1/events?type=a", Http.TEXT, line);
    Await.until(() -> store.commits.getQueueLength() > 0, "a commit waits");
    Thread closing = Thread.ofPlatform().start(daemon::close);
    HttpResponse<String> late =
        assertDoesNotThrow(
            () -> {
              Await.until(() -> http.get("/ready").statusCode() != 200, "the daemon is not ready");
              return http.post("/v1/events?type=a", Http.TEXT, line);
            },
            "no longer listens while a request waits");
    assertEquals(503, late.statusCode(), late.body());
    assertFalse(first.isDone(), "answered before it was committed");
    assertFalse(closing.join(Duration.ofMillis(200)), "stopped while a request waits");
    store.commits.release(1_000);
    HttpResponse<String> answer = first.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join();
    assertEquals(200, answer.statusCode(), answer.body());
    closing.join();
    assertEquals(1, store.committed.size());
  }

  @Test
  void aBadQueryIsRefused() throws IOException, InterruptedException {
    HttpResponse<String> answer = http.get("/v1/query?limit=x");
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("limit"), answer.body());
  }

  @Test
  void aFailedStoreFailsRequestsForGood() throws IOException, InterruptedException {
    store.failure = "EIO";
    assertEquals(503, http.post("/v1/events?type=a", Http.TEXT, "x").statusCode());
    store.failure = null;
    assertEquals(503, http.post("/v1/events?type=a", Http.TEXT, "x").statusCode());
    assertEquals(503, http.get("/ready").statusCode());
    assertEquals(0, store.committed.size());
  }

  @Test
  void aFullDiskIsReportedAndPasses() throws IOException, InterruptedException {
    store.full = true;
    HttpResponse<String> refused = http.post("/v1/events?type=a", Http.TEXT, "x");
    assertEquals(507, refused.statusCode());
    assertTrue(refused.headers().firstValueAsLong("retry-after").isPresent());
    HttpResponse<String> ready = http.get("/ready");
    assertEquals(503, ready.statusCode());
    assertTrue(ready.body().contains("the disk is full: told to be full"), ready.body());
    assertTrue(ready.headers().firstValueAsLong("retry-after").isPresent());
    assertTrue(http.get("/v1/status").body().contains("\"state\":\"disk-full\""));
    store.full = false;
    assertEquals(200, http.get("/ready").statusCode(), "by itself");
    assertEquals(200, http.post("/v1/events?type=a", Http.TEXT, "x").statusCode());
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(plain);
    }
    return packed.toByteArray();
  }
}
