package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Await;
import io.widerow.faults.MeasuredDaemon;
import io.widerow.faults.PacedSenders;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: old events are written again under other keys, counted and dropped while events come, and
/// every answer stays the same. Method: stores that are filled in this process, then a daemon in a
/// process of its own, which is killed while it writes again. Prints rows of a table; times decide
/// nothing.
@Tag("faults")
@Timeout(value = 180, unit = TimeUnit.MINUTES)
class HistoryFiguresTest {
  private static final int MONTH_EVENTS = Integer.getInteger("month.events", 4_320_000);
  private static final int RETENTION_EVENTS = Integer.getInteger("retention.events", 800_000);
  private static final int REPARTITION_EVENTS = Integer.getInteger("repartition.events", 4_800_000);
  private static final int KILLS = Integer.getInteger("repartition.kills", 20);
  private static final int KILL_MILLIS = Integer.getInteger("repartition.kill.ms", 4_000);
  private static final int RATE = Integer.getInteger("repartition.rate", 2_000);
  private static final int QUIET_SECONDS = 20;
  private static final int DAYS = 30;
  private static final int TYPES = 8;
  private static final int WIDE_HOURS = 24;
  private static final long HOUR = 3_600_000L;
  private static final long FROM = Instant.parse("2025-11-01T00:00:00Z").toEpochMilli();
  private static final String WIDE =
      "type=wide&from=2025-11-01T00:00:00Z&to=2025-11-02T00:00:00Z&format=csv";

  @TempDir private Path directory = Path.of(".");

