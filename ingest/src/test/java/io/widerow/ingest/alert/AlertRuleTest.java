package io.widerow.ingest.alert;

import static io.widerow.ingest.alert.RuleBed.MINUTE;
import static io.widerow.ingest.alert.RuleBed.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.alert.AlertState.Kind;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a rule that the store keeps fires exactly while the aggregate of each step has exceeded
/// its threshold for long enough; restarts change nothing, and otherwise the state is unknown.
/// Method: a real store, a clock and an executor that the test moves.
@Timeout(300)
class AlertRuleTest {
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

  private void send(long millis, long status, int count) {
    send(millis, "status", status, count);
  }

  private void send(long millis, String name, long value, int count) {
    for (int i = 0; i < count; i++) {
      bed.event("http", bed.start + millis + i, name, value);
    }
  }

  /// A pipeline too, whether the rule names types or not.
  @Test
  void aRuleWatchesFieldsOfTexts() {
    String where = "| parse attributes.none as logfmt | status >= 500";
    set("typed", "type", "http", "where", where, "stats", "count", "above", "2");
    set("every", "where", where, "stats", "count", "above", "2");
    set("first", "where", "status < 900 " + where, "stats", "count", "above", "2");
    set("either", "where", "status = 7 or status = 500", "stats", "count", "above", "2");
    send(0, 500, 3);
    send(1_000, 200, 3);
    for (String name : List.of("typed", "every", "first", "either")) {
      assertEquals("3", text(at(name, MINUTE + 2 * SECOND)), name);
    }
  }

  @Test
  void aRuleWatchesLevels() {
    set("errors", "where", "level >= error", "stats", "count", "above", "1");
    send(0, "severity", 3, 1);
    send(1_000, "severity", 6, 1);
    assertEquals("1", text(at("errors", MINUTE + 2 * SECOND)), "6 is info");
    send(2_000, "severity", 2, 1);
    assertEquals(Kind.QUIET, at("errors", MINUTE + 2 * SECOND).kind(), "evaluated already");
    send(MINUTE, "severity", 3, 1);
    send(MINUTE + 1_000, "severity", 0, 1);
    assertEquals(Kind.FIRING, at("errors", 2 * MINUTE + 2 * SECOND).kind());
  }

  private static Map<String, List<String>> parameters(String... words) {
    Map<String, List<String>> all = new HashMap<>();
    for (int i = 0; i < words.length; i += 2) {
      all.put(words[i], List.of(words[i + 1]));
    }
    return all;
  }

  private void set(String name, String... words) {
    bed.engine.set(AlertRule.parse(name, parameters(words), bed.now * 1_000_000));
  }

  private AlertState state(String name) {
    return bed.engine.ofStore().stream()
        .filter(ruled -> ruled.rule().name().equals(name))
        .findFirst()
        .orElseThrow()
        .state();
  }

  /// The state of a rule when the clock is so far past the start.
  private AlertState at(String name, long millis) {
    bed.at(millis);
    return state(name);
  }

  private static String text(AlertState state) {
    return Objects.requireNonNullElse(state.value(), Cell.MISSING).text();
  }

  /// A machine that begins a month ahead, until its time server answers.
  @Test
  void aClockThatIsSetBackEndsNoRule() {
    set("errors", "type", "http", "stats", "count", "above", "2");
    assertEquals(Kind.QUIET, at("errors", 30 * 24 * 60 * MINUTE).kind());
    send(0, 500, 3);
    bed.now = bed.start + MINUTE + 2 * SECOND;
    assertEquals(Kind.UNKNOWN, state("errors").kind(), "not evaluated since");
    assertEquals(Kind.FIRING, at("errors", MINUTE + 2 * SECOND).kind());
  }

  @Test
  void firesWhenAllStepsAreBeyondAndNoLonger() {
    set(
        "errors",
        "type",
        "http",
        "where",
        "status >= 500",
        "stats",
        "count",
        "above",
        "2",
        "for",
        "3m");
    assertEquals(Kind.UNKNOWN, state("errors").kind(), "not evaluated yet");
    for (int minute = 0; minute < 3; minute++) {
      send(minute * MINUTE, 500, 3);
      send(minute * MINUTE, 200, 50);
    }
    assertEquals(Kind.QUIET, at("errors", 2 * MINUTE + 2 * SECOND).kind(), "two of three");
    assertEquals(Kind.QUIET, at("errors", 3 * MINUTE + 2 * SECOND - 1).kind(), "not passed");
    AlertState firing = at("errors", 3 * MINUTE + 2 * SECOND);
    assertEquals(Kind.FIRING, firing.kind());
    assertEquals("3", text(firing));
    assertEquals(bed.start + 2 * MINUTE, Objects.requireNonNull(firing.stepNanos()) / 1_000_000);
    AlertState quiet = at("errors", 4 * MINUTE + 2 * SECOND);
    assertEquals(Kind.QUIET, quiet.kind(), "a step without events counts 0");
    assertEquals("0", text(quiet));
  }

