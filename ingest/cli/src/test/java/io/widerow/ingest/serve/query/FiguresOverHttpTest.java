package io.widerow.ingest.serve.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: statistics and plots from a daemon equal those of `widerow query --data`, byte for byte.
/// Method: the same queries to both, over events of different kinds, in different steps, and with
/// absent attributes.
@Timeout(300)
class FiguresOverHttpTest {
  private static final List<List<String>> QUESTIONS =
      List.of(
          List.of("--stats", "count"),
          List.of("--stats", "count,sum(ms),min(ms),max(ms),avg(ms)", "--by", "status"),
          List.of("--stats", "count,p50(ms),p99(ms)", "--by", "type,status", "--every", "10m"),
          List.of("--stats", "sum(big)", "--output", "csv"),
          List.of("--stats", "count", "--by", "error", "--output", "csv"),
          List.of("--stats", "count", "--by", "note", "--output", "table"),
          List.of("--stats", "count", "--every", "1h", "--tz", "Asia/Kolkata"),
          List.of("--stats", "max(ratio),sum(nothing)", "--by", "host", "--where", "ms > 500"),
          List.of("b*", "--stats", "count"),
          List.of("none", "--stats", "count", "--by", "status", "--output", "csv"),
          List.of("none", "--stats", "count,sum(ms)"),
          List.of("none", "--stats", "count", "--by", "status"),
          List.of(
              "--stats",
              "count(*),max(ms)",
              "--by",
              "host",
              "--order-by",
              "max(ms) desc",
              "--limit",
              "2"),
          List.of("--stats", "count(distinct ms),count(distinct type)", "--by", "status"),
          List.of(
              "--stats",
              "count",
              "--by",
              "ratio",
              "--order-by",
              "count desc,ratio",
              "--limit",
              "5",
              "--output",
              "csv"),
          List.of("--stats", "count", "--by", "note", "--output", "csv"),
          List.of("--stats", "count", "--where", "type = 'a' and ts >= 2025-11-20T20:00:00Z"),
          List.of("--stats", "count", "--where", "status >= 200 and host != 'x'"),
          List.of("--stats", "count", "--where", "error icontains 'E' or not status = 200"),
          List.of(
              "--where", "id != 5a8c6b80-c64a-11f0-8080-808080808080 and ms < 3", "--limit", "4"),
          List.of("--histogram"),
          List.of("--histogram", "--where", "status = 500"),
          List.of("--histogram", "--limit", "7"),
          List.of("none", "--histogram"));

  @TempDir private Path directory = Path.of(".");

  private static String events() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      String status = i % 7 == 0 ? "\"200\"" : i % 11 == 0 ? "500" : "200";
      lines
          .append(
              "{\"ts\":%d,\"type\":\"%s\",\"status\":%s"
                  .formatted(1_763_666_100_000L + i * 2_377L, i % 3 == 0 ? "a" : "b", status))
          .append(",\"ms\":%d,\"big\":%d".formatted(i * i % 1_000, Long.MAX_VALUE - i))
          .append(i % 5 == 0 ? ",\"host\":\"h,\\\"%d\\\"\",\"ratio\":%d.5".formatted(i % 3, i) : "")
          .append(i % 13 == 0 ? ",\"note\":\"=1\\n\\u001b[31m\",\"error\":\"e\"}\n" : "}\n");
    }
    return lines.toString();
  }

  private static String ask(List<String> question, String... source) {
    List<String> arguments = new ArrayList<>(question);
    arguments.addAll(List.of(source));
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of(), "query", arguments.toArray(String[]::new));
    return ran.code() + "\n" + ran.out() + ran.err();
  }

  @Test
  void theDaemonCountsAsTheCommandLineDoes() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", data.toString(), "http", "127.0.0.1:0", "lanes", "2"));
    Map<List<String>, String> answers = new LinkedHashMap<>();
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String taken =
          http.post("/v1/events", "application/x-ndjson", events().getBytes(UTF_8)).body();
      assertTrue(taken.startsWith("{\"accepted\":3000,\"rejected\":[]"), taken);
      String url = "http://127.0.0.1:" + daemon.httpAddress().getPort();
      QUESTIONS.forEach(question -> answers.put(question, ask(question, "--url", url)));
      checkHttp(http);
    }
    answers.forEach((question, answer) -> {
      assertTrue(answer.startsWith("0\n"), question + ": " + answer);
      assertEquals(ask(question, "--data", data.toString()), answer, question.toString());
    });
    assertTrue(String.valueOf(answers.get(QUESTIONS.getFirst())).contains("{\"count\":3000}"));
  }

  private static void checkHttp(Http http) throws IOException, InterruptedException {
    var csv = http.get("/v1/query?stats=count&by=status&every=1d&format=csv");
    assertEquals(
        List.of(
            "ts,status,count",
            "2025-11-20T00:00:00.000000000Z,200,2337",
            "2025-11-20T00:00:00.000000000Z,500,234",
            "2025-11-20T00:00:00.000000000Z,200,429"),
        csv.body().lines().toList());
    String none = "&where=ms%3C0";
    assertEquals("{\"count\":0}\n", http.get("/v1/query?stats=count" + none).body());
    assertEquals("", http.get("/v1/query?stats=count&by=host" + none).body(), "no group");
    assertEquals(
        "{\"type\":\"b\",\"count(*)\":2000}\n",
        http.get("/v1/query?stats=count(*)&by=type&order-by=count(*)%20desc&limit=1").body());
    for (String wrong :
        List.of(
            "by=a", "every=1m", "stats=median(x)", "stats=count&fields=a", "stats=count&every=x")) {
      var refused = http.get("/v1/query?" + wrong.replace("(", URLEncoder.encode("(", UTF_8)));
      assertEquals(400, refused.statusCode(), wrong);
    }
    int groups = 1; // one step, with all events
    assertEquals(groups, http.get("/v1/query?stats=count&every=365d").body().lines().count());
  }
}
