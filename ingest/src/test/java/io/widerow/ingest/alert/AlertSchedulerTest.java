package io.widerow.ingest.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.alert.AlertState.Kind;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.aggregation.Cell;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a rule fires exactly while the aggregate of each step has exceeded its threshold for long
/// enough; late events count, restarts change nothing, and otherwise the state is unknown. Method:
/// a real store, a clock and an executor that the test moves.
@Timeout(300)
class AlertSchedulerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  @TempDir private Path directory = Path.of(".");

  private final long start =
      Math.floorDiv(Instant.now().getEpochSecond(), 60) * MINUTE - 60 * MINUTE;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final QueryMemory memory = new QueryMemory(1 << 24);
  private EventStore store;
  private AlertScheduler watch;
  private long now = start;

  @BeforeEach
  void open() {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.toString(), "lanes", "1", "disk-reserve-bytes", "0"));
    store = LocalStore.open(config);
    watch = new AlertScheduler(store, memory, () -> now, tasks::add);
  }

  @AfterEach
  void close() {
    store.close();
    assertEquals(0, memory.bytesUsed());
  }

  private void send(long nanos, long status, int count) {
    send(nanos, "status", status, count);
  }

  private void send(long nanos, String name, long value, int count) {
    byte[] text = ("http" + name).getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 10, 1 << 20)) {
      for (int i = 0; i < count; i++) {
        batch.begin(text, 0, 4, nanos + i * 1_000L);
        batch.putLong(text, 4, name.length(), value);
        assertNull(batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.DISK);
    }
  }

  @Test
  void aRuleWatchesLevels() {
    set("errors", "where", "level >= error", "stats", "count", "above", "1");
    send(start, "severity", 3, 1);
    send(start + 1_000, "severity", 6, 1);
    assertEquals("1", text(at("errors", MINUTE + 2 * SECOND)), "6 is info");
    send(start + 2_000, "severity", 2, 1);
    assertEquals(Kind.QUIET, at("errors", MINUTE + 2 * SECOND).kind(), "evaluated already");
    send(start + MINUTE, "severity", 3, 1);
    send(start + MINUTE + 1_000, "severity", 0, 1);
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
    watch.set(AlertRule.parse(name, parameters(words), now));
  }

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  /// What a rule says when the clock is so far past the start.
  private AlertState at(String name, long nanos) {
    now = start + nanos;
    watch.tick();
    run();
    return watch.all().stream()
        .filter(ruled -> ruled.rule().name().equals(name))
        .findFirst()
        .orElseThrow()
        .state();
  }

  private static String text(AlertState state) {
    return Objects.requireNonNullElse(state.value(), Cell.MISSING).text();
  }

  /// A machine that begins a month ahead, until its time server answers.
  @Test
  void aClockThatIsSetBackEndsNoRule() {
    set("errors", "type", "http", "stats", "count", "above", "2");
    assertEquals(Kind.QUIET, at("errors", 30 * 24 * 60 * MINUTE).kind());
    send(start, 500, 3);
    now = start + MINUTE + 2 * SECOND;
    assertEquals(Kind.UNKNOWN, watch.all().getFirst().state().kind(), "not evaluated since");
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
    assertEquals(Kind.UNKNOWN, watch.all().getFirst().state().kind(), "not evaluated yet");
    for (int minute = 0; minute < 3; minute++) {
      send(start + minute * MINUTE, 500, 3);
      send(start + minute * MINUTE, 200, 50);
    }
    assertEquals(Kind.QUIET, at("errors", 2 * MINUTE + 2 * SECOND).kind(), "two of three");
    assertEquals(Kind.QUIET, at("errors", 3 * MINUTE + 2 * SECOND - 1).kind(), "not passed");
    AlertState firing = at("errors", 3 * MINUTE + 2 * SECOND);
    assertEquals(Kind.FIRING, firing.kind());
    assertEquals("3", text(firing));
    assertEquals(start + 2 * MINUTE, firing.stepNanos());
    AlertState quiet = at("errors", 4 * MINUTE + 2 * SECOND);
    assertEquals(Kind.QUIET, quiet.kind(), "a step without events counts 0");
    assertEquals("0", text(quiet));
    send(start + 3 * MINUTE, 500, 3);
    send(start + 4 * MINUTE, 500, 3);
    assertEquals(Kind.FIRING, at("errors", 5 * MINUTE + 2 * SECOND).kind(), "late events count");
  }

  @Test
  void atTheThresholdItIsQuiet() {
    set("above", "stats", "count", "above", "3");
    set("below", "stats", "count", "below", "3");
    set("max", "stats", "max(status)", "above", "100", "type", "nothing");
    set("less", "stats", "max(status)", "below", "100", "type", "nothing");
    send(start, 200, 3);
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
      send(start + minute * MINUTE, 500, minute);
      send(start + minute * MINUTE + 31 * SECOND, 500, 50);
    }
    assertEquals("0", text(at("early", MINUTE + 2 * SECOND)));
    assertEquals("1", text(at("early", 2 * MINUTE + 2 * SECOND)));
    assertEquals("2", text(at("early", 3 * MINUTE + 2 * SECOND)));
    close();
    open();
    assertEquals("2", text(at("early", 3 * MINUTE + 2 * SECOND)), "after a restart, too");
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
    send(start, 503, 3);
    send(start + MINUTE, 503, 3);
    assertEquals(Kind.FIRING, at("errors", 2 * MINUTE + 2 * SECOND).kind());
    List<AlertScheduler.Ruled> before = watch.all();
    close();
    open();
    assertEquals(Kind.UNKNOWN, watch.all().getFirst().state().kind());
    assertEquals(Kind.FIRING, at("errors", 2 * MINUTE + 2 * SECOND).kind());
    assertEquals(before, watch.all());
    watch.unset("errors");
    assertEquals(List.of(), watch.all());
    assertThrows(IllegalArgumentException.class, () -> watch.unset("errors"));
  }

  @Test
  void eachStepIsEvaluatedOnceAndOneThatIsOverdueIsUnknown() {
    set("busy", "stats", "count", "above", "0");
    assertEquals(1, tasks.size(), "at once");
    watch.tick();
    assertEquals(1, tasks.size(), "one at a time");
    run();
    watch.tick();
    assertEquals(0, tasks.size(), "no step has passed since");
    now += 3 * MINUTE;
    watch.tick();
    assertEquals(Kind.QUIET, watch.all().getFirst().state().kind(), "late, not overdue");
    now += 2 * MINUTE;
    AlertState overdue = watch.all().getFirst().state();
    assertEquals(Kind.UNKNOWN, overdue.kind());
    assertTrue(
        String.valueOf(overdue.why()).startsWith("it was not evaluated for "), overdue.why());
    run();
    assertEquals(Kind.QUIET, watch.all().getFirst().state().kind());
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
    assertEquals(List.of(), watch.all());
  }

  private void refused(String why, String... words) {
    var refused =
        assertThrows(
            QueryException.Refused.class,
            () -> AlertRule.parse("r", parameters(words), now),
            () -> Arrays.toString(words));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused.getMessage());
  }

  @Test
  void definitionOutlivesItsTextWithSignsInIt() {
    Map<String, List<String>> all =
        new HashMap<>(parameters("stats", "count", "above", "1", "where", "a = \"x&y=ä+ %\""));
    all.put("type", List.of("http*", "nginx?"));
    AlertRule rule = AlertRule.parse("r", all, now);
    assertEquals(rule, AlertRule.of(rule.saved(), now));
  }
}
