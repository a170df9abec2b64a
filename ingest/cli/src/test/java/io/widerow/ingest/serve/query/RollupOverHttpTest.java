package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: aggregates are byte for byte the same with rollups and without, after retries, late
/// events, upserts, sealing, merging and kills, and a rollup outlives these. Method: a daemon as a
/// process, asked both ways, with rollups that are defined one after the other; the number of
/// events against a set.
@Timeout(300)
@Tag("process")
class RollupOverHttpTest {
  private static final long START_MILLIS = 1_763_600_400_000L; // 2025-11-20T01:00:00Z
  private static final int BATCH = 500;
  private static final int BATCHES = 24;
  private static final Pattern USE = Pattern.compile("cells=(\\d+) events=(\\d+)");
  private static final List<String> QUESTIONS =
      List.of(
          "stats=count",
          "stats=count&every=1m",
          "stats=bytes,count&every=1m&by=type",
          "stats=bytes",
          "stats=count(*),count&every=5m&by=type",
          "stats=count&every=1h&by=type&format=csv",
          "type=a&stats=count&every=1m&order-by=count%20desc&limit=7",
          "type=b&type=c&stats=count,distinct(type)&every=2m",
          "stats=count&every=1m&from=2025-11-20T02:03:04.5Z&to=2025-11-20T03:00:59Z",
          "stats=count&every=1d&from=2025-11-20T02:00:00Z&to=2025-11-20T03:00:00Z",
          "type=none&stats=count&every=1m",
          "type=none&stats=count");

  /// Answered by rollups, once these are defined.
  private static final List<String> FIGURES =
      List.of(
          "stats=sum(n),avg(ms),p99(ms),min(n),max(ms)&by=status&every=1m",
          "stats=count,distinct(host)&every=5m&by=status,type&format=csv",
          "type=a&stats=count&every=1h&where=status%3D200",
          "stats=p50(ms)&by=type&from=2025-11-20T02:03:04.5Z&to=2025-11-20T03:00:59Z",
          "type=b&stats=count(host),sum(ms)&every=1m&order-by=sum(ms)%20desc&limit=5");

  private static final List<String> ROLLUPS =
      List.of(
          "by-status?type=*&by=status&stats=count,sum(n),avg(ms),p99(ms),min(n),max(ms),"
              + "distinct(host)&every=1m",
          "hosts?type=b&stats=count(host),avg(ms)",
          "hours?type=a&by=status&stats=count&every=1h");

  @TempDir private Path directory = Path.of(".");

  private final Set<String> written = new HashSet<>();
  private long figures; // cells of rollups that were used

