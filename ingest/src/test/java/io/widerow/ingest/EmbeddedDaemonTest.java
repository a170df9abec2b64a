package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: events that a real store acknowledged are read back over HTTP, also after a restart, and a
/// repeat is still recognized. Method: the access log of the repository, sent twice with a restart
/// in between.
@Timeout(300)
class EmbeddedDaemonTest {
  private static final String PATH = "/v1/events?type=web&ts=clf";

  @TempDir private Path directory = Path.of(".");

  @Test
  void theAccessLogIsReadBackAlsoAfterARestart() throws IOException, InterruptedException {
    byte[] log = Files.readAllBytes(Path.of("../loadgen/logs/apache_access.log"));
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0", "lanes", "2"));
    String before;
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String answer = http.post(PATH, Http.TEXT, log).body();
      assertEquals("{\"accepted\":10000,\"rejected\":[],\"durability\":\"disk\"}\n", answer);
      before = http.get("/v1/query").body();
      assertEquals(10_001, before.lines().count());
    }
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      assertTrue(
          http.post(PATH, Http.TEXT, log).body().contains("{\"accepted\":0,\"duplicate\":10000,"));
      assertEquals(before, http.get("/v1/query").body());
    }
  }

  /// A sender repeats a batch of likes after one of them was taken back and the number of lanes has
  /// changed.
  @ParameterizedTest(name = "{0} lanes, then {1}")
  @CsvSource({"2,3", "4,1", "1,4"})
  void aRepeatOverOtherLanesReplacesNoLaterWrite(String before, String after)
      throws IOException, InterruptedException {
    String line =
        "{\"ts\":\"2026-11-25T02:04:%02dZ\",\"type\":\"like\",\"_key\":\"u%d\",\"n\":%d}%n";
    StringBuilder likes = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      likes.append(line.formatted(i, i, 1));
    }
    String data = directory.resolve("d").toString();
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data, "http", "127.0.0.1:0", "lanes", before));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String answer = http.post("/v1/events", Http.NDJSON, likes.toString()).body();
      assertTrue(answer.startsWith("{\"accepted\":40,"), answer);
      http.post("/v1/events", Http.NDJSON, line.formatted(7, 7, 0));
    }
    config = DaemonConfig.of(Map.of("data", data, "http", "127.0.0.1:0", "lanes", after));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String answer = http.post("/v1/events", Http.NDJSON, likes.toString()).body();
      assertTrue(answer.startsWith("{\"accepted\":0,\"duplicate\":40,"), answer);
      List<String> stored = http.get("/v1/query?type=like&format=json").body().lines().toList();
      assertEquals(1, stored.stream().filter(each -> each.contains("\"n\":0")).count());
      assertEquals(39, stored.stream().filter(each -> each.contains("\"n\":1")).count());
    }
  }

  @Test
  void anEventFarAheadGetsTheTimeOfItsArrival() throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0", "lanes", "1"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String line = "{\"ts\":\"%s\",\"type\":\"%s\"}%n";
      Instant now = Instant.now();
      String answer =
          http.post(
                  "/v1/events",
                  Http.NDJSON,
                  line.formatted(now.plus(Duration.ofMinutes(11)), "ahead")
                      + line.formatted(now.plus(Duration.ofMinutes(9)), "soon")
                      + line.formatted(now, "now"))
              .body();
      assertTrue(answer.startsWith("{\"accepted\":3,\"rejected\":[],"), answer);
      String ahead = http.get("/v1/query?type=ahead").body();
      String sent = "\"sender_time\":\"" + now.plus(Duration.ofMinutes(11)) + "\"";
      assertTrue(ahead.contains(sent), ahead);
      assertFalse(http.get("/v1/query?type=soon").body().contains("sender_time"));
    }
  }

  @Test
  void aDamagedSegmentIsReportedAndTheRestIsServed() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data.toString(), "http", "127.0.0.1:0", "lanes", "1"));
    Path damaged = data;
    for (String type : new String[] {"one", "two"}) {
      try (EventStore store = LocalStore.open(config);
          Daemon daemon = Daemon.start(config, store);
          Http http = new Http(daemon)) {
        assertTrue(
            http.post("/v1/events?type=" + type, Http.TEXT, "hello".getBytes(UTF_8))
                .body()
                .contains("\"accepted\":1"));
        assertEquals("{\"ready\":true}\n", http.get("/ready").body());
      }
      try (Stream<Path> files = Files.list(data.resolve("segments"))) {
        damaged = type.equals("one") ? files.findAny().orElseThrow() : damaged;
      }
    }
    Files.write(damaged, Arrays.copyOf(Files.readAllBytes(damaged), 70));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String ready = http.get("/ready").body();
      assertTrue(ready.startsWith("{\"ready\":true,\"damaged\":[\"" + damaged), ready);
      String status = http.get("/v1/status").body();
      assertTrue(status.contains("\"damage\":[{\"what\":\"segment\",\"file\":"), status);
      assertTrue(status.contains("|one|"), status);
      assertEquals(
          2, http.get("/v1/query?type=two").body().lines().count(), "one event and the token");
      String touched = http.get("/v1/query?type=one").body();
      assertTrue(touched.contains("error") && touched.contains("|one|"), touched);
      assertTrue(
          http.post("/v1/events?type=one", Http.TEXT, "again".getBytes(UTF_8))
              .body()
              .contains("\"accepted\":1"));
    }
  }

  private static long answeredHere(Http http) throws IOException, InterruptedException {
    return http.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("widerow_query_here_total "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  /// The first queries may be too slow for an event loop, because nothing is compiled yet.
  @Test
  void aSmallQueryIsAnsweredOnTheEventLoopUnlessWritesAreInFlight()
      throws IOException, InterruptedException {
    DaemonConfig config =
        TunedConfig.of(
            Map.of(
                "data",
                directory.resolve("d").toString(),
                "http",
                "127.0.0.1:0",
                "lanes",
                "1",
                "body-rate-min",
                "1"));
    byte[] log = Files.readAllBytes(Path.of("../loadgen/logs/apache_access.log"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      http.post(PATH, Http.TEXT, log);
    }
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String small = "/v1/query?order=desc&limit=100";
      List<String> latest =
          http.get("/v1/query?order=desc&limit=2000").body().lines().limit(100).toList();
      assertEquals(0, answeredHere(http), "a limit of 2,000 is not small");
      while (answeredHere(http) == 0) { // the time-out of the class ends it
        assertEquals(latest, http.get(small).body().lines().limit(100).toList());
      }
      assertEquals(200, http.get(small).statusCode());
      long before = answeredHere(http);
      try (Socket writer = new Socket()) {
        writer.connect(daemon.httpAddress());
        String half =
            ("POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: text/plain\r\n"
                    + "content-length: 10000\r\n\r\nhalf")
                .formatted(PATH, daemon.httpAddress().getPort());
        writer.getOutputStream().write(half.getBytes(UTF_8));
        Await.until(
            () -> http.get("/v1/status").body().contains("\"inFlight\":1"),
            "one request is in flight");
        for (int i = 0; i < 100; i++) {
          writer.getOutputStream().write(half.getBytes(UTF_8), 0, 40); // it goes on, slowly
          assertEquals(latest, http.get(small).body().lines().limit(100).toList());
        }
        assertEquals(before, answeredHere(http));
      }
    }
  }

  @Test
  void anIdleDaemonSealsOldRows() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data.toString(), "http", "127.0.0.1:0", "lanes", "1"));
    StoreConfig old =
        StoreConfig.at(data).withLanes(1, 1).withMemory(8 << 20, Duration.ofSeconds(1));
    try (EventStore store = EmbeddedStore.open(old, Runnable::run);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      assertEquals(200, http.post("/v1/events?type=a", Http.TEXT, "one\ntwo\n").statusCode());
      Await.until(() -> store.statistics().segmentEvents() >= 2, "both events are in segments");
      assertEquals(0, store.statistics().openEvents());
    }
  }

  @Test
  void belowTheDiskReserveTheDaemonReadsButDoesNotWrite() throws IOException, InterruptedException {
    String data = directory.resolve("d").toString();
    Map<String, String> roomy = Map.of("data", data, "http", "127.0.0.1:0", "lanes", "1");
    Map<String, String> tight = new HashMap<>(roomy);
    tight.put("disk-reserve-bytes", Long.toString(Long.MAX_VALUE));
    try (EventStore store = LocalStore.open(DaemonConfig.of(roomy));
        Daemon daemon = Daemon.start(DaemonConfig.of(roomy), store);
        Http http = new Http(daemon)) {
      assertEquals(200, http.post("/v1/events?type=a", Http.TEXT, "one").statusCode());
    }
    try (EventStore store = LocalStore.open(DaemonConfig.of(tight));
        Daemon daemon = Daemon.start(DaemonConfig.of(tight), store);
        Http http = new Http(daemon)) {
      var refused = http.post("/v1/events?type=a", Http.TEXT, "two", "idempotency-key", "k");
      assertEquals(507, refused.statusCode());
      assertTrue(refused.headers().firstValueAsLong("retry-after").isPresent());
      assertEquals(2, http.get("/v1/query").body().lines().count());
      var ready = http.get("/ready");
      assertEquals(503, ready.statusCode());
      assertTrue(ready.body().contains("9223372036854775807 are needed"), ready.body());
    }
    try (EventStore store = LocalStore.open(DaemonConfig.of(roomy));
        Daemon daemon = Daemon.start(DaemonConfig.of(roomy), store);
        Http http = new Http(daemon)) {
      var stored = http.post("/v1/events?type=a", Http.TEXT, "two", "idempotency-key", "k");
      assertEquals(200, stored.statusCode());
      assertFalse(stored.body().contains("duplicate"));
    }
  }

  @Test
  void arrivalsSinceATokenAreReportedOverHttp() throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String events = "{\"ts\":1700000000,\"type\":\"a\"}\n{\"ts\":1700000005,\"type\":\"a\"}\n";
      http.post("/v1/events", Http.NDJSON, events);
      var first = http.get("/v1/query");
      String arrived = first.headers().firstValue("widerow-arrived").orElseThrow();
      String token = first.body().replaceAll("(?s).*\"token\":\"([^\"]*)\".*", "$1");
      String late = "{\"ts\":1600000000,\"type\":\"b\",\"n\":1}\n";
      http.post("/v1/events", Http.NDJSON, late);
      String next = http.get("/v1/query?after=" + token + "&arrived=" + arrived).body();
      assertEquals(2, next.lines().count(), next);
      assertTrue(next.contains("\"n\":1,\"widerow.late\":true}"), next);
      assertTrue(next.contains("{\"token\":\"" + token + "\"}"), next);
      assertEquals(400, http.get("/v1/query?arrived=" + arrived).statusCode());
      assertEquals(400, http.get("/v1/query?arrived=x&after=" + token).statusCode());
      store.retain(null, Duration.ofDays(1));
      var expired = http.get("/v1/query?after=" + token);
      assertEquals(410, expired.statusCode());
      assertTrue(expired.body().contains("no later events are left"), expired.body());
    }
  }

  @Test
  void eventsPastTheirRetentionAreNotShown() throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "data", directory.resolve("d").toString(),
                "http", "127.0.0.1:0",
                "retention", "7d",
                "retention.audit", "forever"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String old = "{\"ts\":1,\"type\":\"debug\"}\n{\"ts\":1,\"type\":\"audit\"}\n";
      var answer = http.post("/v1/events", Http.NDJSON, old);
      assertEquals(200, answer.statusCode());
      assertTrue(answer.body().contains("older than the retention of 7d"), answer.body());
      String left = http.get("/v1/query").body();
      assertTrue(left.contains("audit") && !left.contains("debug"), left);
    }
  }
}
