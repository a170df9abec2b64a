package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator lists, plans, sets and removes policies over HTTP and by the command, and what
/// makes no sense is answered 400 with the value and changes nothing. Method: a daemon with a store
/// on the disk.
@Timeout(300)
class RetentionOverHttpTest {
  private static final String AGE_30 =
      "{\"type\":\"cpu\",\"age\":\"30d\",\"bytes\":null,\"grace\":\"15m\",\"source\":\"api\","
          + "\"types\":1,\"atRest\":0,\"hiddenPartitions\":0,\"hiddenEvents\":0,"
          + "\"hiddenBytes\":0,\"dropsAt\":null}\n";

  @TempDir private Path directory = Path.of(".");

  /// A daemon and its store.
  private static final class Running extends CommandDaemon {
    Running(Path directory, Map<String, String> keys) {
      super(directory, keys);
    }

    HttpResponse<String> write(String type, int daysAgo) throws IOException, InterruptedException {
      Instant time = Instant.now().minus(daysAgo, ChronoUnit.DAYS);
      String line = "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"x\"}%n".formatted(time, type);
      return http.post("/v1/events", Http.NDJSON, line);
    }

    long shown(String type) throws IOException, InterruptedException {
      return get("/v1/query?type=" + type).lines().filter(line -> line.contains("\"ts\":")).count();
    }
  }

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
      CommandDaemon.Ran plan = it.run("retention", "plan", "cpu", "--age", "7d");
      assertEquals(0, plan.code(), plan.err());
      assertTrue(plan.out().contains("{\"partitions\":1,\"events\":1,\"bytes\":0}"), plan.out());
      CommandDaemon.Ran set =
          it.run("retention", "set", "cpu", "--age", "7d", "--bytes", "10GiB", "--grace", "0s");
      assertEquals(0, set.code(), set.err());
      assertTrue(set.out().contains("\"bytes\":10737418240,\"grace\":\"0s\""), set.out());
      CommandDaemon.Ran list = it.run("retention", "--output", "csv");
      assertEquals(
          "type,age,bytes,grace,source,types,atRest,hiddenPartitions,hiddenEvents,hiddenBytes,"
              + "dropsAt\r\ncpu,7d,10737418240,0s,api,",
          list.out().substring(0, Math.min(list.out().length(), 118)));
      assertTrue(list.out().contains("\r\nd*,200d,,10m,config,0,"), list.out());
      assertTrue(list.out().contains("\r\n*,300d,,10m,config,0,"), list.out());
      assertEquals("{\"unset\":\"cpu\"}\n", it.run("retention", "unset", "cpu").out());
      CommandDaemon.Ran wrong = it.run("retention", "unset", "cpu");
      assertEquals(64, wrong.code());
      assertTrue(wrong.err().contains("no policy was set for 'cpu'"), wrong.err());
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      it.write("cpu", 20);
      Map<String, String> refused =
          Map.of(
              "type=cpu", "age: is missing for 'cpu'",
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
