package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: kills while an alert is pending and while it fires neither restart its `for` nor change
/// when it became active, leave no gap in recorded series, and lead to one firing and one resolved
/// alert. Method: the daemon as a process with a group of a second, killed at random times; an
/// Alertmanager in this process; then series and history are read back. `-Dkills=<n>` sets the
/// number of kills.
@Timeout(value = 2, unit = TimeUnit.HOURS)
@Tag("process")
class AlertKillTest {
  private static final Pattern VALUE = Pattern.compile("\\[(\\d+(?:\\.\\d+)?),\"([^\"]*)\"]");
  private static final Pattern STARTS = Pattern.compile("\"startsAt\":\"([^\"]*)\"");

  private static final Pattern NOTICE =
      Pattern.compile("\"job\":\"(\\w+)\".*?\"startsAt\":\"([^\"]*)\",\"endsAt\":\"([^\"]*)\"");

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final int kills = Slice.of("kills", 8, 40);
  private String resend = "1s";
  private @Nullable FakeAlertmanager alertmanager;

  private ServeProcess start(QuickJvm jvm) throws IOException {
    return ServeProcess.start(
        jvm,
        directory.resolve("d"),
        "--rules-dir",
        directory.resolve("rules").toString(),
        "--set",
        "rules-settle=0s",
        "--set",
        "rules-resend=" + resend,
        "--set",
        "rules-late=5m",
        "--alertmanagers",
        Objects.requireNonNull(alertmanager).url());
  }

  private static void send(ServeProcess daemon, int value)
      throws IOException, InterruptedException {
    send(daemon, "x", Instant.now(), "", value);
  }

  /// @param labels with a comma after each
  private static void send(ServeProcess daemon, String type, Instant time, String labels, int value)
      throws IOException, InterruptedException {
    String line =
        "{\"type\":\"%s\",\"ts\":\"%s\",%s\"value\":%d}\n".formatted(type, time, labels, value);
    assertEquals(200, daemon.post("/v1/events", Http.NDJSON, line).statusCode());
  }

  private static List<MatchResult> values(ServeProcess daemon, String query)
      throws IOException, InterruptedException {
    String body =
        daemon
            .get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
            .body();
    return VALUE.matcher(body).results().toList();
  }