  @Test
  void countsAreThoseOfTheEvents() throws IOException, InterruptedException {
    long seed = Seeds.one();
    var random = new SplittableRandom(seed);
    Path data = directory.resolve("d");
    long cells = 0;
    for (int life = 0; life < 4; life++) {
      ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0));
      try (daemon) {
        if (life < ROLLUPS.size()) {
          HttpResponse<String> put = daemon.send("PUT", "/v1/rollups/" + ROLLUPS.get(life));
          assertEquals(200, put.statusCode(), put.body());
        }
        cells += check(daemon, seed);
        for (int batch = 0; batch < BATCHES; batch++) {
          String lines = lines(random, life * BATCHES + batch);
          send(daemon, lines);
          if (random.nextInt(4) == 0) {
            send(daemon, lines);
          }
        }
        cells += check(daemon, seed);
        daemon.kill();
      }
    }
    try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
      cells += check(daemon, seed);
      refusals(daemon);
      removal(daemon);
    }
    assertTrue(cells > 1_000, cells + " cells were used");
    assertTrue(figures > 1_000, figures + " cells of rollups were used");
  }

  /// A fifth is late by up to five hours; a tenth has a key and replaces what had it before.
  private String lines(SplittableRandom random, int batch) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < BATCH; i++) {
      int number = batch * BATCH + i;
      long millis = START_MILLIS + number * 150L;
      millis -= random.nextInt(5) == 0 ? random.nextInt(5 * 3_600_000) : 0;
      String type = List.of("a", "b", "c").get(random.nextInt(3));
      String key = "";
      if (random.nextInt(10) == 0) {
        millis = START_MILLIS + random.nextInt(20) * 600_000L;
        key = ",'_key':'k%d'".formatted(random.nextInt(3));
      }
      lines.append(
          "{'ts':%d,'type':'%s'%s,'n':%d,'status':%d,'ms':%s,'host':'h%d','body':'line %x'}\n"
              .formatted(
                  millis,
                  type,
                  key,
                  number,
                  200 + 100 * random.nextInt(3),
                  random.nextInt(1_000) / 10.0,
                  random.nextInt(40),
                  random.nextLong()));
      written.add(key.isEmpty() ? "" + number : millis + type + key);
    }
    return lines.toString().replace('\'', '"');
  }

  private static void send(ServeProcess daemon, String lines)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode(), answer.body());
  }

  /// Asks both ways. Returns how many cells were used.
  private long check(ServeProcess daemon, long seed) throws IOException, InterruptedException {
    long cells = 0;
    for (String question : QUESTIONS) {
      HttpResponse<String> kept = daemon.get("/v1/query?" + question);
      HttpResponse<String> counted = daemon.get("/v1/query?rollup=off&" + question);
      assertEquals(200, kept.statusCode(), kept.body());
      assertEquals(counted.body(), kept.body(), () -> question + ", seed " + seed);
      assertEquals(kept.body(), daemon.get("/v1/query?rollup=only&" + question).body());
      assertTrue(counted.headers().firstValue("widerow-rollup").isEmpty());
      Matcher use = USE.matcher(kept.headers().firstValue("widerow-rollup").orElse(""));
      assertTrue(use.matches(), () -> kept.headers().toString());
      cells += Long.parseLong(use.group(1));
    }
    for (String question : FIGURES) {
      HttpResponse<String> kept = daemon.get("/v1/query?" + question);
      HttpResponse<String> counted = daemon.get("/v1/query?rollup=off&" + question);
      assertEquals(200, kept.statusCode(), kept.body());
      assertEquals(counted.body(), kept.body(), () -> question + ", seed " + seed);
      Matcher use = USE.matcher(kept.headers().firstValue("widerow-rollup").orElse(""));
      figures += use.lookingAt() ? Long.parseLong(use.group(1)) : 0;
    }
    assertEquals(
        "{\"count\":%d}\n".formatted(written.size()),
        daemon.get("/v1/query?stats=count").body(),
        "seed " + seed);
    return cells;
  }

  private static void removal(ServeProcess daemon) throws IOException, InterruptedException {
    String all = daemon.get("/v1/rollups").body();
    assertEquals(3, all.lines().count(), all);
    assertTrue(
        all.startsWith(
            "{\"rollup\":\"by-status\",\"type\":\"*\",\"by\":\"status\",\"stats\":\"count,sum(n),"
                + "avg(ms),p99(ms),min(n),max(ms),distinct(host)\",\"every\":\"1m\",\"segments\":"),
        all);
    String only = "/v1/query?rollup=only&stats=sum(n)&by=status";
    HttpResponse<String> kept = daemon.get(only);
    assertEquals(200, kept.statusCode(), kept.body());
    String use = kept.headers().firstValue("widerow-rollup").orElse("");
    assertTrue(use.matches("cells=\\d+ events=\\d+ minutes=\\d+ rollup=by-status"), use);
    assertEquals(
        "{\"unset\":\"by-status\"}\n", daemon.send("DELETE", "/v1/rollups/by-status").body());
    assertEquals(400, daemon.get(only).statusCode());
    assertEquals(2, daemon.get("/v1/rollups").body().lines().count());
  }

  /// Bad definitions are refused with the value, and change nothing.
  private static void badDefinitions(ServeProcess daemon) throws IOException, InterruptedException {
    String before = definitions(daemon);
    List<String> bad =
        List.of(
            "x?type=a&stats=bytes", "stats: bytes: every type has bytes by minute already",
            "x?type=a&stats=count&every=2m", "every: must be 1m or 1h, got 2m",
            "x?type=a&stats=count&keep=0s", "keep: not a duration: 0s",
            "x?type=a&stats=count&keep=never", "keep: not a duration: never",
            "x?type=a&stats=count&keep=1500ms", "keep: must be whole seconds, got 1500ms",
            "x?type=a&stats=count&keep=99999d", "keep: at most 36500d",
            "x?type=a&stats=sum", "stats: sum: requires a field",
            "x?type=a", "stats: is missing",
            "x?stats=count", "type: is missing",
            "x?type=a&stats=count&by=a,b,c,d,e", "by: at most 4 attributes, got 5",
            "x?type=a&stats=count&by=a,a", "by: has an attribute twice",
            "x?type=a&stats=count&by=type", "by: type: every rollup is by type",
            "x?type=a&stats=sum(type)", "stats: sum(type)",
            "x?type=a&stats=count&evry=1m", "evry: no such parameter; did you mean every",
            "count?type=a&stats=count", "rollup: every type has count already",
            "a%20b?type=a&stats=count", "got 'a b'");
    for (int i = 0; i < bad.size(); i += 2) {
      HttpResponse<String> answer = daemon.send("PUT", "/v1/rollups/" + bad.get(i));
      assertEquals(400, answer.statusCode(), bad.get(i) + ": " + answer.body());
      String expected = bad.get(i + 1);
      assertTrue(answer.body().contains(expected), expected + ": " + answer.body());
    }
    HttpResponse<String> unknown = daemon.send("DELETE", "/v1/rollups/nothing");
    assertEquals(400, unknown.statusCode());
    assertTrue(
        unknown.body().contains("rollup: there is no 'nothing'; there are by-status, hosts, hours"),
        unknown.body());
    assertEquals(before, definitions(daemon));
  }

  /// The rollups, without how many segments have them: merging changes that at any time.
  private static String definitions(ServeProcess daemon) throws IOException, InterruptedException {
    return daemon.get("/v1/rollups").body().replaceAll("\"segments\":[0-9]+", "");
  }

  private static void refusals(ServeProcess daemon) throws IOException, InterruptedException {
    for (String question :
        List.of(
            "rollup=only&stats=sum(m)",
            "rollup=only&stats=count&by=n",
            "rollup=only&stats=count&every=90s",
            "rollup=only&stats=count&every=1m&where=n%3E5")) {
      HttpResponse<String> answer = daemon.get("/v1/query?" + question);
      assertEquals(400, answer.statusCode(), question);
      assertTrue(answer.body().contains("rollup: only: no rollup has this"), answer.body());
    }
    HttpResponse<String> unknown = daemon.get("/v1/query?stats=count&rollup=yes");
    assertEquals(400, unknown.statusCode());
    assertTrue(unknown.body().contains("rollup: must be auto, off or only, got yes"));
    assertEquals(400, daemon.get("/v1/query?rollup=off").statusCode());
    badDefinitions(daemon);
  }
}
