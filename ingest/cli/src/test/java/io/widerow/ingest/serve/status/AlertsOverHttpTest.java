package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: rules are set, listed, checked and removed by the command and over HTTP, their state is in
/// the metrics, and check has the exit codes that cron and Nagios need. Method: a daemon with a
/// store on the disk; steps of a second.
@Timeout(300)
class AlertsOverHttpTest {
  @TempDir private Path directory = Path.of(".");

  private static CommandDaemon.Ran run(String url, String... arguments) {
    return CommandDaemon.run(Map.of("WIDEROW_URL", url), "alerts", arguments);
  }

  /// Checks until the rule was evaluated.
  private static CommandDaemon.Ran known(String url, String name) {
    Await.until(
        () -> !run(url, "check", name).out().contains("not evaluated yet"), name + " is evaluated");
    return run(url, "check", name);
  }

  @Test
  void rulesAreSetCheckedAndRemoved() throws IOException, InterruptedException {
    String url;
    try (var it = new OperatedDaemon(directory, Map.of())) {
      Http http = it.http;
      url = it.url();
      assertEquals("", http.get("/v1/alerts").body());
      assertFalse(http.get("/metrics").body().contains("widerow_alert_"));
      CommandDaemon.Ran set =
          run(
              url,
              "set",
              "errors",
              "--stats=count",
              "--type=http*",
              "--where=status >= 500",
              "--every=1s",
              "--above=100",
              "--for=2s");
      assertEquals(
          "{\"rule\":\"errors\",\"stats\":\"count\",\"type\":\"http*\","
              + "\"where\":\"status >= 500\","
              + "\"every\":\"1s\",\"above\":100,\"below\":null,\"for\":\"2s\","
              + "\"state\":\"unknown\",\"value\":null,\"step\":null,"
              + "\"why\":\"it was not evaluated yet\",\"group\":\"store;errors\","
              + "\"expr\":\"count of http* where status >= 500 every 1s above 100\"}\n",
          set.out(),
          set.err());
      assertEquals(0, run(url, "set", "silent", "--stats=count", "--below=1").code());
      assertEquals(0, run(url, "set", "typed", "--stats=count", "--above=1.5d").code());
      assertTrue(http.get("/v1/alerts").body().contains("\"above\":1.5,"), "a number of JSON");
      assertEquals(0, run(url, "unset", "typed").code());

      CommandDaemon.Ran quiet = known(url, "errors");
      assertEquals(0, quiet.code(), quiet.out());
      assertTrue(quiet.out().startsWith("quiet errors: count is 0 in the 1s from 20"), quiet.out());
      assertTrue(quiet.out().endsWith("; fires above 100 for 2s\n"), quiet.out());
      CommandDaemon.Ran firing = known(url, "silent");
      assertEquals(2, firing.code(), firing.out());
      assertTrue(
          firing.out().startsWith("firing silent: count is 0 in the 1m from "), firing.out());
      CommandDaemon.Ran unknown = run(url, "check", "nothing");
      assertEquals(3, unknown.code());
      assertTrue(unknown.out().contains("there are errors, silent"), unknown.out());

      String metrics = http.get("/metrics").body();
      assertTrue(metrics.contains("widerow_alert_firing{rule=\"errors\"} 0\n"), metrics);
      assertTrue(metrics.contains("widerow_alert_firing{rule=\"silent\"} 1\n"), metrics);
      assertTrue(metrics.contains("widerow_alert_unknown{rule=\"silent\"} 0\n"), metrics);
      assertTrue(metrics.contains("widerow_alert_value{rule=\"errors\"} 0\n"), metrics);
      String one = http.get("/v1/alerts?rule=silent").body();
      assertTrue(one.startsWith("{\"rule\":\"silent\",\"stats\":\"count\",\"type\":null,"), one);
      CommandDaemon.Ran wrong = run(url, "set", "errors", "--stats=count", "--above=many");
      assertEquals(64, wrong.code());
      assertTrue(wrong.err().contains("above: must be a number, got many"), wrong.err());
      assertTrue(http.get("/v1/alerts?rule=errors").body().contains("\"above\":100,"));
    }
    assertEquals(3, run(url, "check", "errors").code(), "no answer");

    try (var it = new OperatedDaemon(directory, Map.of())) {
      CommandDaemon.Ran list = run(it.url(), "--output", "csv");
      assertTrue(
          list.out().contains("\r\nerrors,count,http*,status >= 500,1s,100,,2s,"), list.out());
      assertEquals("{\"unset\":\"errors\"}\n", run(it.url(), "unset", "errors").out());
      CommandDaemon.Ran again = run(it.url(), "unset", "errors");
      assertEquals(64, again.code());
      assertTrue(again.err().contains("there is no 'errors'; there are silent"), again.err());
      assertEquals(404, it.http.get("/v1/alerts?rule=errors").statusCode());
    }
  }

  @Test
  void storeElsewhereKeepsNoRules() throws IOException, InterruptedException {
    try (var it = new MemoryDaemon(1)) {
      assertEquals(200, it.http.get("/v1/alerts").statusCode());
      HttpResponse<String> answer = it.http.send("PUT", "/v1/alerts?rule=none&stats=count&below=1");
      assertEquals(501, answer.statusCode());
      assertTrue(answer.body().contains("keeps no alert rules"), answer.body());
      assertEquals(3, run("127.0.0.1:" + it.port(), "check", "errors").code());
    }
  }
}