  @Test
  void atTheThresholdItIsQuiet() {
    set("above", "stats", "count", "above", "3");
    set("below", "stats", "count", "below", "3");
    set("max", "stats", "max(status)", "above", "100", "type", "nothing");
    set("less", "stats", "max(status)", "below", "100", "type", "nothing");
    send(0, 200, 3);
    assertEquals(Kind.QUIET, at("above", MINUTE + 2 * SECOND).kind());
    assertEquals(Kind.QUIET, at("below", MINUTE + 2 * SECOND).kind());
    assertEquals(Kind.QUIET, at("max", MINUTE + 2 * SECOND).kind(), "no event, no figure");
    assertEquals("", text(at("less", MINUTE + 2 * SECOND)));
    assertEquals(Kind.QUIET, at("less", MINUTE + 2 * SECOND).kind());
    assertEquals(Kind.FIRING, at("below", 2 * MINUTE + 2 * SECOND).kind(), "0 is below 3");
  }

  @Test
  void aRelativeTimeCountsFromTheEndOfTheStep() {
    set("early", "type", "http", "where", "ts < 30s", "stats", "count", "above", "2");
    for (int minute = 0; minute < 3; minute++) {
      send(minute * MINUTE, 500, minute);
      send(minute * MINUTE + 31 * SECOND, 500, 50);
    }
    assertEquals("0", text(at("early", MINUTE + 2 * SECOND)));
    assertEquals("1", text(at("early", 2 * MINUTE + 2 * SECOND)));
    assertEquals("2", text(at("early", 3 * MINUTE + 2 * SECOND)));
    bed.restart();
    send(3 * MINUTE, 500, 4);
    assertEquals("4", text(at("early", 4 * MINUTE + 2 * SECOND)), "after a restart, too");
  }

  @Test
  void rulesOutliveARestartAndSayTheSame() {
    set(
        "errors",
        "type",
        "h*",
        "where",
        "status >= 500",
        "stats",
        "count",
        "above",
        "2",
        "for",
        "2m");
    send(0, 503, 3);
    send(MINUTE, 503, 3);
    assertEquals(Kind.FIRING, at("errors", 2 * MINUTE + 2 * SECOND).kind());
    AlertState before = state("errors");
    bed.restart();
    assertEquals(Kind.UNKNOWN, state("errors").kind());
    send(2 * MINUTE, 503, 3);
    AlertState after = at("errors", 3 * MINUTE + 2 * SECOND);
    assertEquals(Kind.FIRING, after.kind());
    assertEquals(
        Objects.requireNonNull(before.stepNanos()) + MINUTE * 1_000_000, after.stepNanos());
    assertEquals(2, bed.history().size(), "pending and firing, once");
    bed.engine.unset("errors");
    assertEquals(List.of(), bed.engine.ofStore());
    assertThrows(IllegalArgumentException.class, () -> bed.engine.unset("errors"));
  }

  @Test
  void oneThatIsOverdueIsUnknown() {
    set("errors", "stats", "count", "above", "0");
    assertEquals(Kind.QUIET, at("errors", 2 * SECOND).kind());
    bed.now += 3 * MINUTE;
    assertEquals(Kind.QUIET, state("errors").kind(), "late, not overdue");
    bed.now += 2 * MINUTE;
    AlertState overdue = state("errors");
    assertEquals(Kind.UNKNOWN, overdue.kind());
    assertTrue(
        String.valueOf(overdue.why()).startsWith("it was not evaluated for "), overdue.why());
    assertEquals(Kind.QUIET, at("errors", 6 * MINUTE).kind());
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    refused("stats: is missing", "above", "1");
    refused("above: is missing", "stats", "count");
    refused("above: must be a number, got many", "stats", "count", "above", "many");
    refused("below: must be a number, got NaN", "stats", "count", "below", "NaN");
    refused(
        "stats: an alert rule has one aggregate, got count,max(x)",
        "stats",
        "count,max(x)",
        "above",
        "1");
    refused(
        "for: must be 1 to 1000 times every, got 90s",
        "stats",
        "count",
        "above",
        "1",
        "for",
        "90s");
    refused(
        "every: must be at least 1s, got 10ms", "stats", "count", "above", "1", "every", "10ms");
    refused("by: no such parameter", "stats", "count", "above", "1", "by", "host");
    refused("where: ", "stats", "count", "above", "1", "where", "status >");
    var name =
        assertThrows(
            IllegalArgumentException.class,
            () -> AlertRule.parse("a b", parameters("stats", "count", "above", "1"), 0));
    assertTrue(String.valueOf(name.getMessage()).startsWith("name: one word"), name.getMessage());
    assertEquals(List.of(), bed.engine.ofStore());
  }

  private void refused(String why, String... words) {
    var refused =
        assertThrows(
            QueryException.Refused.class,
            () -> AlertRule.parse("r", parameters(words), bed.now * 1_000_000),
            () -> Arrays.toString(words));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused.getMessage());
  }

  @Test
  void definitionOutlivesItsTextWithSignsInIt() {
    Map<String, List<String>> all =
        new HashMap<>(parameters("stats", "count", "above", "1", "where", "a = \"x&y=ä+ %\""));
    all.put("type", List.of("http*", "nginx?"));
    AlertRule rule = AlertRule.parse("r", all, bed.now * 1_000_000);
    assertEquals(rule, AlertRule.of(rule.saved(), bed.now * 1_000_000));
  }
}
