package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.SteppedServe;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a running daemon with `retention` whose clock jumps ahead drops and hides nothing, gives
/// no event a time of the wrong clock, reports the jump, and recovers when the clock is right
/// again; an operator can accept the clock before that. Method: the daemon as its own process, with
/// a clock that the test steps; `-Djumps=<n>` repeats the jumps. With `-Dfaketime=true` it is the
/// daemon as it is, under libfaketime.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class ClockJumpTest {
  private static final int EVENTS = 1_000;
  private static final Duration WAIT_MAX = Duration.ofSeconds(60);
  private static final Duration TEN_DAYS = Duration.ofDays(10);
  private static final Duration TEN_YEARS = Duration.ofDays(3_652);

  @TempDir private Path directory = Path.of(".");

  private Path clock = Path.of(".");
  private Path data = Path.of(".");
  private long arrivals;
  private long refused;

  @BeforeEach
  void setClock() throws IOException {
    clock = directory.resolve("clock");
    data = directory.resolve("d");
    step(Duration.ZERO);
  }

  private ServeProcess start() throws IOException {
    String[] keys = {
      "--set", "retention=2d", "--set", "open-age=1s", "--set", "merge-after=1s",
    };
    return Boolean.getBoolean("faketime")
        ? ServeProcess.startUnder(
            ClockStepTest.faketime("FAKETIME_TIMESTAMP_FILE=" + clock, "FAKETIME_CACHE_DURATION=1"),
            directory,
            data,
            keys)
        : ServeProcess.startMain(SteppedServe.class, List.of("-Dclock.file=" + clock), data, keys);
  }

  /// Steps the clock. libfaketime looks at its file when two seconds have passed.
  private void step(Duration off) throws IOException {
    SteppedServe.step(clock, off);
    if (Boolean.getBoolean("faketime")) {
      Await.pause(Duration.ofMillis(3_500));
    }
  }

  private HttpResponse<String> sendArrival(ServeProcess daemon)
      throws IOException, InterruptedException {
    return daemon.post("/v1/events?type=arrival&ts=arrival", Http.TEXT, "now");
  }

  private static String event(String type, Instant time, int number) {
    return "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"%d\"}%n".formatted(time, type, number);
  }

  private long shown(ServeProcess daemon, String type) throws IOException, InterruptedException {
    return daemon
        .get("/v1/query?type=" + type)
        .body()
        .lines()
        .filter(line -> line.contains("\"ts\""))
        .count();
  }

  private long segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(data.resolve("segments"))) {
      return files.filter(file -> file.toString().endsWith(".seg")).count();
    }
  }

  private interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private static void await(String what, Condition condition)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + WAIT_MAX.toNanos();
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < until, what);
      Await.pauseNanos(50_000_000);
    }
  }

  private void assertArrivalTaken(ServeProcess daemon) throws IOException, InterruptedException {
    HttpResponse<String> answer = sendArrival(daemon);
    assertEquals(200, answer.statusCode(), answer.body());
    arrivals++;
  }

  private void assertArrivalRefused(ServeProcess daemon) throws IOException, InterruptedException {
    HttpResponse<String> answer = sendArrival(daemon);
    assertEquals(503, answer.statusCode(), answer.body());
    assertTrue(answer.body().contains("the clock says"), answer.body());
    refused++;
    HttpResponse<String> ready = daemon.get("/ready");
    assertEquals(503, ready.statusCode());
    assertTrue(
        ready.body().contains("refused") && ready.body().contains("/v1/admin/accept-clock"),
        ready.body());
    assertTrue(daemon.get("/v1/status").body().contains("\"state\":\"clock-wrong\""));
  }

  /// Sends the events of the issue, two hours old, and waits until they are in a segment.
  private void sendOld(ServeProcess daemon) throws IOException, InterruptedException {
    Instant old = Instant.now().minus(Duration.ofHours(2));
    var lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append(event("old", old, i));
    }
    HttpResponse<String> answer = daemon.post("/v1/events", Http.NDJSON, lines.toString());
    assertTrue(answer.body().contains("\"accepted\":" + EVENTS), answer.body());
    await(
        "sealed",
        () -> daemon.get("/v1/status").body().contains("\"segmentEvents\":" + EVENTS + ","));
  }

  /// The clock jumps for eight seconds, and is right again.
  private void jump(ServeProcess daemon, Duration ahead) throws IOException, InterruptedException {
    assertArrivalTaken(daemon);
    step(ahead);
    long until = System.nanoTime() + Duration.ofSeconds(8).toNanos();
    while (System.nanoTime() < until) {
      assertArrivalRefused(daemon);
      assertEquals(EVENTS, shown(daemon, "old"), "hidden");
      assertTrue(
          daemon
              .post("/v1/events", Http.NDJSON, event("own", Instant.now(), 0))
              .body()
              .startsWith("{\"accepted\":1"));
      Await.pauseNanos(500_000_000);
    }
    assertTrue(segmentFiles() > 0, "dropped");
    assertTrue(daemon.output().contains("events without a time of their own are refused"));
    step(Duration.ZERO);
    assertArrivalTaken(daemon);
    assertEquals("{\"ready\":true}\n", daemon.get("/ready").body());
    assertEquals(EVENTS, shown(daemon, "old"), "hidden");
    assertEquals(arrivals, shown(daemon, "arrival"));
    await("told", () -> daemon.output().contains("the clock is right"));
  }

  @Test
  void aJumpOfARunningClockDropsHidesAndStampsNothing() throws IOException, InterruptedException {
    int jumps = Integer.getInteger("jumps", 1);
    try (ServeProcess daemon = start()) {
      sendOld(daemon);
      for (int i = 0; i < jumps; i++) {
        jump(daemon, TEN_DAYS);
        jump(daemon, TEN_YEARS);
      }
      daemon.kill();
    }
    step(TEN_DAYS);
    try (ServeProcess daemon = start()) { // under the wrong clock
      HttpResponse<String> ready = daemon.get("/ready");
      assertEquals(200, ready.statusCode());
      assertTrue(
          ready.body().startsWith("{\"ready\":true,\"clock\":\"the clock says"), ready::body);
      assertTrue(ready.body().contains("\"findings\":[{\"code\":\"clock-jump\""), ready::body);
      assertEquals(EVENTS, shown(daemon, "old"), "hidden");
      assertArrivalTaken(daemon);
      step(Duration.ZERO);
      assertEquals("{\"ready\":true}\n", daemon.get("/ready").body());
      assertArrivalTaken(daemon);
      assertEquals(EVENTS, shown(daemon, "old"), "hidden");
      assertEquals(arrivals, shown(daemon, "arrival"));
      assertEquals(0, daemon.stop(60), daemon.output());
    }
    FaultRecords.add(
        FaultRecords.Table.JUMPS,
        "10 days and 10 years ahead for 8 s, 10 days at a start; retention 2 days",
        2 * jumps + 1,
        EVENTS,
        0,
        0,
        arrivals,
        refused,
        0);
  }

  @Test
  void anOperatorAcceptsTheClock() throws IOException, InterruptedException {
    try (ServeProcess daemon = start()) {
      sendOld(daemon);
      step(TEN_DAYS);
      assertArrivalRefused(daemon);
      HttpResponse<String> answer = daemon.post("/v1/admin/accept-clock", Http.TEXT, "");
      assertEquals(200, answer.statusCode(), answer.body());
      assertTrue(answer.body().contains("\"before\":\"the clock says"), answer.body());
      assertArrivalTaken(daemon);
      assertEquals("{\"ready\":true}\n", daemon.get("/ready").body());
      assertEquals(0, shown(daemon, "old"));
      await("dropped", () -> daemon.get("/v1/status").body().contains("\"segmentEvents\":1,"));
      step(Duration.ZERO);
      assertArrivalRefused(daemon);
      assertEquals(
          200, daemon.post("/v1/admin/accept-clock", Http.TEXT, "").statusCode(), "and back");
      assertArrivalTaken(daemon);
      assertTrue(daemon.output().contains("the clock is accepted as it is"), daemon.output());
    }
  }

  @Test
  void anEventPastItsRetentionIsRefused() throws IOException, InterruptedException {
    try (ServeProcess daemon = start()) {
      Instant now = Instant.now();
      HttpResponse<String> answer =
          daemon.post(
              "/v1/events",
              Http.NDJSON,
              event("old", now.minus(Duration.ofDays(3)), 1)
                  + event("old", now.minus(Duration.ofDays(1)), 2));
      assertTrue(
          answer
              .body()
              .startsWith(
                  "{\"accepted\":1,\"rejected\":[{\"index\":0,\"reason\":\"older than the"
                      + " retention of 2d\""),
          answer.body());
      assertEquals(1, shown(daemon, "old"));
      answer =
          daemon.post("/v1/events", Http.NDJSON, event("old", now.minus(Duration.ofDays(300)), 3));
      assertEquals(400, answer.statusCode(), answer.body());
    }
  }
}
