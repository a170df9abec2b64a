package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.RetentionStore.HOUR;
import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.storage.ClockReport;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.RetentionSettings.Standing;
import io.widerow.storage.RetentionSettings.Sum;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.segment.SegmentFormat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a policy that is set hides at once, hidden events are dropped after its grace and not
/// before, a change back before that restores the same result, the plan lists exactly the dropped
/// partitions, and all of it outlives restarts; a clock far ahead drops and hides nothing. Method:
/// a store on the simulated disk with a clock that the test sets; tasks run at once.
class RetentionControlTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration GRACE = Duration.ofMinutes(15);
  private static final List<String> TYPES = List.of("a", "b", "c", "d", "e", "f", "g", "h");

  private final RetentionStore it = new RetentionStore();

  @AfterEach
  void close() {
    it.close();
  }

  /// Eight types of 30 days: a bucket of an hour of each day, merged.
  private void fill() {
    for (int day = 30; day > 0; day--) {
      for (String type : TYPES) {
        it.write(type, START_NANOS - day * DAY.toNanos() + HOUR.toNanos(), 40);
      }
    }
    it.merge();
  }

  private void pass(Duration time) {
    it.clock.advance(time.toNanos());
    it.store().maintain();
  }

  @Test
  void shorterAgeOfOneOfEightTypesHidesThenFreesAndThePlanIsWhatWent() {
    fill();
    List<String> before = it.shown();
    RetentionPolicy week = rule("c", Duration.ofDays(7), GRACE);
    List<Going> plan = it.retention().plan(week);
    long files = it.fileBytes();
    Standing set = it.retention().set(week);
    assertEquals(23 * 40, plan.stream().mapToLong(Going::events).sum());
    assertEquals(30 * 40 - 23 * 40, it.counts().get("c"), "the next query hides");
    assertEquals(before.size() - 23 * 40, it.shown().size());
    long planned = plan.stream().mapToLong(Going::bytes).sum();
    assertEquals(
        new Sum(plan.size(), 23 * 40, planned), set.hidden(), "the plan equals the hidden events");

    pass(GRACE.minus(Duration.ofSeconds(1)));
    assertEquals(files, it.fileBytes(), "nothing goes before the grace has passed");
    it.retention().set(rule("c", null, GRACE));
    assertEquals(before, it.shown(), "the same answer as before");
    it.retention().set(week);
    pass(GRACE.plus(Duration.ofSeconds(1)));
    long freed = files - it.fileBytes();
    assertTrue(
        freed >= planned / 2 && freed <= 2 * planned, freed + " bytes freed, planned " + planned);
    it.retention().set(rule("c", null, GRACE));
    assertEquals(7 * 40, it.counts().get("c"), "what went does not come back");
    assertEquals(before.stream().filter(each -> !each.contains(" c ")).toList(), others());
    assertEquals(it.filesOnDisk(), it.store().statistics().segments(), "the old files are gone");
  }

  private List<String> others() {
    return it.shown(type -> !type.equals("c"));
  }

  @Test
  void hiddenHoursStayHiddenWhenTheirDayBecomesOneBucket() {
    long day = Math.floorDiv(START_NANOS, DAY.toNanos()) * DAY.toNanos() - 20 * DAY.toNanos();
    for (int hour = 0; hour < 24; hour++) {
      it.write("a", day + hour * HOUR.toNanos(), 10);
      it.store().sealAll();
    }
    List<String> before = it.shown();
    Duration half = Duration.ofNanos(START_NANOS - day).minus(HOUR.multipliedBy(12));
    it.retention().set(rule("a", half, GRACE));
    assertEquals(Map.of("a", 120L), it.counts());
    it.store().maintain();
    assertEquals(Map.of("a", 120L), it.counts(), "merged, and no hour is back");
    it.retention().unset("a");
    assertEquals(before, it.shown());
    it.store().maintain();
    assertEquals(1, it.store().statistics().segments(), "the day is one bucket");
    it.retention().set(rule("a", half, GRACE));
    assertEquals(Map.of("a", 120L), it.counts(), "hours of a day's bucket are hidden");
    pass(GRACE.plus(Duration.ofSeconds(1)));
    assertEquals(Map.of("a", 120L), it.counts());
  }

  @Test
  void policyAndWhatItHidOutliveARestart() {
    fill();
    List<String> before = it.shown();
    it.retention().set(rule("c*", Duration.ofDays(7), GRACE));
    List<String> hidden = it.shown();
    it.reopen();
    assertEquals(hidden, it.shown());
    pass(Duration.ofMinutes(10));
    it.retention().unset("c*");
    assertEquals(before, it.shown(), "the grace is remembered");
    it.retention().set(rule("c", Duration.ofDays(7), GRACE));
    it.reopen();
    pass(Duration.ofMinutes(16));
    it.reopen();
    it.retention().unset("c");
    assertEquals(before.size() - 23 * 40, it.shown().size(), "dropped after the restart");
    assertEquals(
        List.of(RetentionPolicy.ofConfig("*", RetentionStore.KEPT, Duration.ZERO)),
        it.retention().policies().stream().map(Standing::policy).toList());
  }

  @Test
  void whatGrowsOldIsDroppedWithoutGrace() {
    it.retention().set(rule("a", DAY, GRACE));
    it.write("a", START_NANOS, 10);
    it.merge();
    pass(DAY.plus(HOUR).minus(Duration.ofMinutes(10)));
    assertEquals(Map.of("a", 10L), it.counts());
    pass(Duration.ofMinutes(10));
    assertEquals(Map.of(), it.counts());
    assertEquals(0, it.store().statistics().segments());
  }

  @Test
  void graceOfZeroDropsAtOnce() {
    fill();
    it.retention().set(rule("*", Duration.ofDays(7), Duration.ZERO));
    it.store().maintain();
    it.retention().unset("*");
    assertEquals(8 * 7 * 40, it.shown().size());
  }

  @Test
  void oldestBucketsOfAllTypesGoByBytes() {
    fill();
    long all = it.fileBytes();
    RetentionPolicy half = RetentionStore.bytes("*", all / 2, GRACE);
    List<Going> plan = it.retention().plan(half);
    it.retention().set(half);
    long planned = plan.stream().mapToLong(Going::bytes).sum();
    assertTrue(all - planned <= all / 2 && planned < all * 6 / 10, planned + " of " + all);
    List<String> kept = it.shown();
    assertEquals(8 * 30 * 40 - plan.stream().mapToLong(Going::events).sum(), kept.size());
    assertEquals(kept, it.shown(), "an answer does not change by itself");
    pass(GRACE.plus(Duration.ofSeconds(1)));
    assertEquals(all - planned, it.fileBytes(), "exactly the planned files went");
    it.retention().unset("*");
    assertEquals(kept, it.shown());
  }

  @Test
  void eventThatWouldBeHiddenIsRefusedWithTheRetention() {
    it.retention().set(rule("a", HOUR, GRACE));
    assertEquals(
        List.of("older than the retention of 1h"),
        it.write("a", START_NANOS - 3 * HOUR.toNanos(), 1));
    assertEquals(List.of(), it.write("a", START_NANOS - HOUR.toNanos(), 1));
    assertEquals(List.of(), it.write("b", START_NANOS - 3 * HOUR.toNanos(), 1));
    assertEquals(Map.of("a", 1L, "b", 1L), it.counts());
  }

  @Test
  void eventOlderThanWhatBytesKeepIsRefused() {
    fill();
    it.retention().set(RetentionStore.bytes("*", it.fileBytes() / 2, GRACE));
    List<String> refused = it.write("a", START_NANOS - 29 * DAY.toNanos(), 1);
    String expired = "the time has expired by the retention of its type: it would never be shown";
    assertEquals(List.of(expired), refused);
    assertEquals(List.of(), it.write("a", START_NANOS - DAY.toNanos(), 1));
  }

  @Test
  void clockTenYearsAheadForAMinuteDropsAndHidesNothing() {
    fill();
    it.retention().set(rule("*", Duration.ofDays(31), Duration.ZERO));
    List<String> before = it.shown();
    Duration years = Duration.ofDays(3_650);
    it.clock.step(years.toNanos());
    for (int second = 0; second < 60; second++) {
      it.clock.advance(TimeUnit.SECONDS.toNanos(1));
      it.store().maintain();
      assertEquals(before.size(), it.shown().size(), "hidden in second " + second);
    }
    assertFalse(it.store().clock().state() == ClockReport.State.RIGHT);
    it.clock.step(-years.toNanos());
    it.store().maintain();
    assertEquals(before, it.shown());
  }

  @Test
  void changedConfigurationIsHeldForItsGraceOverARestart() {
    fill();
    List<String> before = it.shown();
    RetentionPolicy month = RetentionPolicy.ofConfig("*", Duration.ofDays(40), GRACE);
    RetentionPolicy week = RetentionPolicy.ofConfig("*", Duration.ofDays(7), GRACE);
    it.retention().configure(List.of(month), GRACE);
    it.retention().set(rule("h", null, GRACE)); // from now on the store knows the configuration
    pass(GRACE.plus(HOUR));
    it.reopen();
    it.retention().configure(List.of(week), GRACE);
    assertEquals(7 * 7 * 40 + 30 * 40, it.shown().size(), "h is kept by the policy that was set");
    pass(Duration.ofMinutes(10));
    it.reopen();
    it.retention().configure(List.of(week), GRACE);
    pass(Duration.ofMinutes(4));
    it.reopen();
    it.retention().configure(List.of(month), GRACE);
    assertEquals(before, it.shown(), "nothing was dropped");
  }

  @Test
  void firstConfigurationDropsNothingBeforeItsGrace() {
    fill();
    List<String> before = it.shown();
    RetentionPolicy week = RetentionPolicy.ofConfig("*", Duration.ofDays(7), GRACE);
    it.retention().configure(List.of(week), GRACE);
    pass(GRACE.minus(Duration.ofSeconds(1)));
    it.reopen();
    assertEquals(before, it.shown());
    it.retention().configure(List.of(week), GRACE);
    pass(GRACE.plus(Duration.ofSeconds(1)));
    it.reopen();
    assertEquals(8 * 7 * 40, it.shown().size());
  }

  /// Writes an hour of which a policy of 30 minutes hides ten events of thirteen: it was wider than
  /// the buckets are now.
  private void writeWideBucket() {
    it.write("cpu", START_NANOS - Duration.ofMinutes(50).toNanos(), 10);
    it.write("cpu", START_NANOS - Duration.ofMinutes(5).toNanos(), 3);
    it.store().sealAll();
    var _ =
        it.store().layout().set(new LayoutOverride("cpu", 10, LayoutOverride.UNSAID, Source.API));
  }

  @ParameterizedTest
  @EnumSource(Source.class)
  void hiddenPartOfAWideBucketIsReportedUntilItsGraceEnds(Source source) {
    writeWideBucket();
    Duration half = Duration.ofMinutes(30);
    if (source == Source.CONFIG) {
      it.retention().configure(List.of(RetentionPolicy.ofConfig("cpu", half, GRACE)), GRACE);
    } else {
      it.retention().set(rule("cpu", half, GRACE));
    }
    Standing standing =
        it.retention().policies().stream()
            .filter(each -> each.policy().glob().equals("cpu"))
            .findFirst()
            .orElseThrow();
    assertEquals(Map.of("cpu", 3L), it.counts());
    assertEquals(10, standing.hidden().events(), standing::toString);
    assertEquals(START_NANOS + GRACE.toNanos(), standing.dropsAtNanos(), standing::toString);
  }

  /// What cannot be read counts whole, and keeps nobody from changing a policy.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eventsThatCannotBeReadAreCounted(boolean damaged) {
    writeWideBucket();
    var broken = new AtomicBoolean();
    it.reopen(
        new DiskAround(it.disk) {
          @Override
          public DiskFile open(Path file) {
            return new DiskFileAround(super.open(file)) {
              @Override
              public long read(MemorySegment target, long offset) {
                if (broken.get() && file.toString().endsWith(".seg")) {
                  throw new StorageException.Failed(file + ": cannot read", new IOException("EIO"));
                }
                return super.read(target, offset);
              }
            };
          }
        });
    for (Path file : it.disk.files()) {
      if (damaged && file.toString().endsWith(".seg")) {
        it.disk.flip(file, 8L * (SegmentFormat.HEADER_BYTES + 2));
      }
    }
    broken.set(!damaged);
    RetentionPolicy half = rule("cpu", Duration.ofMinutes(30), GRACE);
    List<Going> plan = it.retention().plan(half);
    assertEquals(13, plan.stream().mapToLong(Going::events).sum(), plan::toString);
    Standing set = it.retention().set(half);
    assertEquals(new Sum(1, 13, 0), set.hidden());
    broken.set(false);
  }

  @Test
  void policyThatIsSetAfterAStartHasItsOwnGrace() {
    fill();
    RetentionPolicy month = RetentionPolicy.ofConfig("*", Duration.ofDays(40), GRACE);
    it.retention().configure(List.of(month), GRACE);
    it.retention().set(rule("*", Duration.ofDays(7), Duration.ofSeconds(10)));
    pass(Duration.ofSeconds(11));
    it.retention().unset("*");
    assertEquals(8 * 7 * 40, it.shown().size());
  }

  @Test
  void whatMakesNoSenseIsRefusedAndChangesNothing() {
    fill();
    it.retention().set(rule("a", Duration.ofDays(60), GRACE));
    List<Standing> policies = it.retention().policies();
    List<String> shown = it.shown();
    refused(
        "type: no type matches 'nginx.*'", () -> it.retention().set(rule("nginx.*", DAY, GRACE)));
    refused("type: no type matches 'x?'", () -> it.retention().plan(rule("x?", DAY, GRACE)));
    refused("type: no policy was set for 'b'; there are a", () -> it.retention().unset("b"));
    it.retention()
        .configure(List.of(RetentionPolicy.ofConfig("b", DAY.multipliedBy(90), GRACE)), GRACE);
    refused(
        "type: the policy of 'b' comes from the configuration; change it there",
        () -> it.retention().unset("b"));
    it.retention()
        .configure(
            List.of(RetentionPolicy.ofConfig("*", RetentionStore.KEPT, Duration.ZERO)), GRACE);
    assertEquals(policies, it.retention().policies());
    assertEquals(shown, it.shown());
  }

  private static void refused(String why, Runnable change) {
    assertEquals(why, assertThrows(IllegalArgumentException.class, change::run).getMessage());
  }

  @Test
  @Tag("deep")
  void changesThatWaitForTheirGraceAreLimited() {
    it.write("a", START_NANOS - 10 * DAY.toNanos(), 10);
    for (int i = 0; i <= 1_024; i++) { // the first one raises the configured age
      it.retention().set(rule("a", Duration.ofDays(2_000 - i), GRACE));
    }
    String why =
        String.valueOf(
            assertThrows(
                    IllegalArgumentException.class, () -> it.retention().set(rule("a", DAY, GRACE)))
                .getMessage());
    assertTrue(why.contains("at most 1024"), why);
    assertEquals(Map.of("a", 10L), it.counts());
    pass(GRACE.plus(Duration.ofSeconds(1)));
    it.retention().set(rule("a", DAY, GRACE));
    assertEquals(Map.of(), it.counts());
  }
}
