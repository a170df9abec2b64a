package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: each protocol's answer names the level that was reached. Method: a daemon over a store in
/// memory that acts as a store on a cluster; the test decides which batches are applied.
@Timeout(300)
class QuorumOverHttpTest {
  private static final String LINE = "{\"ts\":1763665200,\"type\":\"a\",\"body\":\"x\"}\n";
  private static final String KEY = "idempotency-key";
  private static final String CLUSTER = "cassandra://127.0.0.1/widerow?dc=dc1";

  private final MemoryStore store = new MemoryStore(1);

  private Daemon start(String... more) {
    Map<String, String> keys = new HashMap<>();
    keys.put("http", "127.0.0.1:0");
    keys.put("lanes", "1");
    keys.put("store", CLUSTER);
    for (int i = 0; i < more.length; i += 2) {
      keys.put(more[i], more[i + 1]);
    }
    return Daemon.start(DaemonConfig.of(keys), store);
  }

  private static String level(HttpResponse<String> answer) {
    return answer.headers().firstValue("widerow-durability").orElse("");
  }

  private void awaitWaiting(Http http, int batches) throws IOException, InterruptedException {
    String line = "widerow_quorum_waiting{lane=\"0\"} " + batches + ".0\n";
    Await.until(
        () -> http.get("/metrics").body().contains(line),
        batches + " batches wait for the cluster");
  }

  @Test
  void anAnswerComesWhenTheClusterHasTheEvents() throws Exception {
    try (Daemon daemon = start();
        Http http = new Http(daemon)) {
      byte[] body = LINE.getBytes(StandardCharsets.UTF_8);
      CompletableFuture<HttpResponse<String>> later =
          http.postLater("/v1/events", Http.NDJSON, body, KEY, "k");
      awaitWaiting(http, 1);
      assertFalse(later.isDone());
      store.lanes.getFirst().applied(1);
      assertEquals(200, later.join().statusCode());
      String stored = "{\"accepted\":1,\"rejected\":[],\"durability\":\"quorum\"}\n";
      assertEquals(stored, later.join().body());
      assertEquals("", level(later.join()));
      HttpResponse<String> repeat =
          http.post("/v1/events?durability=quorum", Http.NDJSON, LINE, KEY, "k");
      assertTrue(repeat.body().endsWith("\"durability\":\"quorum\"}\n"), repeat.body());
    }
  }

  @Test
  void whatIsLateIsAccepted() throws Exception {
    try (Daemon daemon = start("quorum-wait", "1s");
        Http http = new Http(daemon)) {
      HttpResponse<String> late = http.post("/v1/events", Http.NDJSON, LINE, KEY, "k");
      assertEquals(202, late.statusCode());
      assertEquals("{\"accepted\":1,\"rejected\":[],\"durability\":\"disk\"}\n", late.body());
      assertEquals("disk", level(late));
      store.lanes.getFirst().applied(1);
      HttpResponse<String> repeat = http.post("/v1/events", Http.NDJSON, LINE, KEY, "k");
      assertEquals(200, repeat.statusCode(), repeat.body());
      assertEquals(
          "{\"accepted\":0,\"duplicate\":1,\"rejected\":[],\"durability\":\"quorum\"}\n",
          repeat.body());
      HttpResponse<String> disk = http.post("/v1/events?durability=disk&type=b", Http.NDJSON, LINE);
      assertEquals(200, disk.statusCode());
      assertEquals("", level(disk), "it is the requested level");
    }
  }

  @Test
  void protocolsWithOneSuccessSayItInAHeader() throws Exception {
    String loki = "{\"streams\":[{\"stream\":{\"a\":\"b\"},\"values\":[[\"1\",\"x\"]]}]}";
    Map<String, String> writes =
        Map.of(
            "/loki/api/v1/push", loki,
            "/write?db=d", "m v=1 1763665200000000000",
            "/_bulk", "{\"create\":{\"_index\":\"i\"}}\n{\"message\":\"x\"}\n",
            "/v1/logs", "{\"resourceLogs\":[]}",
            "/gelf", "{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"x\"}");
    try (Daemon daemon = start("quorum-wait", "1s");
        Http http = new Http(daemon)) {
      Map<String, CompletableFuture<HttpResponse<String>>> answers = new HashMap<>();
      writes.forEach((path, body) ->
          answers.put(
              path,
              http.postLater(path, "application/json", body.getBytes(StandardCharsets.UTF_8))));
      for (var answer : answers.entrySet()) {
        HttpResponse<String> got = answer.getValue().join();
        assertEquals(2, got.statusCode() / 100, answer.getKey() + " " + got.body());
        boolean empty = answer.getKey().equals("/v1/logs");
        assertEquals(empty ? "" : "disk", level(got), answer.getKey());
      }
    }
  }

  @Test
  void aStreamIsReadOnAndItsAnswerNamesTheLevel() throws Exception {
    String entry = "__REALTIME_TIMESTAMP=1763665200000000\nMESSAGE=x\n\n";
    byte[] body = entry.repeat(20_000).getBytes(StandardCharsets.UTF_8);
    String type = "application/vnd.fdo.journal";
    try (Daemon daemon = start("quorum-wait", "1s");
        Http http = new Http(daemon)) {
      HttpResponse<String> late = http.post("/upload", type, body);
      assertEquals(2, late.statusCode() / 100, late.body());
      assertEquals("disk", level(late));
      assertEquals(20_000, store.committed.size());
      store.applying = true;
      HttpResponse<String> there = http.post("/upload", type, body);
      assertEquals("", level(there));
      assertEquals(40_000, store.committed.size());
    }
  }

  @Test
  void aStopAnswersWhoWaits() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    Daemon daemon = start("quorum-wait", "50s");
    try (Http http = new Http(daemon)) {
      for (int i = 0; i < 20; i++) {
        byte[] body = LINE.replace("x", "x" + i).getBytes(StandardCharsets.UTF_8);
        waiting.add(http.postLater("/v1/events", Http.NDJSON, body));
      }
      awaitWaiting(http, 20);
      daemon.close();
      for (CompletableFuture<HttpResponse<String>> each : waiting) {
        assertEquals(202, each.join().statusCode());
        assertTrue(each.join().body().contains("\"durability\":\"disk\""));
      }
    } finally {
      daemon.close();
    }
  }

  /// Each holds its own few kilobytes, not the 64 that its batch took.
  @Test
  void whatWaitsHoldsLittleCredit() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    try (Daemon daemon = start("quorum-wait", "50s");
        Http http = new Http(daemon)) {
      for (int i = 0; i < 500; i++) {
        byte[] body = LINE.replace("x", "x" + i).getBytes(StandardCharsets.UTF_8);
        waiting.add(http.postLater("/v1/events", Http.NDJSON, body));
      }
      awaitWaiting(http, 500);
      assertEquals(500L * (8 << 10), daemon.creditBytesUsed());
      store.lanes.getFirst().applied(Long.MAX_VALUE);
      waiting.forEach(each -> assertEquals(200, each.join().statusCode()));
      Await.until(() -> daemon.creditBytesUsed() == 0, "all credit is given back");
    }
  }

  @Test
  void onOneMachineThereIsNoQuorum() throws Exception {
    try (Daemon daemon = start("store", "");
        Http http = new Http(daemon)) {
      HttpResponse<String> refused = http.post("/v1/events?durability=quorum", Http.NDJSON, LINE);
      assertEquals(400, refused.statusCode());
      assertTrue(refused.body().contains("needs a store on a cluster"), refused.body());
      assertEquals(0, store.committed.size());
    }
  }
}
