package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.storage.Arrivals;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.PartitionCatalog.Entry;
import io.widerow.storage.embedded.PartitionCatalog.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: the merge of a closed bucket gives it the form that fits its contents, in one step, and
/// nothing is lost, shown twice or written again. Method: stores on a simulated disk with weights
/// so small that some events are heavy.
class FinalMergeTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long START = RetentionStore.START_NANOS;

  private final RetentionStore it = new RetentionStore();

  @AfterEach
  void close() {
    it.close();
  }

  /// The hour that the tests write to is over and not closed long enough to be merged.
  @BeforeEach
  void endTheHour() {
    it.clock.advance(HOUR);
  }

  /// @param events of a partition of weight 1
  private void fit(long events) {
    it.store()
        .layout()
        .configure(List.of(), new PartitionWeights(1L << 40, events, 1 << 20, 1 << 30), true);
  }

  /// Writes an event each minute of an hour, several at a time.
  private void writeHour(String type, long start, int each) {
    for (int minute = 0; minute < 60; minute++) {
      assertEquals(List.of(), it.write(type, start + minute * MINUTE, each));
    }
  }

  private List<Entry> entries(String type) {
    return it.store().partitions().entries(type::equals, 0, Long.MAX_VALUE);
  }

  private void closeHour() {
    it.store().sealAll();
    it.clock.advance(6 * MINUTE);
    it.store().maintain();
  }

  @Test
  void anHourThatIsTooHeavyIsDivided() {
    fit(100);
    writeHour("heavy", START, 10);
    writeHour("light", START, 1);
    List<String> before = it.shown();
    closeHour();
    List<Entry> heavy = entries("heavy");
    assertEquals(4, heavy.size(), heavy::toString);
    for (Entry entry : heavy) {
      assertEquals(State.FINAL, entry.state());
      assertEquals(150, entry.events(), heavy::toString);
      assertEquals(15, entry.key().widthMinutes());
      assertEquals(0, entry.key().shard());
    }
    assertEquals(
        List.of(PartitionKey.parse("2023-11-14T22|light|0")),
        entries("light").stream().map(Entry::key).toList());
    assertEquals(before, it.shown());
    it.reopen();
    assertEquals(before, it.shown());
    assertEquals(it.filesOnDisk(), it.store().statistics().segments());
    long written = it.store().statistics().segmentBytesWritten();
    it.store().maintain();
    assertEquals(written, it.store().statistics().segmentBytesWritten(), "nothing is left to do");
  }

  @Test
  void theShardsOfALightTypeFold() {
    fit(1_000_000);
    var _ = it.store().layout().set(rule("cpu", 4));
    for (int batch = 0; batch < 12; batch++) {
      assertEquals(List.of(), it.write("cpu", START + batch * MINUTE, 1_000));
    }
    it.store().sealAll();
    assertEquals(4, entries("cpu").size());
    List<String> before = it.shown();
    closeHour();
    assertEquals(
        List.of(PartitionKey.parse("2023-11-14T22|cpu|0")),
        entries("cpu").stream().map(Entry::key).toList());
    assertEquals(before, it.shown());
  }

  /// A position has for each lane the events already shown, so a merge must not mix lanes.
  @Test
  void positionsInTheOrderOfArrivalOutliveTheFinalForm() {
    try (var two = new RetentionStore(2)) {
      two.clock.advance(HOUR);
      two.store()
          .layout()
          .configure(List.of(), new PartitionWeights(1L << 40, 1_000_000, 1 << 20, 1 << 30), true);
      var _ = two.store().layout().set(rule("cpu", 4));
      for (int batch = 0; batch < 12; batch++) {
        assertEquals(List.of(), two.write(batch % 2, "cpu", START + batch * MINUTE, 1_000));
      }
      List<Arrivals> positions = new ArrayList<>();
      for (int lane : List.of(0, 1, 1, 0, 0)) {
        assertEquals(List.of(), two.write(lane, "cpu", START + lane * MINUTE, 1_000));
        try (StoreView view = two.store().view()) {
          positions.add(view.arrivals());
        }
      }
      List<List<String>> since = since(two, positions);
      assertEquals(List.of(4_000, 3_000, 2_000, 1_000, 0), since.stream().map(List::size).toList());
      two.merge();
      assertEquals(
          List.of(0, 1),
          two.store().partitions().entries("cpu"::equals, 0, Long.MAX_VALUE).stream()
              .map(entry -> entry.key().shard())
              .toList());
      assertEquals(since, since(two, positions));
      two.reopen();
      assertEquals(since, since(two, positions));
    }
  }

  private static List<List<String>> since(RetentionStore store, List<Arrivals> positions) {
    return positions.stream().map(position -> store.shown("cpu"::equals, position)).toList();
  }

  /// Events that an earlier opening wrote may be of other lanes.
  @Test
  void shardsOfAnEarlierOpeningStayApart() {
    try (var two = new RetentionStore(2)) {
      two.clock.advance(HOUR);
      var _ = two.store().layout().set(rule("cpu", 4));
      for (int batch = 0; batch < 24; batch++) {
        assertEquals(List.of(), two.write(batch % 2, "cpu", START + batch * MINUTE, 1_000));
      }
      two.store().sealAll();
      Arrivals middle;
      try (StoreView view = two.store().view()) {
        middle = view.arrivals();
      }
      two.reopen();
      two.store()
          .layout()
          .configure(List.of(), new PartitionWeights(1L << 40, 1_000_000, 1 << 20, 1 << 30), true);
      assertEquals(List.of(), two.write(1, "cpu", START, 1_000));
      List<String> all = two.shown();
      List<Integer> before = shards(two);
      assertEquals(List.of(0, 1, 2, 3), before);
      two.merge();
      assertEquals(before, shards(two));
      assertEquals(all, two.shown());
      assertEquals(1_000, two.shown("cpu"::equals, middle).size());
    }
  }

  private static List<Integer> shards(RetentionStore store) {
    return store.store().partitions().entries("cpu"::equals, 0, Long.MAX_VALUE).stream()
        .map(entry -> entry.key().shard())
        .toList();
  }

  private static LayoutOverride rule(String type, int shards) {
    return new LayoutOverride(type, LayoutOverride.UNSAID, shards, Source.API);
  }

  @Test
  void aMinuteThatIsTooHeavyGetsShards() {
    fit(100);
    assertEquals(List.of(), it.write("burst", START, 400));
    List<String> before = it.shown();
    closeHour();
    List<Entry> parts = entries("burst");
    assertEquals(4, parts.size(), parts::toString);
    assertTrue(parts.stream().allMatch(entry -> entry.key().widthMinutes() == 1));
    assertEquals(List.of(0, 1, 2, 3), parts.stream().map(entry -> entry.key().shard()).toList());
    assertTrue(parts.stream().allMatch(entry -> entry.events() > 60), parts::toString);
    assertEquals(before, it.shown());
  }

  @Test
  void lateEventsOfADividedHourWaitForEachOther() {
    fit(100);
    writeHour("heavy", START, 10);
    closeHour();
    long merged = it.store().statistics().merged();
    for (int late = 0; late < 3; late++) {
      assertEquals(List.of(), it.write("heavy", START + 7L * late * MINUTE + 1, 1));
      it.merge();
    }
    assertEquals(merged, it.store().statistics().merged(), "a merge for each late event");
    assertEquals(603, it.counts().get("heavy"));
    assertEquals(603, entries("heavy").stream().mapToLong(Entry::events).sum());
  }

  @Test
  void narrowBucketsOfALoadAreJoined() {
    fit(10_000);
    var _ = it.store().layout().set(new LayoutOverride("*", 15, LayoutOverride.UNSAID, Source.API));
    long yesterday = START / (24 * HOUR) * 24 * HOUR - 24 * HOUR;
    for (int hour = 0; hour < 24; hour++) {
      int each = hour == 7 ? 4_000 : 1_500;
      for (int quarter = 0; quarter < 4; quarter++) {
        long at = yesterday + hour * HOUR + quarter * 15L * MINUTE;
        assertEquals(List.of(), it.write("cpu", at, each));
        assertEquals(List.of(), it.write("few", at, 1));
      }
    }
    List<String> before = it.shown();
    assertTrue(entries("cpu").size() >= 96);
    closeHour();
    List<Entry> cpu = entries("cpu");
    assertTrue(cpu.stream().allMatch(entry -> entry.state() == State.FINAL), cpu::toString);
    assertTrue(
        cpu.stream().allMatch(entry -> entry.events() >= 5_000 && entry.events() <= 20_000),
        cpu::toString);
    assertEquals(
        List.of(PartitionKey.parse("2023-11-13|few|0")),
        entries("few").stream().map(Entry::key).toList());
    assertEquals(before, it.shown());
  }

  @Test
  void tinyPartitionsOfADayBecomeOneOfEachType() {
    fit(10_000);
    long day = START / (24 * HOUR) * 24 * HOUR + 24 * HOUR;
    it.clock.advance(day - it.clock.wallNanos());
    for (int hour = 0; hour < 24; hour++) {
      assertEquals(List.of(), it.write("tiny" + hour % 3, day + hour * HOUR, 5));
      assertEquals(List.of(), it.write("dense", day + hour * HOUR, 6_000));
      it.store().sealAll();
      it.clock.advance(HOUR);
      it.store().maintain();
    }
    List<String> before = it.shown();
    assertTrue(entries("tiny0").size() > 1);
    it.clock.advance(6 * MINUTE);
    it.store().maintain();
    for (int type = 0; type < 3; type++) {
      List<Entry> tiny = entries("tiny" + type);
      assertEquals(1, tiny.size(), tiny::toString);
      assertEquals(40, tiny.getFirst().events());
      assertEquals(PartitionKey.MINUTES_PER_DAY, tiny.getFirst().key().widthMinutes());
    }
    assertEquals(24, entries("dense").size(), "partitions that are not tiny stay");
    assertEquals(before, it.shown());
    long written = it.store().statistics().segmentBytesWritten();
    it.store().maintain();
    assertEquals(written, it.store().statistics().segmentBytesWritten(), "nothing is left to do");
  }

  /// A position has for each lane the events already shown, so each lane has a partition of its
  /// own.
  @Test
  void tinyPartitionsOfADayBecomeOneOfEachTypeAndLane() {
    int lanes = 4;
    int types = 20;
    try (var four = new RetentionStore(lanes)) {
      four.store()
          .layout()
          .configure(List.of(), new PartitionWeights(1L << 40, 10_000, 1 << 20, 1 << 30), true);
      long day = START / (24 * HOUR) * 24 * HOUR + 24 * HOUR;
      four.clock.advance(day - four.clock.wallNanos());
      for (int hour = 0; hour < 48; hour++) {
        for (int type = 0; type < types; type++) {
          int lane = (hour + type) % lanes;
          assertEquals(List.of(), four.write(lane, "tiny" + type, day + hour * HOUR, 1));
        }
        four.store().sealAll();
        four.clock.advance(HOUR);
        four.store().maintain();
      }
      List<String> before = four.shown();
      four.clock.advance(6 * MINUTE);
      four.store().maintain();
      List<Entry> folded = four.store().partitions().entries(_ -> true, 0, Long.MAX_VALUE);
      assertEquals(2 * types * lanes, folded.size());
      for (Entry entry : folded) {
        assertEquals(PartitionKey.MINUTES_PER_DAY, entry.key().widthMinutes(), entry::toString);
        assertEquals(24 / lanes, entry.events(), entry::toString);
      }
      assertEquals(before, four.shown());
    }
  }
}
