package io.widerow.ingest.alert;

import static io.widerow.ingest.alert.RuleBed.MINUTE;
import static io.widerow.ingest.alert.RuleBed.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a backtest as seen over a month is the history, byte for byte, although samples were late
/// and the daemon was restarted. Method: a month of evaluations with a clock that the test moves.
/// `-Ddays=<n>` sets its days.
@Timeout(3_600)
@Tag("deep")
class BacktestMonthTest {
  private static final String RULES =
      """
      groups:
        - name: api
          interval: 1m
          rules:
            - record: job:errors:avg5m
              expr: avg by (job) (avg_over_time(errors[5m]))
            - alert: Errors
              expr: job:errors:avg5m > 5
              for: 3m
            - alert: Spread
              expr: max(errors) - min(errors) > 8
        - name: other
          interval: 5m
          rules:
            - alert: Peak
              expr: max_over_time(job:errors:avg5m[10m]) > 9
      """;

  @TempDir private Path directory = Path.of(".");

  @Test
  void theBacktestAsSeenIsTheHistory() throws IOException {
    long seed = Seeds.one();
    SplittableRandom random = new SplittableRandom(seed);
    int days = Slice.of("days", 1, 30);
    try (RuleBed bed = new RuleBed(directory, 2, 0, days)) {
      bed.file("api.yml", RULES);
      TreeMap<String, Double> values = new TreeMap<>();
      List.of("a", "b", "c").forEach(job -> values.put(job, 0.0));
      List<Runnable> late = new ArrayList<>();
      long began = System.nanoTime();
      for (long time = 0; time < 24L * 60 * MINUTE * days; time += MINUTE) {
        long millis = bed.start + time - 10 * SECOND;
        values.replaceAll(
            (_, value) -> random.nextInt(20) == 0 ? (double) random.nextInt(12) : value);
        TreeMap<String, Double> now = new TreeMap<>(values);
        if (random.nextInt(20) == 0) {
          late.add(() -> bed.samples("errors", millis, now));
        } else {
          bed.samples("errors", millis, now);
        }
        if (random.nextInt(30) == 0) {
          late.forEach(Runnable::run);
          late.clear();
        }
        bed.at(time);
        if (random.nextInt(3_000) == 0) {
          bed.restart();
        }
      }
      double lived = (System.nanoTime() - began) / 1e9;
      RuleFile file = RuleFile.parse("rules", RULES, false, MINUTE);
      List<String> history = new ArrayList<>();
      bed.engine.history(bed.start, bed.now, history::add);
      long evaluations = 3L * 24 * 60 * days + 24L * 12 * days;
      long asked = System.nanoTime();
      List<String> seen = new ArrayList<>();
      bed.engine.backtest(file, bed.start, bed.now, true, seen::add);
      long done = System.nanoTime();
      List<String> plain = new ArrayList<>();
      bed.engine.backtest(file, bed.start, bed.now, false, plain::add);
      long end = System.nanoTime();
      System.out.printf(
          "seed %d, %d days: %d changes; live %.0f s; as seen %.1f s, %.0f evaluations/s;"
              + " plain %.1f s, %.0f evaluations/s%n",
          seed,
          days,
          history.size(),
          lived,
          (done - asked) / 1e9,
          evaluations * 1e9 / (done - asked),
          (end - done) / 1e9,
          evaluations * 1e9 / (end - done));
      assertEquals(String.join("\n", history), String.join("\n", seen));
      assertFalse(seen.isEmpty());
      assertFalse(seen.equals(plain), "late samples change the past");
    }
  }
}
