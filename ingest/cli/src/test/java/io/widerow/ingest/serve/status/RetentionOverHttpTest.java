package io.widerow.ingest.serve.status;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
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
      "{\"type\":\"cpu\",\"where\":null,\"age\":\"30d\",\"bytes\":null,\"grace\":\"15m\","
          + "\"source\":\"api\",\"types\":1,\"atRest\":0,\"hiddenPartitions\":0,"
          + "\"hiddenEvents\":0,\"hiddenBytes\":0,\"dropsAt\":null}\n";

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

    HttpResponse<String> write(String level, Duration age)
        throws IOException, InterruptedException {
      String line =
          "{\"ts\":\"%s\",\"type\":\"shop.web\",\"level\":\"%s\",\"body\":\"x\"}%n"
              .formatted(Instant.now().minus(age), level);
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
          "type,where,age,bytes,grace,source,types,atRest,hiddenPartitions,hiddenEvents,"
              + "hiddenBytes,dropsAt\r\ncpu,,7d,10737418240,0s,api,",
          list.out().substring(0, Math.min(list.out().length(), 125)));
      assertTrue(list.out().contains("\r\nd*,,200d,,10m,config,0,"), list.out());
      assertTrue(list.out().contains("\r\n*,,300d,,10m,config,0,"), list.out());
      assertEquals("{\"unset\":\"cpu\"}\n", it.run("retention", "unset", "cpu").out());
      CommandDaemon.Ran wrong = it.run("retention", "unset", "cpu");
      assertEquals(64, wrong.code());
      assertTrue(wrong.err().contains("no policy was set for 'cpu'"), wrong.err());
    }
  }

  /// Debug lines for a day, errors for longer: by HTTP and by the command.
  @Test
  void policyWithAFilterHidesWhatItSelectsAndNothingElse()
      throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      for (String level : List.of("debug", "trace", "info", "error")) {
        it.write(level, Duration.ofHours(30));
        it.write(level, Duration.ofHours(3));
      }
      String policy = "type=shop.%2A&age=1d&where=level+%3C%3D+debug";
      HttpResponse<String> plan = it.http.get("/v1/retention/plan?" + policy);
      assertTrue(plan.body().endsWith("\"events\":2,\"bytes\":0}\n"), plan.body());
      assertEquals(8, it.shown("shop.web"), "a plan changes nothing");
      HttpResponse<String> set = it.send("PUT", "/v1/retention?" + policy);
      assertEquals(200, set.statusCode(), set.body());
      assertTrue(
          set.body()
              .startsWith(
                  "{\"type\":\"shop.*\",\"where\":\"level <="
                      + " debug\",\"age\":\"1d\",\"bytes\":null,"),
          set.body());
      assertTrue(set.body().contains("\"hiddenEvents\":2"), set.body());
      assertEquals(set.body(), it.get("/v1/retention"));
      assertEquals(6, it.shown("shop.web"));
      for (String rollup : List.of("auto", "off")) {
        String count = it.get("/v1/query?type=shop.*&stats=count&rollup=" + rollup);
        assertTrue(count.contains("\"count\":6"), count);
      }
      String refused = it.write("debug", Duration.ofDays(2)).body();
      assertTrue(refused.contains("older than the retention of 1d"), refused);
      assertEquals(200, it.write("error", Duration.ofDays(2)).statusCode());
      assertEquals(7, it.shown("shop.web"));

      assertEquals(
          set.body().replace("level <= debug", "level<=debug"),
          it.send("PUT", "/v1/retention?" + policy.replace("+", "")).body(),
          "the same policy, written otherwise");
      assertEquals(1, it.get("/v1/retention").lines().count());
      it.send("PUT", "/v1/retention?" + policy);

      CommandDaemon.Ran list = it.run("retention", "--output", "csv");
      assertTrue(list.out().contains("\r\nshop.*,level <= debug,1d,,15m,api,1,"), list.out());
      CommandDaemon.Ran other = it.run("retention", "unset", "shop.*", "--where", "level = debug");
      assertEquals(64, other.code());
      assertTrue(other.err().contains("there are shop.* where level <= debug"), other.err());
      CommandDaemon.Ran unset = it.run("retention", "unset", "shop.*", "--where", "(level<=debug)");
      assertEquals(0, unset.code(), unset.err());
      assertEquals(9, it.shown("shop.web"), "it is back");
      assertEquals("", it.get("/v1/retention"));
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new Running(directory, Map.of())) {
      it.write("cpu", 20);
      Map<String, String> refused =
          Map.ofEntries(
              entry("type=cpu", "age: is missing for 'cpu'"),
              entry("age=7d", "type: is missing"),
              entry("type=cpu&age=0d", "got 0d"),
              entry("type=cpu&age=-7d", "got -7d"),
              entry("type=cpu&bytes=-5", "got -5"),
              entry("type=cpu&bytes=9EiB", "got 9EiB"),
              entry("type=cpu&age=7d&grace=40d", "grace: must be 0s to 30d"),
              entry("type=nginx.*&age=7d", "no type matches 'nginx.*'"),
              entry("type=cpu&type=disk&age=7d", "type: is given 2 times: cpu, disk"),
              entry("type=cpu&ages=7d", "ages: no such parameter"),
              entry("type=cpu&age=7d&where=", "where: is empty"),
              entry("type=cpu&age=7d&where=level+%3C", "where: "),
              entry("type=cpu&bytes=5&where=a+%3D+1", "needs an age and has no limit of bytes"),
              entry("type=cpu&age=7d&where=body+~+%22x%2By%22", "regular expression"),
              entry("type=cpu&age=7d&where=ts+%3C+1h", "cannot test the time"),
              entry("type=nginx.*&age=7d&where=a+%3D+1", "no type matches 'nginx.*'"));
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
  void aStoreWithoutPoliciesReportsThat() throws IOException, InterruptedException {
    try (var elsewhere = new TokenDaemon(directory, "secret-of-shop-0123456789abcdef")) {
      HttpResponse<String> answer =
          elsewhere.http.get("/v1/retention", "authorization", "Bearer " + TokenDaemon.OPERATOR);
      assertEquals(501, answer.statusCode());
      assertTrue(answer.body().contains("no policies that can be changed"), answer.body());
    }
  }
}
