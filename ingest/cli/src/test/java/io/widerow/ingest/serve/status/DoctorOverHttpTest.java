package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.storage.BuildVersion;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the findings and the plan of a daemon are the same over HTTP, in the status and by the
/// commands, with the exit codes that scripts rely on. Method: a daemon with a store on the disk
/// that is quiet, and one whose disk is full.
@Timeout(300)
class DoctorOverHttpTest {
  @TempDir private Path directory = Path.of(".");

  private static CommandDaemon.Ran run(String command, String url, String... arguments) {
    return CommandDaemon.run(Map.of("WIDEROW_URL", url), command, arguments);
  }

  @Test
  void quietDaemonHasAPlanAndNoFindings() throws IOException, InterruptedException {
    try (var it = new CommandDaemon(directory, Map.of())) {
      Http http = it.http;
      String line = "{\"ts\":\"%s\",\"type\":\"cpu\"}%n".formatted(Instant.now());
      assertEquals(200, http.post("/v1/events", Http.NDJSON, line).statusCode());
      Await.until( // the daemon looks every few seconds
          () -> http.get("/v1/admin/plan").body().contains("\"cpu\""), "the plan has the type");
      String plan = http.get("/v1/admin/plan").body();
      assertTrue(
          plan.startsWith(
              "{\"types\":[{\"type\":\"cpu\",\"events\":1,\"bytes\":0,\"partitions\":1,"),
          plan);
      assertTrue(
          plan.contains("\"plannedWidth\":1440,\"plannedShards\":1,\"verdict\":\"ok\"}]"), plan);
      assertTrue(plan.endsWith(",\"findings\":[]}\n"), plan);
      String version = BuildVersion.value();
      String quiet =
          "{\"version\":\"%s\",\"created\":\"%s\",\"written\":\"%s\",\"findings\":[]}\n"
              .formatted(version, version, version);
      assertEquals(quiet, http.get("/v1/admin/doctor").body());
      assertTrue(http.get("/v1/status").body().contains(",\"findings\":[],"));

      CommandDaemon.Ran doctor = it.run("check doctor", "--output", "json");
      assertEquals(new CommandDaemon.Ran(0, quiet, "widerow check doctor: no finding\n"), doctor);
      CommandDaemon.Ran table = it.run("layout plan", "--output", "table");
      assertEquals(0, table.code(), table.err());
      assertTrue(
          table.out().startsWith("type  events  bytes  partitions  weight  rate "), table.out());
      CommandDaemon.Ran json = run("layout plan", "127.0.0.1:1", "--url", it.url());
      assertTrue(json.out().startsWith("{\"types\":[{\"type\":\"cpu\""), json.out());
      HttpResponse<String> wrong = http.get("/v1/admin/doctor?code=disk");
      assertEquals(400, wrong.statusCode());
      assertTrue(wrong.body().contains("code: no such parameter"), wrong.body());
    }
  }

  @Test
  void findingsHaveTheirExitCode() throws IOException, InterruptedException {
    String url;
    try (var it = new MemoryDaemon(1)) {
      it.store.full = true;
      Http http = it.http;
      url = "127.0.0.1:" + it.port();
      String found = http.get("/v1/admin/doctor").body();
      assertTrue(found.contains(",\"findings\":[{\"code\":\"disk\",\"severity\":\"bad\","), found);
      assertTrue(http.get("/v1/status").body().contains("\"findings\":[{\"code\":\"disk\""));
      assertFalse(http.get("/ready").body().contains("findings"), "a probe reveals no names");
      CommandDaemon.Ran json = run("check doctor", url);
      assertEquals(1, json.code(), json.err());
      assertTrue(json.out().contains(",\"findings\":[{\"code\":\"disk\""), json.out());
      CommandDaemon.Ran table = run("check doctor", url, "--output", "table");
      assertTrue(
          table.out().startsWith("bad   disk: store\n      no events are accepted: "), table.out());
      assertTrue(table.out().contains("\n      do: free space"), table.out());
      CommandDaemon.Ran csv = run("check doctor", url, "--output", "csv");
      assertTrue(
          csv.out().startsWith("code,severity,subject,value,limit,sentence,do\r\ndisk,bad,store,"),
          csv.out());
      assertEquals(501, http.get("/v1/admin/plan").statusCode(), "no store of this machine");
      assertEquals(new CommandDaemon.Ran(0, "", ""), run("check health", url));
      CommandDaemon.Ran ready = run("check health", url, "--ready");
      assertEquals(1, ready.code());
      assertTrue(ready.err().contains("the disk is full"), ready.err());
      assertTrue(
          http.get("/metrics")
              .body()
              .contains("widerow_findings{code=\"disk\",severity=\"bad\"} 1"),
          "the findings are metrics");
    }
    assertEquals(69, run("check doctor", url).code());
    CommandDaemon.Ran away = run("check health", url);
    assertEquals(1, away.code());
    assertTrue(away.err().startsWith("widerow check health: "), away.err());
  }
}