  @Test
  void killsChangeNoAlert() throws IOException, InterruptedException {
    Path rules = Files.createDirectories(directory.resolve("rules"));
    Files.writeString(
        rules.resolve("k.yml"),
        """
        groups:
          - name: k
            interval: 1s
            rules:
              - {record: r, expr: x * 2}
              - {alert: A, expr: r > 10, for: %ds}
        """
            .formatted(kills)); // about half of the kills are before it fires
    QuickJvm jvm = QuickJvm.shared();
    try (FakeAlertmanager server = new FakeAlertmanager(0)) {
      alertmanager = server;
      ServeProcess daemon = start(jvm);
      try {
        send(daemon, 10);
        for (int i = 0; i < kills; i++) {
          Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(50, 1_500)));
          daemon.kill();
          daemon.close();
          daemon = start(jvm);
          send(daemon, 10);
        }
        Await.until(() -> !server.bodies().isEmpty(), "it fires");
        send(daemon, 1);
        ServeProcess last = daemon;
        Await.until(() -> hasEnded(last), "it ends");
        int taken = server.bodies().size();
        Await.until(() -> server.bodies().size() > taken, "its end is delivered");
        check(daemon, server);
        assertEquals(0, daemon.stop(60), daemon.output());
      } finally {
        daemon.close();
      }
    }
  }

  /// Each alert has ended, and its times were evaluated, before the events that show it arrive; a
  /// kill follows them.
  @Test
  void killsLoseNoLateAlert() throws IOException, InterruptedException {
    Path rules = Files.createDirectories(directory.resolve("rules"));
    Files.writeString(
        rules.resolve("k.yml"),
        """
        groups:
          - name: k
            interval: 1s
            rules:
              - {record: r, expr: y * 2}
              - {alert: A, expr: r > 10}
        """);
    resend = "1m";
    QuickJvm jvm = QuickJvm.shared();
    Map<String, Instant> begins = new TreeMap<>();
    try (FakeAlertmanager server = new FakeAlertmanager(0)) {
      alertmanager = server;
      ServeProcess daemon = start(jvm);
      try {
        send(daemon, "y", Instant.now(), "\"job\":\"none\",", 1);
        Await.pause(Duration.ofSeconds(20)); // so far are there evaluations
        for (int i = 0; i < kills; i++) {
          Instant time = Instant.now().minusSeconds(15);
          ServeProcess current = daemon;
          Await.until(() -> hasEvaluated(current, time.plusSeconds(6)), "its times are evaluated");
          String job = "\"job\":\"j%d\",".formatted(i);
          begins.put("j" + i, time);
          send(daemon, "y", time, job, 10);
          send(daemon, "y", time.plusSeconds(5), job, 1);
          Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1, 2_000)));
          daemon.kill();
          daemon.close();
          daemon = start(jvm);
        }
        ServeProcess last = daemon;
        Await.until(() -> late(server).keySet().equals(begins.keySet()), "all are sent");
        String history = last.get("/v1/alerts/history?from=2h").body();
        for (Map.Entry<String, Instant> begin : begins.entrySet()) {
          Set<Instant> starts = late(server).getOrDefault(begin.getKey(), Set.of());
          assertEquals(1, starts.size(), "several starts of " + begin.getKey() + ": " + starts);
          Duration after = Duration.between(begin.getValue(), starts.iterator().next());
          assertTrue(!after.isNegative() && after.toMillis() <= 1_000, begin + ": " + starts);
          long changes =
              history.lines().filter(each -> each.contains(begin.getKey() + "\"")).count();
          assertEquals(2, changes, history);
        }
        assertEquals(0, daemon.stop(60), daemon.output());
      } finally {
        daemon.close();
      }
    }
  }

  /// The times at which alerts are said to have begun to fire, by job, in notices that they do.
  private static Map<String, Set<Instant>> late(FakeAlertmanager server) {
    Map<String, Set<Instant>> starts = new TreeMap<>();
    for (String body : server.bodies()) {
      for (MatchResult each : NOTICE.matcher(body).results().toList()) {
        Instant start = Instant.parse(each.group(2));
        if (Instant.parse(each.group(3)).isAfter(start.plusSeconds(30))) {
          starts.computeIfAbsent(each.group(1), _ -> new TreeSet<>()).add(start);
        }
      }
    }
    return starts;
  }

  /// True when the group was evaluated at a time or after it.
  private static boolean hasEvaluated(ServeProcess daemon, Instant time) {
    try {
      return values(daemon, "r[1m]").stream()
          .anyMatch(each -> Double.parseDouble(each.group(1)) >= time.getEpochSecond());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean hasEnded(ServeProcess daemon) {
    try {
      return daemon.get("/v1/alerts/history?from=2h").body().contains("\"to\":\"inactive\"");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void check(ServeProcess daemon, FakeAlertmanager server)
      throws IOException, InterruptedException {
    String history = daemon.get("/v1/alerts/history?from=2h").body();
    List<String> changes =
        history
            .lines()
            .map(line -> line.replaceAll(".*\"from\":\"(\\w+)\",\"to\":\"(\\w+)\".*", "$1>$2"))
            .toList();
    assertEquals(
        List.of("inactive>pending", "pending>firing", "firing>inactive"), changes, history);
    Set<String> active = new TreeSet<>();
    values(daemon, "ALERTS_FOR_STATE[2h]").forEach(each -> active.add(each.group(2)));
    assertEquals(1, active.size(), "activeAt moved: " + active);
    List<Long> times =
        values(daemon, "r[2h]").stream()
            .map(each -> Math.round(Double.parseDouble(each.group(1)) * 1_000))
            .toList();
    for (int i = 1; i < times.size(); i++) {
      assertEquals(1_000, times.get(i) - times.get(i - 1), "a recorded sample is missing");
    }
    Set<String> starts = new TreeSet<>();
    for (String body : server.bodies()) {
      STARTS.matcher(body).results().forEach(each -> starts.add(each.group(1)));
    }
    assertEquals(1, starts.size(), "notified as several alerts: " + starts);
    assertTrue(times.size() >= kills, "evaluations: " + times.size());
    System.out.printf(
        "seed %d: %d kills, %d evaluations, %d requests to the Alertmanager%n",
        seed, kills, times.size(), server.bodies().size());
  }
}
