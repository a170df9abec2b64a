package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: `widerow tail` begins at the given position, shows times in the given zone, and writes
/// nothing but events to standard output. Method: the command in this process against a daemon with
/// old events; it ends by its limit.
class TailCommandTest {
  @TempDir Path directory;

  private volatile @Nullable ClusterReport cluster;
  @AutoClose private OperatedDaemon daemon;
  private Http http;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"), this::withCluster);
    http = daemon.http;
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < 5; n++) {
      lines.append("{\"ts\":\"2025-11-20T19:1" + n + ":00Z\",\"type\":\"app\",\"n\":" + n + "}\n");
    }
    assertEquals(200, http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }

  /// The store, as one on a cluster that the test makes up.
  private EventStore withCluster(EventStore real) {
    return (EventStore)
        Proxy.newProxyInstance(
            EventStore.class.getClassLoader(),
            new Class<?>[] {EventStore.class},
            (_, method, given) -> {
              try {
                return method.getName().equals("cluster") ? cluster : method.invoke(real, given);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private Ran tail(String... arguments) {
    return tailAt(daemon.url(), arguments);
  }

  private static Ran tailAt(String url, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url", url, "--every", "10ms", "--output", "logfmt"));
    return CommandDaemon.run(Map.of(), "tail", all.toArray(String[]::new));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "--last 2 --limit 2 | 3 4",
        "--last 9 --limit 5 | 0 1 2 3 4",
        "--since 2025-11-20T19:13:00Z --limit 2 | 3 4",
        "--since 9y --limit 5 | 0 1 2 3 4",
        "--since 2025-11-20T19:13:00Z --last 9 --limit 2 | 3 4",
        "--since '2025-11-20 20:13' --tz Europe/Berlin --limit 2 | 3 4",
      })
  void beginsWithOlderEvents(String arguments, String expected) {
    List<String> words = new ArrayList<>();
    for (String word : arguments.replace("20 20:13", "20_20:13").split(" ", -1)) {
      words.add(word.replace("'", "").replace('_', ' '));
    }
    Ran run = tail(words.toArray(String[]::new));
    assertEquals(0, run.code(), run.err());
    assertEquals(expected, run.out().replaceAll("ts=\\S+ type=app n=(\\d)\n", "$1 ").strip());
    assertEquals(
        "following all types at " + daemon.url() + "\n", run.err(), "told once, on stderr");
  }

  @Test
  void stepsOfAContinuousQueryAreShownAndShownAnew() throws IOException, InterruptedException {
    String[] steps = {"app", "--stats", "count,max(n)", "--every", "2m"};
    Ran first = run(steps, "--since", "2025-11-20T19:10:00Z", "--limit", "3");
    assertEquals(
        """
        {"ts":"2025-11-20T19:10:00.000000000Z","count":2,"max(n)":1}
        {"ts":"2025-11-20T19:12:00.000000000Z","count":2,"max(n)":3}
        {"ts":"2025-11-20T19:14:00.000000000Z","count":1,"max(n)":4}
        """,
        first.out(),
        first.err());
    assertEquals(0, first.code());

    String position = http.get("/v1/tail?type=app&stats=count&every=2m").body();
    String[] words = position.split("\"", -1);
    String late = "{\"ts\":\"2025-11-20T19:13:30Z\",\"type\":\"app\",\"n\":9}\n";
    assertEquals(200, http.post("/v1/events", Http.NDJSON, late).statusCode());
    Ran again = run(steps, "--after", words[3], "--arrived", words[7], "--limit", "1");
    assertEquals(
        "{\"ts\":\"2025-11-20T19:12:00.000000000Z\",\"count\":3,\"max(n)\":9,"
            + "\"widerow.revision\":true}\n",
        again.out(),
        again.err());
    Ran table =
        run(
            steps,
            "--after",
            words[3],
            "--arrived",
            words[7],
            "--limit",
            "1",
            "--output",
            "table",
            "--tz",
            "Europe/Berlin");
    assertEquals(
        """
        ts                                   count  max(n)  widerow.revision
        2025-11-20T20:12:00.000000000+01:00  3      9       true
        """,
        table.out());
    Ran csv = run(steps, "--since", "2025-11-20T19:14:00Z", "--limit", "1", "--output", "csv");
    assertEquals(
        "ts,count,max(n),widerow.revision\r\n2025-11-20T19:14:00.000000000Z,1,4,\r\n", csv.out());
    assertEquals(400, http.get("/v1/tail?stats=count").statusCode());
    assertEquals(64, run(steps, "--last", "3").code());
    assertEquals(64, run(new String[] {"app", "--stats", "count"}).code());
  }

  private Ran run(String[] words, String... more) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of(more));
    all.addAll(List.of("--url", daemon.url()));
    return CommandDaemon.run(Map.of(), "tail", all.toArray(String[]::new));
  }

  @Test
  void timesAreInTheZoneAskedFor() {
    Ran run = tail("app", "--last", "1", "--limit", "1", "--tz", "Asia/Kolkata");
    assertEquals("ts=2025-11-21T00:44:00.000000000+05:30 type=app n=4\n", run.out());
    assertEquals("following app at " + daemon.url() + "\n", run.err());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "--lag 2s | daemon 7 is 40 s behind: late events will follow",
        "--lag 41s | ''",
        "--mode now | ''",
      })
  void aDaemonBehindIsToldOnce(String arguments, String told) {
    long now = System.currentTimeMillis();
    cluster =
        new ClusterReport(
            ClusterReport.State.UP,
            "s",
            "widerow",
            3,
            1,
            "",
            0,
            0,
            0,
            3,
            0,
            3,
            0,
            0,
            "",
            List.of(),
            List.of(
                new ClusterReport.Member(3, "here", "round 4", 0, now),
                new ClusterReport.Member(7, "there", "round 9", now - 40_000, now)));
    Ran run = tail((arguments + " --since 9y --limit 5").split(" ", -1));
    assertEquals(0, run.code(), run.err());
    assertEquals(
        "following all types at " + daemon.url() + "\n" + (told.isEmpty() ? "" : told + "\n"),
        run.err());
  }

  @ParameterizedTest
  @CsvSource({"401", "403", "404", "429", "500", "503"})
  void aDaemonThatRefusesToWarnIsFollowed(int status) throws IOException {
    HttpServer busy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    busy.createContext("/v1/tail", exchange -> answer(exchange, status, "{\"error\":\"busy\"}\n"));
    busy.createContext("/", this::forward);
    busy.start();
    try {
      String url = "http://127.0.0.1:" + busy.getAddress().getPort();
      Ran run = tailAt(url, "--where", "n >= 3", "--since", "9y", "--limit", "2");
      assertEquals(0, run.code(), run.err());
      assertEquals(2, run.out().lines().count(), run.out());
      assertEquals("following all types at " + url + "\n", run.err());
    } finally {
      busy.stop(0);
    }
  }

  private void forward(HttpExchange exchange) throws IOException {
    try {
      HttpResponse<String> real = http.get(exchange.getRequestURI().toString());
      real.headers()
          .firstValue("widerow-arrived")
          .ifPresent(arrived -> exchange.getResponseHeaders().add("widerow-arrived", arrived));
      answer(exchange, real.statusCode(), real.body());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      exchange.close();
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      byte[] body = text.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Test
  void tokenIsALineOfTheOutputOnlyWhenAskedFor() {
    Ran run = tail("--last", "1", "--limit", "1", "--token");
    assertEquals(2, run.out().lines().count(), run.out());
    assertTrue(run.out().lines().toList().get(1).startsWith("w1."), run.out());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "--last 0 | last: must be at least 1, got 0",
        "--since tomorrow | since: not a time: tomorrow (write 15m,",
        "--since 1h --after w1.x | since: not together with after",
        "--last 1 --after w1.x | last: not together with after",
        "--tz Mars | tz: no such time zone: Mars",
        "--arrived 1 | arrived: requires --after; give both",
      })
  void mistakesAreOneSentence(String arguments, String message) {
    Ran run = tail(arguments.split(" ", -1));
    assertEquals(64, run.code(), run.err());
    assertTrue(run.err().startsWith("widerow tail: " + message), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }
}
