package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: what leaves by any moment is the integral of the rate up to it, however long the run.
/// Method: take every batch of a schedule and count those due, against the integral in closed form.
class ScheduleTest {
  private static final long START_NANOS = 123_456_789_012L;

  private static List<Long> times(Schedule schedule) {
    List<Long> times = new ArrayList<>();
    for (long batch = schedule.take(); batch != Schedule.OVER; batch = schedule.take()) {
      times.add(schedule.intendedNanos(batch, -1));
    }
    return times;
  }

  /// Events that are due `seconds` after the start.
  private static double due(Rate rate, double warmup, double duration, double seconds) {
    double ramped = Math.max(0, seconds - warmup);
    double steepness = (rate.untilPerSecond() - rate.fromPerSecond()) / duration;
    return rate.fromPerSecond() * seconds + steepness * ramped * ramped / 2;
  }

  @ParameterizedTest
  @CsvSource({
    "10k..200k, 0, 60, 1000",
    "10k..200k, 3, 60, 1000",
    "200k..1k, 2, 30, 100",
    "1..5, 1, 100, 1",
    "100k..100001, 1, 10, 100",
    "7k, 2, 50, 100"
  })
  void whatIsDueIsTheIntegralOfTheRate(String text, int warmup, int duration, int batch) {
    Rate rate = Rate.parse(text);
    Schedule schedule =
        Schedule.open(
            START_NANOS,
            warmup * Quantity.SECOND,
            duration * Quantity.SECOND,
            rate,
            batch,
            Long.MAX_VALUE);
    List<Long> times = times(schedule);
    double planned = due(rate, warmup, duration, warmup + duration);
    assertEquals((long) Math.ceil(planned / batch), times.size());
    for (int number = 0; number < times.size(); number++) {
      double seconds = (times.get(number) - START_NANOS) / (double) Quantity.SECOND;
      // A nanosecond's worth of events, and what rounding of 64-bit numbers may add.
      double slack = Math.max(rate.fromPerSecond(), rate.untilPerSecond()) * 2e-9 + planned * 1e-12;
      assertEquals(
          (double) number * batch, due(rate, warmup, duration, seconds), slack, "batch " + number);
      assertTrue(number == 0 || times.get(number) >= times.get(number - 1), "batch " + number);
    }
    assertTrue(times.getLast() < schedule.untilNanos, "the last leaves before the end");
    assertTrue(schedule.isMeasured(schedule.measuredFirstNanos()));
    double mean = rate.meanPerSecond();
    assertEquals(mean, schedule.plannedPerSecond(), mean * 2 * batch / (mean * duration) + 1e-6);
  }

  @Test
  void evenRateDoesNotDriftInADay() {
    Schedule schedule =
        Schedule.open(
            START_NANOS, 0, 86_400 * Quantity.SECOND, Rate.even(3_000), 1_000, Long.MAX_VALUE);
    assertEquals(
        (double) (START_NANOS + 86_399 * Quantity.SECOND),
        (double) schedule.intendedNanos(259_197, 0),
        1,
        "nanoseconds");
  }

  @Test
  void slowScheduleThatIsKeptIsSaidToBeKept() {
    Schedule schedule =
        Schedule.open(
            START_NANOS, 250 * Quantity.MILLI, Quantity.SECOND, Rate.even(73), 10, Long.MAX_VALUE);
    long measured = times(schedule).stream().filter(schedule::isMeasured).count();
    long elapsedNanos = schedule.plannedEndNanos() - schedule.measuredFirstNanos();
    Histogram none = RunCounters.histogram();
    RunResult result =
        new RunResult(
            schedule.plannedPerSecond(),
            measured * 10,
            0,
            elapsedNanos,
            0,
            Map.of(),
            "",
            none,
            none,
            none,
            0,
            List.of());
    assertEquals(73, result.eventsPerSecond(), 1e-3);
    assertTrue(result.isRateKept());
  }

  @Test
  void stagesAndRampsAreParsed() {
    assertEquals(new Stage(Rate.even(20_000), 0), Stage.parse("20k"));
    assertEquals(new Stage(Rate.even(20_000), 30 * Quantity.SECOND), Stage.parse("20k/30s"));
    assertEquals(
        new Stage(new Rate(10_000, 200_000), 60 * Quantity.SECOND), Stage.parse("10k..200k/60s"));
    assertEquals("10000..200000", Rate.parse("10k..200k").label());
    for (String bad : List.of("10k..", "..5k", "0..5k", "10k/0s", "10k/fast", "/5s")) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> Stage.parse(bad));
      assertTrue(String.valueOf(refused.getMessage()).contains("'" + bad + "'"), refused::toString);
    }
  }
}