  /// Fills a store with events of types in turn, at equal distances, and merges closed buckets.
  private void fill(String type, int types, int events, long from, long millis, String... more)
      throws IOException, InterruptedException {
    Map<String, String> keys = new HashMap<>(Map.of("lanes", "2", "merge-after", "1s"));
    for (String key : more) {
      keys.put(key.substring(0, key.indexOf('=')), key.substring(key.indexOf('=') + 1));
    }
    try (CommandDaemon filled = new CommandDaemon(directory, keys)) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < events; i++) {
        lines
            .append("{\"ts\":")
            .append(from + millis * i / events)
            .append(",\"type\":\"")
            .append(type);
        if (types > 1) {
          lines.append(i % types);
        }
        lines
            .append("\",\"n\":")
            .append(i * 7_919L % 997)
            .append(",\"body\":\"GET /cart/")
            .append(i % 5_000)
            .append("\"}\n");
        if (lines.length() > 1 << 18 || i + 1 == events) {
          assertEquals(200, filled.http.post("/v1/events", Http.NDJSON, "" + lines).statusCode());
          lines.setLength(0);
        }
      }
      filled.merge();
    }
  }

  private MeasuredDaemon daemon(Map<String, String> more) throws IOException {
    Map<String, String> keys = new HashMap<>(Map.of("lanes", "2", "merge-after", "1s"));
    keys.putAll(more);
    return new MeasuredDaemon(directory.resolve("store"), keys);
  }

  /// The digest of an answer of any length.
  private static String digest(MeasuredDaemon daemon, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + daemon.process.port() + path);
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream body =
            client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofInputStream()).body()) {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      byte[] piece = new byte[1 << 16];
      for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
        sha.update(piece, 0, read);
      }
      return HexFormat.of().formatHex(sha.digest());
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @Test
  void aMonthIsCountedByMinute() throws IOException, InterruptedException {
    fill("cpu", 1, MONTH_EVENTS, FROM, DAYS * 24 * HOUR);
    try (MeasuredDaemon daemon = daemon(Map.of())) {
      String question =
          "/v1/query?type=cpu&stats=count&every=1m&format=csv&from=%s&to=%s"
              .formatted(Instant.ofEpochMilli(FROM), Instant.ofEpochMilli(FROM + DAYS * 24 * HOUR));
      assertEquals(digest(daemon, question), digest(daemon, question + "&rollup=off"));
      daemon.request(question, 40); // compiled code
      MeasuredDaemon.report(
          "count by minute over %d days, %,d events, over HTTP".formatted(DAYS, MONTH_EVENTS),
          "50 ms with 100 million",
          "%.1f ms; from the events %.0f ms; %,d partitions"
              .formatted(
                  daemon.request(question, 21),
                  daemon.request(question + "&rollup=off", 3),
                  daemon.lines("/v1/partitions").size()));
    }
  }

  @Test
  void aShorterRetentionFreesTheDisk() throws IOException, InterruptedException {
    long now = Instant.now().truncatedTo(ChronoUnit.HOURS).toEpochMilli();
    fill("r", TYPES, RETENTION_EVENTS, now - DAYS * 24 * HOUR, DAYS * 24 * HOUR);
    try (MeasuredDaemon daemon = daemon(Map.of())) {
      String set = "/v1/retention?type=r3&age=";
      String all = "/v1/query?type=r3&order=asc";
      daemon.send("PUT", set + "31d&grace=0s");
      String before = digest(daemon, all);
      long counted = count(daemon);
      JsonNode plan = daemon.lines("/v1/retention/plan?type=r3&age=7d").getLast();
      daemon.send("PUT", set + "7d&grace=20s");
      long planned = plan.path("events").asLong();
      assertTrue(count(daemon) <= counted - planned, "hidden at once, of a bucket to the minute");
      daemon.send("PUT", set + "31d");
      assertEquals(before, digest(daemon, all), "byte for byte");
      long bytes = daemon.status("segmentBytes");
      long events = stored(daemon);
      JsonNode policy = daemon.send("PUT", set + "7d&grace=5s");
      assertEquals(plan.path("events"), policy.path("hiddenEvents"));
      Instant due = Instant.parse(policy.path("dropsAt").asText()); // the longest grace decides
      long wanted = plan.path("bytes").asLong() * 9 / 10; // what stays is written again with others
      while (bytes - daemon.status("segmentBytes") < wanted) {
        assertTrue(Instant.now().isBefore(due.plusSeconds(120)), "not freed in two minutes");
        Await.pauseNanos(100_000_000); // how often it is looked
      }
      assertEquals(planned, events - stored(daemon), "exactly the planned events went");
      MeasuredDaemon.report(
          "retention 30 d to 7 d on one of %d types, %,d events: freed after its grace"
              .formatted(TYPES, RETENTION_EVENTS),
          "60 s",
          "%.1f s; %,d bytes freed, %,d planned; %,d events"
              .formatted(
                  Duration.between(due, Instant.now()).toMillis() / 1e3,
                  bytes - daemon.status("segmentBytes"),
                  plan.path("bytes").asLong(),
                  plan.path("events").asLong()));
    }
  }

  private static long stored(MeasuredDaemon daemon) throws IOException, InterruptedException {
    return daemon.lines("/v1/partitions").stream()
        .mapToLong(line -> line.path("events").asLong())
        .sum();
  }

  private static long count(MeasuredDaemon daemon) throws IOException, InterruptedException {
    String csv = daemon.get("/v1/query?type=r3&stats=count&format=csv");
    return Long.parseLong(csv.lines().skip(1).findFirst().orElse("0").strip());
  }

  @Test
  void aRepartitionIsKilled() throws Exception {
    fill(
        "wide",
        1,
        REPARTITION_EVENTS,
        FROM,
        WIDE_HOURS * HOUR,
        "bucket-minutes=60",
        "shards=2",
        "final=keep");
    String counts = "/v1/query?" + WIDE + "&stats=count,sum(n)&every=1m&rollup=off";
    String events = "/v1/query?" + WIDE;
    SplittableRandom random = new SplittableRandom(Long.getLong("seed", 1));
    String before;
    String wanted;
    PacedSenders senders;
    try (MeasuredDaemon daemon = daemon(keys(1))) {
      before = digest(daemon, events);
      wanted = digest(daemon, counts);
      senders = new PacedSenders(daemon.process.port(), "live", RATE, 2);
      awaitSeconds(QUIET_SECONDS); // compiled code
      senders.forgetTimes();
      awaitSeconds(QUIET_SECONDS);
      double alone = senders.millis(0.99);
      senders.forgetTimes();
      long begun = System.nanoTime();
      JsonNode done = daemon.send("POST", "/v1/admin/repartition?type=wide");
      report(done, (System.nanoTime() - begun) / 1e9, alone, senders.millis(0.99));
      assertEquals(before, digest(daemon, events), "byte for byte");
      daemon.process.kill();
    }
    try (senders) {
      for (int kill = 0; kill < KILLS; kill++) {
        try (MeasuredDaemon daemon = daemon(keys(kill))) {
          senders.moveTo(daemon.process.port());
          CompletableFuture<Boolean> asked = repartition(daemon);
          Await.pauseNanos(random.nextLong(KILL_MILLIS * 1_000_000L));
          assertEquals(wanted, digest(daemon, counts), "while it is written again");
          Await.pauseNanos(random.nextLong(KILL_MILLIS * 1_000_000L));
          daemon.process.kill();
          asked.join();
        }
      }
      try (MeasuredDaemon daemon = daemon(keys(KILLS))) {
        senders.moveTo(daemon.process.port());
        JsonNode done = daemon.send("POST", "/v1/admin/repartition?type=wide");
        senders.end();
        assertTrue(done.path("digest").asText().matches("same|"), done::toString);
        assertEquals(before, digest(daemon, events), "byte for byte");
        assertEquals(wanted, digest(daemon, counts));
        String live = daemon.get("/v1/query?type=live&stats=count&format=csv&rollup=off");
        assertEquals(senders.sent(), Long.parseLong(live.lines().skip(1).findFirst().orElse("0")));
        MeasuredDaemon.report(
            "repartition of %d hours, %,d events, killed %d times"
                .formatted(WIDE_HOURS, REPARTITION_EVENTS, KILLS),
            "the same digest, no wrong answer",
            "the same");
      }
    }
  }

  private static void report(JsonNode done, double seconds, double alone, double beside) {
    MeasuredDaemon.report(
        "p99 of ingest at %,d events/s while %,d events are written again, relative to it alone"
            .formatted(RATE, REPARTITION_EVENTS),
        "1.3",
        "%.2f (%.1f and %.1f ms); in %.1f s: %s"
            .formatted(beside / alone, beside, alone, seconds, done));
  }

  private static void awaitSeconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      MeasuredDaemon.second();
    }
  }

  /// Weights by which hours are too wide, or too narrow, so that there is always something to do.
  private static Map<String, String> keys(int start) {
    int hour = REPARTITION_EVENTS / WIDE_HOURS;
    String events = Integer.toString(start % 2 == 0 ? Math.max(1, hour / 10) : hour * 4);
    return Map.of("partition-events", events, "partition-bytes", "1000000000", "final", "keep");
  }

  private static CompletableFuture<Boolean> repartition(MeasuredDaemon daemon) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return daemon.send("POST", "/v1/admin/repartition?type=wide").isObject();
      } catch (IOException killed) {
        return false;
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    });
  }
}
