package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: no foreign web page in a user's browser changes or deletes anything in a daemon on the
/// same machine, and its own page changes saved queries only. Method: every request that changes
/// something, as a browser sends it for a page of another site without asking first.
@Timeout(300)
class PageWritesTest {
  private static final String[] ELSEWHERE = {"origin", "https://elsewhere.example"};
  private static final String[] NOWHERE = {"origin", "null"};

  private static final List<String> CHANGES =
      List.of(
          "POST /v1/admin/delete?type=*",
          "POST /v1/admin/delete/d-1",
          "POST /v1/admin/snapshot?name=x",
          "POST /v1/admin/accept-clock",
          "POST /v1/admin/repartition",
          "PUT /v1/alerts?rule=x&stats=count&above=1",
          "DELETE /v1/alerts?rule=x",
          "PUT /v1/retention?type=*&age=1d",
          "PUT /v1/queries?query=x&type=y",
          "DELETE /v1/queries?query=x",
          "POST /v1/events?type=x");

  @TempDir private Path directory = Path.of(".");

  @Test
  void changesThatPagesAskForAreRefused() throws IOException, InterruptedException {
    String data = directory.resolve("store").toString();
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data, "http", "127.0.0.1:0", "disk-reserve-bytes", "0"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      assertEquals(200, http.post("/v1/events?type=x", Http.NDJSON, "{\"n\":1}\n").statusCode());
      for (String change : CHANGES) {
        for (String[] origin : List.of(ELSEWHERE, NOWHERE)) {
          String[] words = change.split(" ", 2);
          HttpResponse<String> answer = http.send(words[0], words[1], origin);
          assertEquals(403, answer.statusCode(), change + ": " + answer.body());
          assertTrue(answer.body().contains("web pages"), answer.body());
        }
      }
      String[] own = {"origin", "http://127.0.0.1:" + daemon.httpAddress().getPort()};
      assertEquals(403, http.send("PUT", "/v1/retention?type=*&age=1d", own).statusCode());
      assertEquals(200, http.send("PUT", "/v1/queries?query=x&type=y", own).statusCode());
      assertEquals(200, http.send("DELETE", "/v1/queries?query=x", own).statusCode());
      assertEquals(403, http.get("/v1/query?type=x", ELSEWHERE).statusCode());
      assertTrue(http.get("/v1/query?type=x").body().contains("\"n\":1"));
      HttpResponse<String> plan = http.send("POST", "/v1/admin/delete?type=x");
      assertEquals(200, plan.statusCode(), plan.body());
    }
  }
}
