package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Http2Flood;
import io.widerow.faults.RawHttp2;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a flood on an HTTP/2 connection ends it, and a client at work is never taken for one.
/// Method: a daemon, frames on raw sockets, and a clock that the test sets for the allowances.
@Timeout(300)
class Http2FrameGuardTest {
  private static final int FLOOD_MAX = 100_000;
  private Daemon daemon;

  @BeforeEach
  void start() {
    daemon =
        Daemon.start(
            DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1")), new MemoryStore(1));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(daemon.httpAddress().getPort());
  }

  @ParameterizedTest
  @EnumSource
  void aFloodIsEndedWithGoAway(Http2Flood flood) throws IOException {
    try (RawHttp2 raw = connect()) {
      raw.send(flood.first());
      assertTrue(raw.floodUntilEnded(flood::frames, FLOOD_MAX, true), flood + " goes on");
    }
    try (RawHttp2 next = connect()) {
      next.send(RawHttp2.request(1, "/ready", RawHttp2.END_STREAM | RawHttp2.END_HEADERS));
      assertTrue(next.awaitAnswers(1), "others are answered");
    }
  }

  @Test
  void theReasonIsTold() throws IOException {
    for (Http2Flood flood : List.of(Http2Flood.PING, Http2Flood.WINDOW_UPDATE_OF_0)) {
      try (RawHttp2 raw = connect()) {
        raw.send(flood.first());
        for (int n = 0; n < 4_000; n++) {
          try {
            raw.send(flood.frames(n));
          } catch (IOException ended) {
            break;
          }
        }
        assertTrue(raw.isClosed());
        boolean told = raw.goAwayCode() == RawHttp2.ENHANCE_YOUR_CALM;
        assertTrue(told || raw.goAwayCode() == -1, "code " + raw.goAwayCode()); // -1: reset by TCP
      }
    }
  }

  /// Some clients lose an answer after which the stream is reset.
  @Test
  void anAnswerBeforeTheEndOfTheBodyResetsNothing() throws IOException {
    try (RawHttp2 raw = connect()) {
      raw.send(RawHttp2.request(1, "/v1/events?durability=none", RawHttp2.END_HEADERS));
      assertTrue(raw.awaitAnswers(1), "refused by its headers");
      raw.send(RawHttp2.frame(RawHttp2.DATA, 0, 1, new byte[10_000]));
      raw.send(RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, new byte[10]));
      raw.send(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
      assertTrue(raw.awaitPings(1), "the connection is kept");
      assertEquals(0, raw.resets());
    }
  }

  /// Acknowledgements that nobody reads must not pile up.
  @Test
  void aFloodThatReadsNothingIsEndedToo() throws IOException {
    try (RawHttp2 raw = connect()) {
      assertTrue(raw.floodUntilEnded(Http2Flood.PING::frames, FLOOD_MAX, false));
    }
  }

  @Test
  void aFloodAfterAnUpgradeIsEndedToo() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), daemon.httpAddress().getPort());
    String upgrade =
        String.join(
            "\r\n",
            "GET /ready HTTP/1.1",
            "host: 127.0.0.1",
            "connection: Upgrade, HTTP2-Settings",
            "upgrade: h2c",
            "http2-settings: AAMAAABkAAQAAP__",
            "\r\n");
    try (RawHttp2 raw = new RawHttp2(socket, upgrade + RawHttp2.PREFACE)) {
      assertTrue(raw.floodUntilEnded(Http2Flood.PING::frames, FLOOD_MAX, true));
    }
  }

  /// gRPC pings for each answer, cancels some calls, and opens windows.
  @Test
  void aClientAtWorkIsNotAFlood() throws IOException {
    int end = RawHttp2.END_STREAM | RawHttp2.END_HEADERS;
    try (RawHttp2 raw = connect()) {
      IntFunction<byte[]> ping = _ -> RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]);
      for (int n = 0; n < 5_000; n++) {
        raw.send(RawHttp2.request(RawHttp2.stream(n), "/ready", end));
        raw.send(RawHttp2.frame(RawHttp2.WINDOW_UPDATE, 0, 0, RawHttp2.number(1)));
        raw.send(ping.apply(n));
        assertTrue(raw.awaitAnswers(n + 1), "request " + n);
      }
      assertTrue(raw.awaitPings(5_000));
    }
  }

  /// Requests that are reset cost more than a reset: fewer are allowed than Netty allows.
  @Test
  void requestsThatClientsResetEndTheConnectionSoon() throws IOException {
    try (RawHttp2 raw = connect()) {
      assertTrue(raw.floodUntilEnded(Http2Flood.RAPID_RESET::frames, 350, true));
    }
  }

  @Test
  void requestsThatTheDaemonResetsEndTheConnectionSooner() throws IOException {
    try (RawHttp2 raw = connect()) {
      assertTrue(raw.floodUntilEnded(Http2Flood.WINDOW_UPDATE_OF_0::frames, 100, true));
    }
  }

  /// A proxy whose clients leave now and then.
  @Test
  void aClientThatTakesAnswersMayResetMore() throws IOException {
    int end = RawHttp2.END_STREAM | RawHttp2.END_HEADERS;
    try (RawHttp2 raw = connect()) {
      for (int n = 0; n < 300; n++) {
        raw.send(RawHttp2.request(RawHttp2.stream(n), "/ready", end));
        assertTrue(raw.awaitAnswers(n + 1), "request " + n);
      }
      for (int n = 300; n < 600; n++) {
        raw.send(Http2Flood.RAPID_RESET.frames(n));
      }
      raw.send(RawHttp2.request(RawHttp2.stream(600), "/ready", end));
      assertTrue(raw.awaitAnswerOf(RawHttp2.stream(600)), "is answered");
    }
  }

  /// The daemon resets the streams of uploads that it refuses early: that is no fault of a client.
  @Test
  void refusedUploadsAreNotAFlood() throws IOException {
    try (RawHttp2 raw = connect()) {
      for (int n = 0; n < 1_000; n++) {
        String path = "/v1/events?type=t&durability=wrong";
        raw.send(RawHttp2.request(RawHttp2.stream(n), path, RawHttp2.END_HEADERS));
        assertTrue(raw.awaitAnswers(n + 1), "request " + n);
      }
    }
  }

  @Test
  void theClientOfTheJdkIsServed() {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      URI ready = URI.create("http://127.0.0.1:%d/ready".formatted(daemon.httpAddress().getPort()));
      HttpRequest request = HttpRequest.newBuilder(ready).build();
      for (int round = 0; round < 30; round++) {
        List<CompletableFuture<HttpResponse<String>>> all =
            IntStream.range(0, 100)
                .mapToObj(_ -> client.sendAsync(request, BodyHandlers.ofString()))
                .toList();
        boolean upgraded = round > 0; // requests before the upgrade go by HTTP/1.1
        for (CompletableFuture<HttpResponse<String>> each : all) {
          assertEquals(200, each.join().statusCode());
          assertTrue(!upgraded || each.join().version() == HttpClient.Version.HTTP_2);
        }
      }
    }
  }

  @Test
  void anAllowanceIsRefilledByTime() {
    long[] now = {5};
    Http2FrameGuard.Allowance allowance = new Http2FrameGuard.Allowance(10, 10, () -> now[0]);
    assertEquals(10, spent(allowance));
    now[0] += TimeUnit.SECONDS.toNanos(3);
    assertEquals(3, spent(allowance));
    now[0] += TimeUnit.MILLISECONDS.toNanos(900);
    assertFalse(allowance.spend());
    now[0] += TimeUnit.MILLISECONDS.toNanos(100);
    assertEquals(1, spent(allowance), "no time is lost");
    now[0] += TimeUnit.HOURS.toNanos(1);
    assertEquals(10, spent(allowance), "and none is saved up beyond the limit");
    allowance.earn(7);
    assertEquals(7, spent(allowance));
    for (int i = 0; i < 1_000; i++) {
      allowance.earn(4);
    }
    assertEquals(40, spent(allowance), "the earned allowance is limited too");
  }

  private static int spent(Http2FrameGuard.Allowance allowance) {
    int count = 0;
    while (allowance.spend()) {
      count++;
    }
    return count;
  }
}
