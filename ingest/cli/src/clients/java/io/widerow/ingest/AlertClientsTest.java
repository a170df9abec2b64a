package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.widerow.faults.Await;
import io.widerow.faults.Slice;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an Alertmanager pages once for an alert and once for its end, also when it or the daemon
/// is restarted, and a pair of them also when either is killed; vmalert with the same rule file
/// over the same daemon sees the same alerts. Method: Debian's Alertmanager and vmalert as
/// processes.
@Timeout(300)
@Tag("process")
class AlertClientsTest {
  private static final Pattern ALERT =
      Pattern.compile(
          "\"alertname\":\"(\\w+)\".*?\"startsAt\":\"([^\"]*)\",\"endsAt\":\"([^\"]*)\"");
  private static final Pattern ALERT_OF_VMALERT =
      Pattern.compile(
          "\"startsAt\":\"([^\"]*)\",.*?\"endsAt\":\"([^\"]*)\".*?\"alertname\":\"(\\w+)\"");

  @TempDir private Path directory = Path.of(".");

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Closeable started(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("out").toFile()))
            .start();
    return () -> {
      process.destroy(); // a killed Alertmanager forgets what it has sent
      try {
        boolean _ = process.waitFor(Await.SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      process.destroyForcibly();
    };
  }

  private OperatedDaemon daemon(String rules, String alertmanagers) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("rules"));
    Files.writeString(folder.resolve("rules.yml"), rules);
    return new OperatedDaemon(
        directory,
        Map.of(
            "rules-dir",
            folder.toString(),
            "rules-settle",
            "0s",
            "rules-resend",
            "10s", // a firing alert is good for 40 s, longer than a restart takes
            "alertmanagers",
            alertmanagers));
  }

  private static void send(OperatedDaemon it, String type, String labels, double value)
      throws IOException, InterruptedException {
    String line =
        "{\"type\":\"%s\",\"ts\":\"%s\",%s\"value\":%s}\n"
            .formatted(type, Instant.now(), labels, value);
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, line).statusCode());
  }

  @Test
  void alertmanagerPagesOnceForAnAlertAndOnceForItsEnd() throws IOException, InterruptedException {
    ClientDaemon.requireProgram("prometheus-alertmanager", "prometheus-alertmanager");
    List<String> pages = new CopyOnWriteArrayList<>();
    HttpServer hook =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    hook.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          pages.add(body.replaceAll("(?s).*\"status\":\"(\\w+)\",\"alerts\".*", "$1"));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    hook.start();
    int port = freePort();
    Path config = directory.resolve("alertmanager.yml");
    Files.writeString(
        config,
        """
        route: {receiver: hook, group_wait: 1s, group_interval: 1s, repeat_interval: 9h}
        receivers:
          - name: hook
            webhook_configs: [{url: "http://127.0.0.1:%d/", send_resolved: true}]
        """
            .formatted(hook.getAddress().getPort()));
    String[] command = {
      "prometheus-alertmanager",
      "--config.file=" + config,
      "--storage.path=" + directory.resolve("am"),
      "--web.listen-address=127.0.0.1:" + port,
      "--cluster.listen-address="
    };
    String rules =
        """
        groups:
          - {name: g, interval: 1s, rules: [{alert: A, expr: x > 5, for: 2s}]}
        """;
    Closeable alertmanager = started(command);
    try (OperatedDaemon first = daemon(rules, "http://127.0.0.1:" + port)) {
      send(first, "x", "", 10);
      Await.until(() -> pages.equals(List.of("firing")), "it pages, " + pages);
    }
    alertmanager.close();
    alertmanager = started(command);
    try (OperatedDaemon second = daemon(rules, "http://127.0.0.1:" + port)) {
      Await.until(() -> sent(second) > 0, "the alert is sent again");
      send(second, "x", "", 1);
      Await.until(() -> pages.size() > 1, "it pages the end");
      long after = sent(second);
      Await.until(() -> sent(second) > after, "the end is sent again");
      assertEquals(List.of("firing", "resolved"), pages);
    } finally {
      alertmanager.close();
      hook.stop(0);
    }
  }

  /// `-Dkills=<n>` sets the number of kills. A pair shares what it has sent, which one alone
  /// forgets when it is killed.
  @Test
  @Timeout(900)
  void killsOfAPairOfAlertmanagersPageOnce() throws IOException, InterruptedException {
    ClientDaemon.requireProgram("prometheus-alertmanager", "prometheus-alertmanager");
    int kills = Slice.of("kills", 4, 20);
    List<String> pages = new CopyOnWriteArrayList<>();
    HttpServer hook = hook(pages);
    Path config = config(hook);
    int[] ports = {freePort(), freePort()};
    int[] peers = {freePort(), freePort()};
    Process[] pair = new Process[2];
    String rules =
        """
        groups:
          - {name: g, interval: 1s, rules: [{alert: A, expr: x > 5}]}
        """;
    String both = "http://127.0.0.1:%d,http://127.0.0.1:%d".formatted(ports[0], ports[1]);
    List<String> expected = new ArrayList<>();
    try (OperatedDaemon it = daemon(rules, both)) {
      for (int i = 0; i < 2; i++) {
        pair[i] = process(alertmanager(config, "am" + i, ports[i], peers[i], peers[1 - i]));
      }
      for (int kill = 0; kill < kills; kill++) {
        String job = "job" + kill / 2;
        boolean fires = kill % 2 == 0;
        send(it, "x", "\"job\":\"%s\",".formatted(job), fires ? 10 : 1);
        expected.add(job + (fires ? " firing" : " resolved"));
        Await.until(() -> pages.containsAll(expected), expected + " are paged, " + pages);
        Await.pause(Duration.ofSeconds(1)); // it tells the other one of it
        int i = kill / 2 % 2;
        pair[i].destroyForcibly().waitFor();
        pair[i] = process(alertmanager(config, "am" + i, ports[i], peers[i], peers[1 - i]));
        Await.pause(Duration.ofSeconds(3)); // the other one would page again now
      }
      Await.pause(Duration.ofSeconds(20)); // longer than a peer waits for the other one
      assertEquals(expected.stream().sorted().toList(), pages.stream().sorted().toList());
    } finally {
      for (Process each : pair) {
        if (each != null) {
          each.destroyForcibly();
        }
      }
      hook.stop(0);
    }
    System.out.printf("%d kills, pages %s%n", kills, pages);
  }

  private Process process(String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("out").toFile()))
        .start();
  }

  private String[] alertmanager(Path config, String data, int port, int peer, int other) {
    return new String[] {
      "prometheus-alertmanager",
      "--config.file=" + config,
      "--storage.path=" + directory.resolve(data),
      "--web.listen-address=127.0.0.1:" + port,
      "--cluster.listen-address=127.0.0.1:" + peer,
      "--cluster.peer=127.0.0.1:" + other,
      "--cluster.peer-timeout=5s",
      "--cluster.gossip-interval=50ms",
      "--cluster.settle-timeout=5s"
    };
  }

  /// Keeps the job and the state of each page.
  private static HttpServer hook(List<String> pages) throws IOException {
    HttpServer hook =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    hook.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String state = body.replaceAll("(?s).*\"status\":\"(\\w+)\",\"alerts\".*", "$1");
          pages.add(body.replaceAll("(?s).*\"job\":\"(\\w+)\".*", "$1") + " " + state);
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    hook.start();
    return hook;
  }

  private Path config(HttpServer hook) throws IOException {
    return Files.writeString(
        directory.resolve("pair.yml"),
        """
        route:
          {receiver: hook, group_by: [job], group_wait: 1s, group_interval: 1s, repeat_interval: 9h}
        receivers:
          - name: hook
            webhook_configs: [{url: "http://127.0.0.1:%d/", send_resolved: true}]
        """
            .formatted(hook.getAddress().getPort()));
  }

  private static long sent(OperatedDaemon it) throws IOException, InterruptedException {
    String metrics = it.get("/metrics");
    return (long)
        Double.parseDouble(
            metrics.replaceAll("(?s).*\nwiderow_notifications_sent_total (\\S+)\n.*", "$1"));
  }

  @Test
  void vmalertSeesTheSameAlerts() throws IOException, InterruptedException {
    ClientDaemon.requireProgram("vmalert", "victoria-metrics");
    String rules =
        """
        groups:
          - name: ratios
            interval: 1s
            rules:
              - alert: Counters
                expr: sum(rate(errors_total[10s])) / sum(rate(requests_total[10s])) > 0.05
                for: 2s
              - alert: Lines
                expr: >-
                  sum(count_over_time(http{status="500"}[10s])) / sum(count_over_time(http[10s]))
                  > 0.05
        """;
    try (FakeAlertmanager ours = new FakeAlertmanager(0);
        FakeAlertmanager theirs = new FakeAlertmanager(0);
        OperatedDaemon it = daemon(rules, ours.url());
        Closeable _ =
            started(
                "vmalert",
                "-rule=" + directory.resolve("rules/rules.yml"),
                "-datasource.url=" + it.url(),
                "-notifier.url=" + theirs.url(),
                "-rule.resendDelay=1s",
                "-httpListenAddr=127.0.0.1:" + freePort())) {
      double requests = 0;
      double errors = 0;
      for (int second = 0; second < 60; second++) {
        boolean bad = second >= 15 && second < 25;
        requests += 100;
        errors += bad ? 20 : 0;
        send(it, "requests_total", "", requests);
        send(it, "errors_total", "", errors);
        send(it, "http", "\"status\":\"200\",", 1);
        if (bad) {
          send(it, "http", "\"status\":\"500\",", 1);
        }
        Await.pauseNanos(Duration.ofSeconds(1).toNanos());
      }
      Map<String, Instant[]> mine = spans(ours.bodies(), ALERT, 1, 2, 3);
      Map<String, Instant[]> other = spans(theirs.bodies(), ALERT_OF_VMALERT, 3, 1, 2);
      assertEquals(List.of("Counters", "Lines"), List.copyOf(mine.keySet()));
      assertEquals(mine.keySet(), other.keySet(), theirs.bodies().toString());
      mine.forEach((name, span) -> {
        Instant[] their = other.get(name);
        assertNear(name + " begins", span[0], their[0]);
        assertNear(name + " ends", span[1], their[1]);
      });
    }
  }

  /// The groups are evaluated at different moments of a second, and see samples up to then.
  private static void assertNear(String what, Instant mine, Instant their) {
    long millis = Math.abs(Duration.between(mine, their).toMillis());
    assertTrue(millis <= 3_000, "%s at %s and %s".formatted(what, mine, their));
  }

  /// Begin and end of each alert, as it was told last.
  private static Map<String, Instant[]> spans(
      List<String> bodies, Pattern alert, int name, int starts, int ends) {
    Map<String, Instant[]> spans = new TreeMap<>();
    for (String body : bodies) {
      for (MatchResult each : alert.matcher(body).results().toList()) {
        spans.put(
            each.group(name),
            new Instant[] {Instant.parse(each.group(starts)), Instant.parse(each.group(ends))});
      }
    }
    return spans;
  }
}
