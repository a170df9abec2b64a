package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.storage.Arrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.PartitionCatalog.Entry;
import io.widerow.storage.embedded.RepartitionControl.Asked;
import io.widerow.storage.embedded.RepartitionControl.Plan;
import io.widerow.storage.embedded.RepartitionControl.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: closed final partitions that are too heavy or too light get keys that fit, and readers see
/// the same before, during and after it. Method: stores on a simulated disk whose merges keep all
/// keys, then a repartition by weights so small that some events are heavy.
class RepartitionTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long DAY = 24 * HOUR;
  private static final long YESTERDAY = RetentionStore.START_NANOS / DAY * DAY - DAY;

  private final RetentionStore it = new RetentionStore();

  @AfterEach
  void close() {
    it.close();
  }

  @BeforeEach
  void endTheHour() {
    it.clock.advance(HOUR);
  }

  private static Asked asked(long events, Predicate<String> types) {
    return new Asked(
        types, 0, Long.MAX_VALUE, new PartitionWeights(1L << 40, events, 1 << 20, 1 << 30));
  }

  private Report repartition(long events) throws InterruptedException {
    return it.store().repartition().run(asked(events, _ -> true));
  }

  private void writeHour(String type, long start, int each) {
    for (int minute = 0; minute < 60; minute++) {
      assertEquals(List.of(), it.write(type, start + minute * MINUTE, each));
    }
  }

  /// So much that no history is thin.
  private void fill(long day) {
    for (int hour = 0; hour < 24; hour++) {
      assertEquals(List.of(), it.write("light", day + hour * HOUR, 1_000));
      assertEquals(List.of(), it.write("good", day + hour * HOUR, 6_000));
    }
    it.merge();
    assertEquals(24, keys("light").size());
  }

  private List<Entry> entries(String type) {
    return it.store().partitions().entries(type::equals, 0, Long.MAX_VALUE);
  }

  private List<String> keys(String type) {
    return entries(type).stream().map(entry -> entry.key().toString()).toList();
  }

  @Test
  void anHourThatIsTooHeavyIsDivided() throws InterruptedException {
    writeHour("heavy", YESTERDAY, 10);
    writeHour("good", YESTERDAY, 2);
    it.merge();
    assertEquals(List.of("2023-11-13T00|heavy|0"), keys("heavy"));
    List<String> before = it.shown();
    assertEquals(new Report(1, 1, 4, 720), repartition(100));
    assertEquals(
        List.of(
            "2023-11-13T00:00+15m|heavy|0",
            "2023-11-13T00:15+15m|heavy|0",
            "2023-11-13T00:30+15m|heavy|0",
            "2023-11-13T00:45+15m|heavy|0"),
        keys("heavy"));
    assertEquals(List.of("2023-11-13T00|good|0"), keys("good"));
    assertEquals(before, it.shown());
    assertEquals(it.filesOnDisk(), it.store().statistics().segments());
    it.reopen();
    assertEquals(before, it.shown());
    assertEquals(new Report(0, 0, 0, 0), repartition(100), "nothing is left to do");
  }

  @Test
  void hoursThatAreTooLightAreJoined() throws InterruptedException {
    fill(YESTERDAY);
    List<String> before = it.shown();
    List<String> good = keys("good");
    assertEquals(new Report(24, 24, 2, 24 * 7_000), repartition(10_000));
    assertEquals(
        List.of("2023-11-13T00:00+720m|light|0", "2023-11-13T12:00+720m|light|0"), keys("light"));
    assertEquals(good, keys("good"), "good partitions keep their keys");
    assertEquals(before, it.shown());
    it.store().maintain();
    assertEquals(new Report(0, 0, 0, 0), repartition(10_000), "nothing is left to do");
    it.reopen();
    assertEquals(before, it.shown());
  }

  @Test
  void onlyWhatIsAskedForIsWrittenAgain() throws InterruptedException {
    writeHour("a", YESTERDAY, 10);
    writeHour("a", YESTERDAY + 3 * HOUR, 10);
    writeHour("b", YESTERDAY, 10);
    it.merge();
    long written = it.store().statistics().segmentBytesWritten();
    Plan plan = it.store().repartition().plan(asked(100, _ -> true));
    assertEquals(new Report(3, 3, 12, 1_800), plan.report());
    assertEquals(
        List.of("2023-11-13T00|a|0", "2023-11-13T00|b|0", "2023-11-13T03|a|0"),
        plan.misfits().stream().map(misfit -> misfit.key().toString()).toList());
    assertEquals(6, plan.misfits().getFirst().weight(), 1e-9);
    assertEquals(600, plan.misfits().getFirst().events());
    assertEquals(written, it.store().statistics().segmentBytesWritten(), "a plan changes nothing");
    Asked part =
        new Asked(
            "a"::equals,
            YESTERDAY + HOUR,
            YESTERDAY + 4 * HOUR,
            new PartitionWeights(1L << 40, 100, 1 << 20, 1 << 30));
    assertEquals(new Report(1, 1, 4, 600), it.store().repartition().run(part));
    assertEquals(5, keys("a").size());
    assertEquals(1, keys("b").size());
  }

  @Test
  void whatIsOpenOrSealedStays() throws InterruptedException {
    writeHour("cpu", RetentionStore.START_NANOS, 10);
    it.store().sealAll();
    assertEquals(new Report(0, 0, 0, 0), repartition(100));
    assertEquals(1, keys("cpu").size());
  }

  /// A view that was taken before keeps reading the replaced files.
  @Test
  void aReaderUnderWayGoesOn() throws InterruptedException {
    writeHour("heavy", YESTERDAY, 10);
    it.merge();
    List<String> before = it.shown();
    try (StoreView view = it.store().view()) {
      assertEquals(4, repartition(100).after());
      assertEquals(before, RetentionStore.shown(view, _ -> true, null));
    }
    assertEquals(before, it.shown());
  }

  /// Events that are hidden do not come back in a wider bucket, and what brings them back shows all
  /// of them.
  @Test
  void whatIsHiddenStaysHiddenAndComesBack() throws InterruptedException {
    long day = YESTERDAY - 19 * DAY;
    fill(day);
    List<String> all = it.shown();
    long age = it.clock.wallNanos() - day - 12 * HOUR;
    var _ =
        it.retention()
            .set(RetentionStore.rule("light", Duration.ofNanos(age), Duration.ofMinutes(15)));
    List<String> left = it.shown();
    assertTrue(left.size() < all.size());
    assertEquals(new Report(0, 0, 0, 0), repartition(10_000), "a part of the day is hidden");
    assertEquals(left, it.shown());
    it.retention().unset("light");
    assertEquals(all, it.shown());
  }

  /// A program that writes other events than it read finds that out, and changes nothing: see
  /// [LayoutPlants].
  @Test
  void aRepartitionLosesNothing() throws InterruptedException {
    writeHour("heavy", YESTERDAY, 10);
    it.merge();
    List<String> before = it.shown();
    try {
      assertEquals(1, repartition(100).partitions());
    } catch (StorageException refused) {
      assertTrue(String.valueOf(refused.getMessage()).contains("digest"), refused.getMessage());
    }
    assertEquals(before, it.shown());
    assertEquals(it.filesOnDisk(), it.store().statistics().segments());
  }

  @Test
  void aStoreThatHasEndedRefuses() {
    EmbeddedStore ended;
    try (var other = new RetentionStore()) {
      ended = other.store();
    }
    var work = asked(100, _ -> true);
    assertThrows(RuntimeException.class, () -> ended.repartition().run(work));
  }

  private static LayoutOverride rule(String type, int shards) {
    return new LayoutOverride(type, LayoutOverride.UNSAID, shards, Source.API);
  }

  /// Positions derive the lane from the shard. Events that arrived since the opening fold by their
  /// lanes. Older events may have been numbered with another number of lanes, and fold only so that
  /// each event keeps its lane.
  @Test
  void positionsOutliveFoldedShards() throws InterruptedException {
    try (var three = new RetentionStore(3)) {
      three.clock.advance(HOUR);
      var _ = three.store().layout().set(rule("cpu", 12));
      for (int batch = 0; batch < 60; batch++) {
        assertEquals(List.of(), three.write(batch % 3, "cpu", YESTERDAY + batch * MINUTE, 1_000));
      }
      three.merge();
      assertTrue(shards(three, "cpu").size() > 6);
      List<Arrivals> positions = new ArrayList<>();
      for (int lane : List.of(0, 2, 1, 1, 0)) {
        assertEquals(List.of(), three.write(lane, "cpu", YESTERDAY + lane * MINUTE, 50));
        try (StoreView view = three.store().view()) {
          positions.add(view.arrivals());
        }
      }
      three.merge();
      List<List<String>> since = since(three, positions);
      assertEquals(List.of(200, 150, 100, 50, 0), since.stream().map(List::size).toList());
      three.reopen();
      var _ = three.store().repartition().run(asked(50_000, _ -> true));
      assertEquals(
          List.of(0, 1, 2, 3, 4, 5), shards(three, "cpu"), "6 is divided by 1, 2 and 3 lanes");
      assertEquals(since, since(three, positions));
      var _ = three.store().layout().set(rule("new", 6));
      for (int batch = 0; batch < 60; batch++) {
        long at = YESTERDAY - 3 * DAY + batch * MINUTE;
        assertEquals(List.of(), three.write(batch % 3, "new", at, 1_000));
      }
      three.merge();
      assertEquals(6, shards(three, "new").size());
      var _ = three.store().repartition().run(asked(50_000, "new"::equals));
      assertEquals(List.of(0, 1, 2), shards(three, "new"));
    }
  }

  private static List<Integer> shards(RetentionStore store, String type) {
    return store.store().partitions().entries(type::equals, 0, Long.MAX_VALUE).stream()
        .filter(entry -> entry.events() > 1_000) // late ones are merged with their like
        .map(entry -> entry.key().shard())
        .distinct()
        .sorted()
        .toList();
  }

  private static List<List<String>> since(RetentionStore store, List<Arrivals> positions) {
    return positions.stream().map(position -> store.shown("cpu"::equals, position)).toList();
  }
}
