package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.ServeCommand;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.query.cli.Shell;
import io.widerow.query.cli.daemon.RetentionCommand;
import io.widerow.storage.EventStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator lists, plans, sets and removes policies over HTTP and by the command, and what
/// makes no sense is answered 400 with the value and changes nothing. Method: a daemon with a store
/// on the disk.
@Timeout(120)
class RetentionOverHttpTest {
  private static final String AGE_30 =
      "{\"type\":\"cpu\",\"age\":\"30d\",\"bytes\":null,\"grace\":\"15m\",\"source\":\"api\","
          + "\"types\":1,\"atRest\":0,\"hiddenPartitions\":0,\"hiddenEvents\":0,"
          + "\"hiddenBytes\":0,\"dropsAt\":null}\n";

  @TempDir private Path directory = Path.of(".");

  /// A daemon and its store.
  private static final class Running implements AutoCloseable {
    final EventStore store;
    final Daemon daemon;
    final Http http;

    Running(Path directory, Map<String, String> keys) {
      Map<String, String> all = new HashMap<>(keys);
      all.put("data", directory.resolve("store").toString());
      all.put("http", "127.0.0.1:0");
      all.put("disk-reserve-bytes", "0");
      DaemonConfig config = DaemonConfig.of(all);
      store = ServeCommand.openEmbedded(config);
      daemon = Daemon.start(config, store);
      http = new Http(daemon);
    }

    String url() {
      return "http://127.0.0.1:" + daemon.httpAddress().getPort();
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
      try (HttpClient client = HttpClient.newHttpClient()) {
        return client.send(
            HttpRequest.newBuilder(URI.create(url() + path))
                .method(method, BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());
      }
    }

    String get(String path) throws IOException, InterruptedException {
      return http.get(path).body();
    }

    HttpResponse<String> write(String type, int daysAgo) throws IOException, InterruptedException {
      Instant time = Instant.now().minus(daysAgo, ChronoUnit.DAYS);
      String line = "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"x\"}%n".formatted(time, type);
      return http.post("/v1/events", Http.NDJSON, line);
    }

    long shown(String type) throws IOException, InterruptedException {
      return get("/v1/query?type=" + type).lines().filter(line -> line.contains("ts")).count();
    }

    Ran run(String... arguments) {
      var out = new ByteArrayOutputStream();
      var err = new ByteArrayOutputStream();
      var shell =
          new Shell(
              out,
              new PrintStream(err, true, StandardCharsets.UTF_8),
              false,
              false,
              true,
              Map.of("WIDEROW_URL", url()));
      int code = RetentionCommand.commandLine(shell).execute(arguments);
      return new Ran(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
      http.close();
      daemon.close();
      store.close();
    }
  }

  private record Ran(int code, String out, String err) {}

  @Test
  void policiesAreSetListedPlannedAndRemoved() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      it.write("cpu", 20);
      it.write("cpu", 1);
      it.write("disk", 20);
      assertEquals("", it.get("/v1/retention"));
      HttpResponse<String> set = it.send("PUT", "/v1/retention?type=cpu&age=30d");
      assertEquals(200, set.statusCode(), set.body());
      assertEquals(AGE_30, set.body());
      assertEquals(AGE_30, it.get("/v1/retention"));

      HttpResponse<String> plan = it.http.get("/v1/retention/plan?type=cpu&age=7d");
      assertTrue(plan.body().startsWith("{\"partition\":\""), plan.body());
      assertTrue(
          plan.body().endsWith("{\"partitions\":1,\"events\":1,\"bytes\":0}\n"), plan.body());
      assertEquals(2, it.shown("cpu"), "a plan changes nothing");

      HttpResponse<String> shorter = it.send("PUT", "/v1/retention?type=cpu&age=7d");
      assertTrue(shorter.body().contains("\"hiddenEvents\":1"), shorter.body());
      assertTrue(shorter.body().contains("\"dropsAt\":\"20"), shorter.body());
      assertEquals(1, it.shown("cpu"));
      assertEquals(1, it.shown("disk"));
      String old =
          "{\"ts\":\"%s\",\"type\":\"cpu\"}%n".formatted(Instant.now().minus(9, ChronoUnit.DAYS));
      HttpResponse<String> refused = it.http.post("/v1/events", Http.NDJSON, old);
      assertTrue(refused.body().contains("older than the retention of 7d"), refused.body());

      HttpResponse<String> unset = it.send("DELETE", "/v1/retention?type=cpu");
      assertEquals("{\"unset\":\"cpu\"}\n", unset.body());
      assertEquals(2, it.shown("cpu"), "it is back");
    }
  }

  @Test
  void commandSetsListsPlansAndRemoves() throws IOException, InterruptedException {
    try (var it =
        new Running(
            directory,
            Map.of("retention", "300d", "retention.d*", "200d", "retention-grace", "10m"))) {
      it.write("cpu", 20);
      Ran plan = it.run("plan", "cpu", "--age", "7d");
      assertEquals(0, plan.code, plan.err);
      assertTrue(plan.out.contains("{\"partitions\":1,\"events\":1,\"bytes\":0}"), plan.out);
      Ran set = it.run("set", "cpu", "--age", "7d", "--bytes", "10GiB", "--grace", "0s");
      assertEquals(0, set.code, set.err);
      assertTrue(set.out.contains("\"bytes\":10737418240,\"grace\":\"0s\""), set.out);
      Ran list = it.run("--output", "csv");
      assertEquals(
          "type,age,bytes,grace,source,types,atRest,hiddenPartitions,hiddenEvents,hiddenBytes,"
              + "dropsAt\r\ncpu,7d,10737418240,0s,api,",
          list.out.substring(0, Math.min(list.out.length(), 118)));
      assertTrue(list.out.contains("\r\nd*,200d,,10m,config,0,"), list.out);
      assertTrue(list.out.contains("\r\n*,300d,,10m,config,0,"), list.out);
      assertEquals("{\"unset\":\"cpu\"}\n", it.run("unset", "cpu").out);
      Ran wrong = it.run("unset", "cpu");
      assertEquals(64, wrong.code);
      assertTrue(wrong.err.contains("no policy was set for 'cpu'"), wrong.err);
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      it.write("cpu", 20);
      Map<String, String> refused =
          Map.of(
              "type=cpu", "age: say how long to keep 'cpu'",
              "age=7d", "type: is missing",
              "type=cpu&age=0d", "got 0d",
              "type=cpu&age=-7d", "got -7d",
              "type=cpu&bytes=-5", "got -5",
              "type=cpu&bytes=9EiB", "got 9EiB",
              "type=cpu&age=7d&grace=40d", "grace: must be 0s to 30d",
              "type=nginx.*&age=7d", "no type matches 'nginx.*'",
              "type=cpu&type=disk&age=7d", "type: is given 2 times: cpu, disk",
              "type=cpu&ages=7d", "ages: no such parameter");
      for (var each : refused.entrySet()) {
        HttpResponse<String> answer =
            it.send("PUT", "/v1/retention?" + each.getKey().replace("*", "%2A"));
        assertEquals(400, answer.statusCode(), each.getKey());
        assertTrue(answer.body().contains(each.getValue()), answer.body());
      }
      HttpResponse<String> unset = it.send("DELETE", "/v1/retention?type=mem");
      assertEquals(400, unset.statusCode());
      assertEquals("", it.get("/v1/retention"), "nothing was changed");
      assertEquals(1, it.shown("cpu"));
    }
  }

  @Test
  void storeElsewhereNamesTheCommandForIt() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.get("/v1/retention", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode());
      assertTrue(answer.body().contains("widerow cluster retain"), answer.body());
    }
  }
}
