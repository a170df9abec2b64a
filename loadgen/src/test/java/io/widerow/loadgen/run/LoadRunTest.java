package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FinalTable;
import io.widerow.loadgen.report.RunReport;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.FakeTarget;
import io.widerow.loadgen.wire.NullSink;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: the results are as a user of the target would have seen them. Method: a target that
/// behaves badly in a known way, and what a run says of it.
class LoadRunTest {
  private static final long FROM_NANOS = 1_795_000_000L * Quantity.SECOND;
  private static final long STALL_MILLIS = 400;

  private static Workload workload() {
    return new Workload(Scenario.ACCESS, 7, 10, 100, 1, 1, 10, 0, 0, 0, FROM_NANOS, 1_000);
  }

  private static Pace pace(double rate, long durationMillis, int connections) {
    return new Pace(
        rate, 0, durationMillis * Quantity.MILLI, Long.MAX_VALUE, connections, 5 * Quantity.SECOND);
  }

  private static RunResult run(Endpoint endpoint, Pace pace) throws InterruptedException {
    Workload workload = workload();
    BatchPool pool = BatchPool.prepare(workload, endpoint.target(), pace.connections());
    return new LoadRun(endpoint, workload, pace, pool, 0, AckListener.NONE, RunWatcher.NONE)
        .execute();
  }

  @Test
  void stallShowsInEveryBatchThatHadToWaitForIt() throws Exception {
    try (FakeTarget target = new FakeTarget().stallingOnce(50, STALL_MILLIS)) {
      // One connection, a batch every 10 ms: the stall holds up some 40 of 100 batches.
      RunResult result = run(target.endpoint(Target.WIDEROW_TEXT), pace(1_000, 1_000, 1));

      assertEquals(1_000, result.events());
      assertTrue(
          result.response().getValueAtPercentile(80) > STALL_MILLIS / 3 * Quantity.MILLI,
          "response p80 " + result.response().getValueAtPercentile(80));
      assertTrue(
          result.service().getCountAtValue(result.service().getMaxValue()) == 1,
          "only one batch was slow itself");
      assertTrue(result.queuedBatches() > 20, "queued " + result.queuedBatches());
    }
  }

  @Test
  void openScheduleSendsAllThatItAsksFor() throws Exception {
    try (FakeTarget target = new FakeTarget()) {
      RunResult result = run(target.endpoint(Target.WIDEROW_TEXT), pace(2_000, 500, 2));

      assertEquals(1_000, result.events());
      assertEquals(100, result.response().getTotalCount());
      assertEquals(sequences(0, 1_000), sequencesOf(target.bodies));
    }
  }

  @Test
  void eventLimitEndsAClosedRun() throws Exception {
    try (FakeTarget target = new FakeTarget()) {
      Pace pace = new Pace(0, 0, 20 * Quantity.SECOND, 200, 3, Quantity.SECOND);
      RunResult result = run(target.endpoint(Target.WIDEROW_JSON), pace);

      assertEquals(200, result.events());
      assertEquals(0, result.failedBatches(), result.failures().toString());
    }
  }

  @Test
  void refusalsAreCountedByKind() throws Exception {
    try (FakeTarget target = new FakeTarget().answering(400)) {
      RunResult result = run(target.endpoint(Target.WIDEROW_TEXT), pace(1_000, 200, 1));
      assertEquals(Set.of(Failure.REFUSED), result.failures().keySet());
      assertEquals(0, result.events());
    }
  }

  @Test
  void targetThatIsDownIsCounted() throws Exception {
    Endpoint nobody;
    try (FakeTarget target = new FakeTarget()) {
      nobody = target.endpoint(Target.WIDEROW_TEXT);
    }
    RunResult result = run(nobody, pace(1_000, 200, 1));
    assertEquals(Set.of(Failure.DOWN), result.failures().keySet());
    WrongAnswer nothing =
        assertThrows(WrongAnswer.class, () -> result.requireEvents("nobody"), "no figures of it");
    assertTrue(String.valueOf(nothing.getMessage()).contains("down"), nothing::toString);
  }

  @Test
  void slowAnswersEndAtTheTimeout() throws Exception {
    try (FakeTarget target = new FakeTarget().stallingOnce(2, 60_000)) {
      Pace pace = new Pace(100, 0, 500 * Quantity.MILLI, 50, 1, 200 * Quantity.MILLI);
      RunResult result = run(target.endpoint(Target.WIDEROW_TEXT), pace);
      assertTrue(result.failures().containsKey(Failure.SLOW), result.failures().toString());
      assertEquals("no response within 200.0 ms", result.failureExample());
    }
  }

  @Test
  void nullSinkShowsTheToolsOwnLimit() throws Exception {
    try (NullSink sink = new NullSink()) {
      Endpoint endpoint = new Endpoint(Target.NULL, "127.0.0.1", sink.port(), null, null);
      RunResult result = run(endpoint, pace(0, 300, 1));
      assertEquals(0, result.failedBatches());
      assertTrue(result.events() > 0);
      RunReport report =
          new RunReport(
              "null", "", endpoint, workload(), pace(0, 300, 1), result, Costs.UNKNOWN, false);
      System.out.println(FinalTable.render(report));
    }
  }

  private static Set<Long> sequences(long from, long until) {
    Set<Long> all = new TreeSet<>();
    for (long i = from; i < until; i++) {
      all.add(i);
    }
    return all;
  }

  private static Set<Long> sequencesOf(List<String> bodies) {
    Pattern sequence = Pattern.compile("seq=(\\d{13})");
    Set<Long> found = new TreeSet<>();
    for (String body : bodies) {
      Matcher matcher = sequence.matcher(body);
      while (matcher.find()) {
        found.add(Long.parseLong(matcher.group(1)) - Stamp.SEQUENCE_BASE);
      }
    }
    return found;
  }
}
