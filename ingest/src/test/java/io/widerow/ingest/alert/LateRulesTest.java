package io.widerow.ingest.alert;

import static io.widerow.ingest.alert.RuleBed.MINUTE;
import static io.widerow.ingest.alert.RuleBed.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.ingest.FakeAlertmanager;
import io.widerow.ingest.config.AlertmanagerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: with `rules-late`, alerts and recorded series are in the end those that there would be if
/// every event had come in time; an alert that late events show is sent once, with its true start;
/// a backtest as seen remains the history. Method: a store, a clock and an executor that the test
/// moves. A random order of arrival, with restarts, is compared with a backtest over everything.
@Timeout(600)
class LateRulesTest {
  private static final long LATE = 10 * MINUTE;

  private static final String RULES =
      """
      groups:
        - name: api
          interval: 1m
          rules:
            - record: job:errors:sum
              expr: sum by (job) (errors)
            - record: job:errors:peak
              expr: max_over_time(job:errors:sum[3m])
            - alert: Errors
              expr: job:errors:sum > 5
              for: 2m
              keep_firing_for: 1m
              annotations: {summary: "{{ $labels.job }} has {{ $value }}"}
            - alert: Peak
              expr: job:errors:peak > 8
      """;

  private static final String LINES =
      """
      groups:
        - name: logs
          interval: 1m
          rules:
            - alert: Lines
              expr: sum by (job) (count_over_time({service_name="errors"}[2m])) > 3
      """;

  @TempDir private Path directory = Path.of(".");

  private static List<Long> seeds() {
    return Seeds.of(Slice.of(1, 20));
  }

  private static List<String> backtest(RuleBed bed, String rules, boolean logql, boolean asSeen) {
    List<String> lines = new ArrayList<>();
    RuleFile file = RuleFile.parse("rules", rules, logql, MINUTE);
    bed.engine.backtest(file, bed.start, bed.now, asSeen, lines::add);
    return lines;
  }

  /// The values of a metric at the times of evaluations.
  private static Map<Long, List<String>> values(RuleBed bed, String expression) {
    TreeMap<Long, List<String>> values = new TreeMap<>();
    long phase = Math.floorMod(RuleGroup.phase("api", MINUTE) - bed.start, MINUTE);
    for (long at = bed.start + phase; at < bed.now; at += MINUTE) {
      values.put(at, bed.query(expression, at));
    }
    return values;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theOrderOfArrivalDoesNotMatter(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    TreeMap<Long, List<Runnable>> arrivals = new TreeMap<>();
    try (RuleBed bed = new RuleBed(directory, random.nextInt(1, 4), LATE, 0)) {
      bed.file("api.yml", RULES);
      bed.file("loki/x/logs.yml", LINES);
      bed.until(0);
      for (String job : List.of("a", "b")) {
        double value = 0;
        for (long time = SECOND; time < 40 * MINUTE; time += 20 * SECOND) {
          value = random.nextInt(8) == 0 ? random.nextInt(12) : value;
          long millis = bed.start + time + random.nextInt(1_000);
          double sent = value;
          long delay = random.nextInt(6) == 0 ? random.nextLong(LATE - 2 * MINUTE) : 0;
          arrivals
              .computeIfAbsent(time + delay, _ -> new ArrayList<>())
              .add(() -> bed.sample("errors", millis, sent, "job", job));
        }
      }
      while (!arrivals.isEmpty()) {
        bed.until(arrivals.firstKey());
        arrivals.pollFirstEntry().getValue().forEach(Runnable::run);
        if (random.nextInt(40) == 0) {
          bed.restart();
        }
      }
      bed.until(bed.now - bed.start + 2 * MINUTE);
      String history = String.join("\n", bed.history());
      List<String> all = new ArrayList<>(backtest(bed, RULES, false, false));
      all.addAll(backtest(bed, LINES, true, false));
      all.sort(null);
      assertEquals(String.join("\n", all), history);
      assertFalse(all.isEmpty());
      List<String> seen = new ArrayList<>(backtest(bed, RULES, false, true));
      seen.addAll(backtest(bed, LINES, true, true));
      seen.sort(null);
      assertEquals(history, String.join("\n", seen));
      assertEquals(
          values(bed, "sum by (job) (errors)"), values(bed, "sum by (job) (job:errors:sum)"));
    }
  }

  private static List<String> told(FakeAlertmanager server) {
    return server.bodies().stream()
        .map(each ->
            each.replaceAll(
                ".*\"alertname\":\"(\\w+)\".*\"startsAt\":\"([^\"]*)\",\"endsAt\":\"([^\"]*)\".*",
                "$1 $2 $3"))
        .collect(Collectors.toList());
  }

  private static Instant at(RuleBed bed, long minutes) {
    long phase = Math.floorMod(RuleGroup.phase("api", MINUTE) - bed.start, MINUTE);
    return Instant.ofEpochMilli(bed.start + phase + minutes * MINUTE);
  }

  private static void sample(RuleBed bed, int minute, double value) {
    bed.sample("errors", at(bed, minute).toEpochMilli() - SECOND, value, "job", "a");
  }

  /// The alert is over when the events that show it arrive.
  @Test
  void aLateAlertIsSentOnceWithItsTrueStart() throws IOException {
    String rules = RULES.substring(0, RULES.indexOf("      - alert: Peak"));
    try (FakeAlertmanager server = new FakeAlertmanager(0);
        RuleBed bed = new RuleBed(directory, 1, LATE, 0, AlertmanagerAddress.parse(server.url()))) {
      bed.file("api.yml", rules);
      for (int minute = 0; minute < 12; minute++) {
        if (minute < 2 || minute > 5) {
          sample(bed, minute, 1);
        }
      }
      bed.until(at(bed, 8).toEpochMilli() - bed.start + SECOND);
      for (int minute = 2; minute < 6; minute++) {
        sample(bed, minute, 9);
      }
      assertEquals(List.of(), bed.history());
      bed.until(at(bed, 9).toEpochMilli() - bed.start + SECOND);
      Await.until(() -> server.bodies().size() == 1, "it is sent");
      String first = "Errors %s %s".formatted(at(bed, 4), Instant.ofEpochMilli(bed.now + MINUTE));
      assertEquals(List.of(first), told(server));
      bed.restart(); // it may be that it was not sent
      bed.until(at(bed, 9).toEpochMilli() - bed.start + 40 * SECOND);
      Await.until(() -> server.bodies().size() == 2, "it is sent again");
      String again = told(server).getLast();
      assertTrue(again.startsWith("Errors %s ".formatted(at(bed, 4))), again);
      bed.until(at(bed, 12).toEpochMilli() - bed.start + SECOND);
      Await.until(() -> server.bodies().size() == 3, "its end is sent");
      assertEquals("Errors %s %s".formatted(at(bed, 4), at(bed, 7)), told(server).getLast());
      bed.restart();
      bed.until(at(bed, 14).toEpochMilli() - bed.start);
      assertEquals(
          List.of(at(bed, 2), at(bed, 4), at(bed, 7)),
          bed.history().stream()
              .map(each -> Instant.parse(each.replaceAll(".*\"ts\":\"([^\"]*)\".*", "$1")))
              .toList());
    }
  }
}
