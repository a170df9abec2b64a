package io.widerow.ingest.alert;

import static io.widerow.ingest.alert.RuleBed.MINUTE;
import static io.widerow.ingest.alert.RuleBed.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: rules of files are evaluated at fixed times, their results are stored once, and a restart
/// changes neither `for` nor recorded series. Method: a real store, a clock and an executor that
/// the test moves; series and states are read back from the store.
@Timeout(300)
class AlertEngineTest {
  private static final Pattern TIME = Pattern.compile("\"ts\":\"([^\"]*)\"");

  private static final String RULES =
      """
      groups:
        - name: api
          interval: 1m
          rules:
            - record: job:errors:sum
              expr: sum by (job) (errors)
            - alert: Errors
              expr: job:errors:sum > 5
              for: 3m
              labels: {severity: "{{ if gt $value 8.0 }}page{{ else }}ticket{{ end }}"}
              annotations:
                summary: "{{ $labels.job }} has {{ $value }}"
      """;

  @TempDir private Path directory = Path.of(".");
  private RuleBed bed;

  @BeforeEach
  void open() throws IOException {
    bed = new RuleBed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  /// Time of an evaluation of the group `api`, after so many whole minutes.
  private long evaluation(int minutes) {
    long phase = Math.floorMod(RuleGroup.phase("api", MINUTE) - bed.start, MINUTE);
    return minutes * MINUTE + phase;
  }

  /// One sample a minute of each of two instances, up to a time.
  private void samples(int fromMinute, int untilMinute, double value) {
    for (int minute = fromMinute; minute < untilMinute; minute++) {
      long millis = bed.start + evaluation(minute) - SECOND;
      bed.sample("errors", millis, value / 2, "job", "a", "instance", "1");
      bed.sample("errors", millis, value / 2, "job", "a", "instance", "2");
    }
  }

  private List<String> changes() {
    return bed.history().stream()
        .map(line ->
            line.replaceAll(
                ".*\"alert\":\"(\\w+)\".*\"from\":\"(\\w+)\",\"to\":\"(\\w+)\".*", "$2>$3"))
        .toList();
  }

  private List<Long> times() {
    return bed.history().stream()
        .map(line -> {
          Matcher time = TIME.matcher(line);
          assertTrue(time.find(), line);
          return java.time.Instant.parse(time.group(1)).toEpochMilli() - bed.start;
        })
        .toList();
  }

  @Test
  void anAlertIsPendingThenFiresThenEnds() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 6, 10);
    samples(6, 12, 2);
    bed.until(evaluation(10));
    assertEquals(List.of("inactive>pending", "pending>firing", "firing>inactive"), changes());
    assertEquals(List.of(evaluation(0), evaluation(3), evaluation(6)), times());
    assertTrue(
        bed.history().getFirst().contains("\"severity\":\"page\""), bed.history().toString());
    long at = bed.start + evaluation(4);
    assertEquals(List.of("{__name__=job:errors:sum, job=a} 10.0"), bed.query("job:errors:sum", at));
    assertEquals(
        List.of("{__name__=ALERTS, alertname=Errors, alertstate=firing, job=a, severity=page} 1.0"),
        bed.query("ALERTS", at));
    assertEquals(
        List.of(
            "{__name__=ALERTS_FOR_STATE, alertname=Errors, job=a, severity=page} "
                + (double) Math.floorDiv(bed.start + evaluation(0), 1_000L)),
        bed.query("ALERTS_FOR_STATE", at));
    assertEquals(List.of(), bed.query("ALERTS", bed.start + evaluation(7)), "ended by a marker");
    assertEquals(
        List.of("{job=a} 10.0"),
        bed.query("sum by (job) (count_over_time(job:errors:sum[20m]))", bed.now).stream()
            .map(each -> each.replace("11.0", "10.0"))
            .toList());
  }

  @Test
  void restartsChangeNothing() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 20, 10);
    for (int minute = 0; minute < 12; minute++) {
      bed.until(evaluation(minute) + 5 * SECOND);
      bed.restart();
    }
    bed.now = bed.start + evaluation(15);
    bed.restart();
    bed.until(evaluation(16));
    assertEquals(List.of("inactive>pending", "pending>firing"), changes());
    assertEquals(List.of(evaluation(0), evaluation(3)), times());
    assertEquals(
        List.of("{job=a} 17.0"),
        bed.query(
            "sum by (job) (count_over_time(job:errors:sum[20m]))", bed.start + evaluation(16)),
        "no evaluation is missing or stored twice");
  }

  @Test
  void aBadFileLeavesItsFormerVersionInForce() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 9, 10);
    bed.until(evaluation(2));
    bed.file("api.yml", RULES.replace("for:", "fro:"));
    assertEquals(
        List.of("api.yml: line 9: field fro not found in type rulefmt.Rule"),
        bed.engine.problems());
    bed.until(evaluation(4));
    assertEquals(List.of("inactive>pending", "pending>firing"), changes());
    bed.file("api.yml", RULES.replace("3m", "30m"));
    assertEquals(List.of(), bed.engine.problems());
    bed.until(evaluation(6));
    assertEquals(2, changes().size(), "an alert that fires is not pending again");
  }

  @Test
  void aRuleThatGoesEndsItsSeries() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 9, 10);
    bed.until(evaluation(4));
    assertEquals(1, bed.query("ALERTS", bed.now).size());
    bed.file("api.yml", RULES.substring(0, RULES.indexOf("      - alert")));
    bed.until(evaluation(5));
    assertEquals(List.of(), bed.query("ALERTS", bed.now));
    assertEquals(1, bed.query("job:errors:sum", bed.now).size());
  }

  @Test
  void theBacktestHasTheTransitionsOfTheLiveRun() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 6, 10);
    samples(6, 9, 2);
    samples(9, 20, 7);
    bed.until(evaluation(16));
    List<String> lines = new ArrayList<>();
    RuleFile file = RuleFile.parse("rules", RULES, false, MINUTE);
    bed.engine.backtest(file, bed.start, bed.now, false, lines::add);
    assertEquals(String.join("\n", bed.history()), String.join("\n", lines));
    assertFalse(lines.isEmpty());
  }

  @Test
  void rulesOverLogsAreLogql() throws IOException {
    bed.file(
        "loki/team/logs.yml",
        """
        groups:
          - name: api
            rules:
              - alert: Many
                expr: sum(count_over_time({service_name="errors"}[5m])) > 3
        """);
    samples(0, 3, 1);
    bed.until(evaluation(3));
    assertEquals(
        List.of("inactive>firing"),
        changes(),
        () ->
            bed.engine.problems()
                + new RuleApi(bed.engine)
                    .rules(new RuleApi.Selection("", List.of(), List.of(), List.of(), true, true)));
  }

  @Test
  void asSeenTheBacktestIsTheHistoryAlsoWithLateEvents() throws IOException {
    bed.file("api.yml", RULES);
    samples(0, 4, 10);
    bed.until(evaluation(5));
    bed.sample("errors", bed.start + evaluation(4) - SECOND, 1, "job", "a", "instance", "1");
    bed.sample("errors", bed.start + evaluation(4) - SECOND, 1, "job", "a", "instance", "2");
    samples(6, 12, 8);
    bed.until(evaluation(14));
    RuleFile file = RuleFile.parse("rules", RULES, false, MINUTE);
    List<String> seen = new ArrayList<>();
    bed.engine.backtest(file, bed.start, bed.now, true, seen::add);
    assertEquals(String.join("\n", bed.history()), String.join("\n", seen));
    List<String> now = new ArrayList<>();
    bed.engine.backtest(file, bed.start, bed.now, false, now::add);
    assertFalse(now.equals(seen), "the late events change the past");
  }
}
