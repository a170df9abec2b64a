package io.widerow.cli.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.faults.Await;
import io.widerow.faults.FaultyProxy;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.S3Server;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a daemon that is killed while it moves old hours to a bucket, or fetches them back, shows
/// each acknowledged event once and in order. Method: the daemon as a process, killed at random
/// times; one of two servers of S3 behind a network that loses, cuts and refuses one of ten
/// requests. After each start the old hours are read and compared with a ledger.
@Tag("process")
@Timeout(3_600)
class ColdKillTest {
  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");
  private static final Pattern PENDING =
      Pattern.compile("\"cold\":\\{.*?\"segments\":(\\d+),\"bytes\":\\d+,\"pendingBytes\":(\\d+)");
  private static final String QUERY =
      "/v1/query?type=t&from=2025-11-20&to=2025-12-20&limit=1000000";
  private static final Instant OLD = Instant.parse("2025-11-20T00:00:00Z");
  private static final int EVENTS = 60; // in each hour
  private static final int BODY_BYTES = 2_000;

  @TempDir private Path directory = Path.of(".");

  /// Some small hours do not move at once: they wait for others, to be joined first.
  private static final long MOVE_NANOS = 10_000_000_000L;

  private final SplittableRandom random = new SplittableRandom(Seeds.one());
  private final List<Integer> ledger = new ArrayList<>();
  private List<String> keys = List.of();
  private int atRequests; // kills
  private int recalls;

  @ParameterizedTest
  @EnumSource(S3Server.Kind.class)
  void oldHoursAreShownOnce(S3Server.Kind kind) throws Exception {
    int kills = Slice.of("cold.kills", 4, 100);
    try (var server = new S3Server(kind, directory.resolve("server"));
        var proxy = new FaultyProxy(server.port(), random.nextLong())) {
      keys =
          List.of(
              "cold=s3://" + S3Server.BUCKET + "/w",
              "cold-after=1s",
              "cold-min-bytes=0",
              "open-age=1s",
              "s3-endpoint=http://127.0.0.1:" + proxy.port(),
              "s3-credentials-file=" + S3Server.credentials(directory.resolve("credentials")));
      proxy.failOneIn(10);
      Path data = directory.resolve("store");
      ServeProcess daemon = start(data);
      try {
        for (int life = 0; life < kills; life++) {
          long before = proxy.requests();
          send(daemon, life);
          if (random.nextInt(3) == 0) { // it may fail by a fault: then a part is here
            recalls += daemon.send("POST", "/v1/admin/cold/recall").statusCode() == 200 ? 1 : 0;
          }
          if (random.nextInt(3) == 0) {
            Await.pause(Duration.ofMillis(random.nextInt(2_500)));
          } else {
            long until = System.nanoTime() + MOVE_NANOS;
            Await.until(
                () -> proxy.requests() > before || System.nanoTime() > until, "the hour moves");
            Await.pause(Duration.ofMillis(random.nextInt(50))); // its object, or a look at it
            atRequests += proxy.requests() > before ? 1 : 0;
          }
          daemon.kill();
          assertFalse(daemon.output().contains(S3Server.SECRET), daemon.output());
          daemon = start(data);
          check(daemon);
        }
        finish(daemon, proxy);
      } finally {
        daemon.close();
      }
      System.out.printf(
          "%s: %d kills, %d of them at a request; %d recalls, %d faults in %d requests%n",
          kind, kills, atRequests, recalls, proxy.faults(), proxy.requests());
    }
  }

  /// All hours move, are read, looked at, and fetched back.
  private void finish(ServeProcess daemon, FaultyProxy proxy) throws Exception {
    proxy.failOneIn(0);
    Await.until(
        () -> matcher(daemon).group(2).equals("0") && !matcher(daemon).group(1).equals("0"),
        "all hours have moved");
    check(daemon);
    String url = "http://127.0.0.1:" + daemon.port();
    Ran verified = CommandDaemon.run(Map.of(), "cold", "verify", "--read", "--url", url);
    assertEquals(0, verified.code(), verified.out() + verified.err());
    assertTrue(verified.err().contains("no damage"), verified.err());
    Ran plan = query(url, "--dry-run");
    assertTrue(plan.out().contains("; fetched: 0 requests, 0 bytes"), plan.out() + plan.err());
    Ran read = query(url, "--explain", "--cold-budget", "1000000000");
    assertTrue(read.err().contains("\ncold: "), read.err());
    long before = proxy.requests();
    HttpResponse<String> back = daemon.send("POST", "/v1/admin/cold/recall");
    assertEquals(200, back.statusCode(), back.body());
    assertTrue(proxy.requests() > before, "nothing was fetched");
    assertEquals("", daemon.get("/v1/admin/cold").body());
    check(daemon);
  }

  private static Ran query(String url, String... more) {
    List<String> arguments = new ArrayList<>(List.of("t", "--from", "2025-11-20", "--to"));
    arguments.addAll(List.of("2025-12-20", "--limit", "1000000", "--url", url));
    arguments.addAll(List.of(more));
    return CommandDaemon.run(Map.of(), "query", arguments.toArray(String[]::new));
  }

  private ServeProcess start(Path data) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(ServeProcess.small(0)));
    keys.forEach(key -> arguments.addAll(List.of("--set", key)));
    return ServeProcess.start(QuickJvm.shared(), data, arguments.toArray(String[]::new));
  }

  /// An hour of its own for each life: late events of an hour are merged much later.
  private void send(ServeProcess daemon, int hour) throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < EVENTS; n++) {
      StringBuilder body = new StringBuilder();
      while (body.length() < BODY_BYTES) {
        body.append(Long.toHexString(random.nextLong()));
      }
      lines.append(
          "{\"type\":\"t\",\"ts\":\"%s\",\"n\":%d,\"body\":\"%s\"}%n"
              .formatted(OLD.plusSeconds(3_600L * hour + 60L * n), ledger.size(), body));
      ledger.add(ledger.size());
    }
    HttpResponse<String> answer = daemon.post("/v1/events", "application/x-ndjson", lines + "");
    assertEquals(200, answer.statusCode(), answer.body());
  }

  private static Matcher matcher(ServeProcess daemon) {
    try {
      String status = daemon.get("/v1/status").body();
      Matcher found = PENDING.matcher(status);
      assertTrue(found.find(), status);
      return found;
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  /// A place whose requests fail may be away for a while.
  private void check(ServeProcess daemon) {
    Await.until(
        () -> {
          HttpResponse<String> shown = daemon.get(QUERY);
          if (shown.statusCode() == 503 || shown.body().contains("\"error\":")) {
            return false;
          }
          assertEquals(200, shown.statusCode(), shown.body());
          List<Integer> numbers = new ArrayList<>();
          Matcher each = NUMBER.matcher(shown.body());
          while (each.find()) {
            numbers.add(Integer.parseInt(each.group(1)));
          }
          assertEquals(ledger, numbers);
          return true;
        },
        "the old hours can be read");
  }
}
