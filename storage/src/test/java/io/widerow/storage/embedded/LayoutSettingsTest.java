package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TimeUuid;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.LayoutSettings.TypeLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: layouts change while events arrive, by overrides or by rates and sizes; nothing is
/// refused, and partitions follow the layout at the time of their events. Method: a store of two
/// lanes on a simulated disk, with a clock that the test sets.
class LayoutSettingsTest {
  private static final int LANES = 2;
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_700_000_000L / 3_600 * 3_600 * SECOND;
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final byte[] LINE = "x".repeat(100).getBytes(StandardCharsets.UTF_8);

  private static final List<LayoutOverride> AUTO =
      List.of(new LayoutOverride("*", LayoutOverride.AUTO, LayoutOverride.AUTO, Source.CONFIG));

  private final SimDisk disk = new SimDisk(1);
  private final TestClock clock = new TestClock(START);
  private EmbeddedStore store = open();
  private int batches;

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(LANES, LANES)
            .withMemory(64 << 20, Duration.ofDays(1))
            .withJournal(4 << 20, 64 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(5), null);
    return FileJournal.openStore(config, disk, clock);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void reopen() {
    store.close();
    store = open();
  }

  private void write(int lane, String type, long nanos, int count) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    append(
        lane,
        batch -> {
          for (int i = 0; i < count; i++) {
            batch.begin(utf8, 0, utf8.length, nanos + i * 1_000L);
            batch.putString(BODY, 0, BODY.length, LINE);
            assertEquals(null, batch.end());
          }
        });
  }

  private void append(int lane, Consumer<EventBatch> fill) {
    try (var batch = new EventBatch(1 << 14, 1 << 24)) {
      fill.accept(batch);
      int taken =
          store
              .lane(lane)
              .append(
                  batch,
                  batches++,
                  (index, why) -> {
                    throw new AssertionError(index + " was refused: " + why.reason());
                  });
      assertEquals(batch.count(), taken);
      store.lane(lane).commit(Durability.OS);
    }
  }

  private List<String> partitions() {
    return store.partitions().entries(_ -> true, 0, Long.MAX_VALUE).stream()
        .map(entry -> entry.key() + " " + entry.events())
        .toList();
  }

  private static LayoutOverride rule(String glob, int width, int shards) {
    return new LayoutOverride(glob, width, shards, Source.API);
  }

  @Test
  void aChangeCountsFromTheNextBatch() {
    write(0, "cpu", START, 3);
    var _ = store.layout().set(rule("cpu", 15, LayoutOverride.UNSAID));
    write(0, "cpu", START, 4);
    write(0, "disk", START, 5);
    assertEquals(
        List.of("2023-11-14T22:00+15m|cpu|0 4", "2023-11-14T22|cpu|0 3", "2023-11-14T22|disk|0 5"),
        partitions());
    var _ = store.layout().set(rule("*", 1_440, LayoutOverride.UNSAID));
    write(1, "disk", START, 6);
    write(1, "cpu", START, 7);
    assertTrue(partitions().contains("2023-11-14|disk|1 6"), () -> partitions().toString());
    assertTrue(partitions().contains("2023-11-14T22:00+15m|cpu|1 7"), "an exact name decides");
    store.layout().unset("cpu");
    write(1, "cpu", START, 8);
    assertTrue(partitions().contains("2023-11-14|cpu|1 8"), () -> partitions().toString());
  }

  @Test
  void rulesThatAreSetOutliveTheStore() {
    write(0, "cpu", START, 3);
    var _ = store.layout().set(rule("cp*", 15, LayoutOverride.UNSAID));
    assertEquals(
        new LayoutSettings.Standing(rule("cp*", 15, 4), 1),
        store.layout().set(rule("cp*", LayoutOverride.UNSAID, 4)),
        "unset values stay");
    reopen();
    store.layout().configure(AUTO, PartitionWeights.DEFAULT, true);
    assertEquals(
        List.of(rule("cp*", 15, 4), AUTO.getFirst()),
        store.layout().rules().stream().map(LayoutSettings.Standing::rule).toList());
    TypeLayout cpu = store.layout().types().getFirst();
    assertEquals(new TypeLayout("cpu", 15, 4, cpu.eventsPerSecond(), cpu.phase(), true), cpu);
  }

  @Test
  void whatMakesNoSenseIsRefusedAndChangesNothing() {
    write(0, "cpu", START, 3);
    refused("no type matches 'mem*'", () -> store.layout().set(rule("mem*", 15, 2)));
    refused("got 3", () -> store.layout().set(rule("cpu", 15, 3)));
    refused("got 7", () -> store.layout().set(rule("cpu", 7, 2)));
    refused("got 1025", () -> store.layout().set(rule("cpu", 15, 1_025)));
    refused("no layout was set for 'cpu'; none was set", () -> store.layout().unset("cpu"));
    store.layout().configure(AUTO, PartitionWeights.DEFAULT, true);
    refused("'*' comes from the configuration", () -> store.layout().unset("*"));
    assertEquals(1, store.layout().rules().size());
  }

  private static void refused(String part, Runnable change) {
    String said = assertThrows(IllegalArgumentException.class, change::run).toString();
    assertTrue(said.contains(part), said);
  }

  @Test
  void aTypeGetsShardsWhenItsRateRises() {
    store.layout().configure(AUTO, new PartitionWeights(8 << 20, 1_000_000, 1_000, 1 << 30), true);
    long bucket = START + 3_600 * SECOND;
    clock.advance(3_600 * SECOND);
    for (int second = 0; second < 20; second++) {
      for (int lane = 0; lane < LANES; lane++) {
        for (int batch = 0; batch < 20; batch++) {
          write(lane, "hot", bucket + second * SECOND, second < 2 ? 10 : 310);
        }
        write(lane, "cool", bucket + second * SECOND, 10);
      }
      clock.advance(SECOND);
      store.layout().look();
    }
    Map<String, Integer> shards = new TreeMap<>();
    store.layout().types().forEach(each -> shards.put(each.type(), each.shards()));
    assertEquals(Map.of("hot", 14, "cool", 2), shards, "12,400 events a second of the hot one");
    assertEquals(
        List.of("hot", "cool"), store.layout().busiest(5).stream().map(TypeLayout::type).toList());
    List<Long> events = new ArrayList<>();
    store
        .partitions()
        .entries("hot"::equals, 0, Long.MAX_VALUE)
        .forEach(each -> events.add(each.events()));
    assertEquals(14, events.size());
    double mean = events.stream().mapToLong(each -> each).average().orElseThrow();
    double most = events.stream().mapToLong(each -> each).max().orElseThrow();
    assertTrue(most / mean <= 1.3, () -> "the new shards catch up: " + events);
  }

  /// 20 looks, five a second, with ten batches of 400 events each: 20,000 events a second.
  private int shardsOfLoad(IntToLongFunction timeOfBatch) {
    store.layout().configure(AUTO, new PartitionWeights(1 << 30, 1 << 30, 1_000, 1 << 30), true);
    clock.advance(48 * 3_600 * SECOND);
    for (int i = 0; i < 200; i++) {
      write(i % LANES, "load", timeOfBatch.applyAsLong(i), 400);
      if (i % 10 == 9) {
        clock.advance(SECOND / 5);
        store.layout().look();
      }
    }
    return store.layout().types().getFirst().shards();
  }

  @Test
  void aLoadOfOldEventsAsksForTheShardsThatItsOwnTimesFill() {
    assertEquals(2, shardsOfLoad(i -> START + i * SECOND), "400 events of each second");
    assertEquals(50, store.layout().spread("load"), 6, "ten seconds of events in a fifth of one");
  }

  @Test
  void aLoadOfOldEventsInNoOrderIsJudgedByTheBucketThatGetsMost() {
    var random = new Random(8);
    assertEquals(2, shardsOfLoad(i -> START - random.nextLong(1_000) * 3_600 * SECOND));
  }

  @Test
  void oldEventsOfOneMinuteAskForAsManyShardsAsNewOnes() {
    assertEquals(20, shardsOfLoad(i -> START + 60 * SECOND - i * SECOND / 4));
  }

  @Test
  void aTypeOfManyEventsGetsNarrowBucketsAndOneOfFewWideOnes() {
    var weights = new PartitionWeights(1 << 30, 1_000, 1 << 20, 1 << 30);
    write(0, "few", START, 1);
    write(0, "many", START, 10_000);
    store.sealAll();
    clock.advance(3_600 * SECOND + 360 * SECOND);
    reopen(); // layouts are learned again from the stored partitions
    store.layout().configure(AUTO, weights, true);
    Map<String, Integer> widths = new TreeMap<>();
    store.layout().types().forEach(each -> widths.put(each.type(), each.widthMinutes()));
    assertEquals(Map.of("few", 1_440, "many", 5), widths);
    store.retain("few", Duration.ofDays(2));
    clock.advance(SECOND);
    store.layout().look();
    assertEquals(360, widthOf("few"), "an eighth of the retention");
    store.retain("few", Duration.ofHours(1));
    clock.advance(SECOND);
    store.layout().look();
    assertEquals(60, widthOf("few"), "as in a new type");
  }

  private int widthOf(String type) {
    return store.layout().types().stream()
        .filter(each -> each.type().equals(type))
        .findFirst()
        .orElseThrow()
        .widthMinutes();
  }

  @Test
  void anOwnIdHasOneLaneWhateverTheShards() {
    var _ = store.layout().set(rule("*", LayoutOverride.UNSAID, 2));
    byte[] cpu = "cpu".getBytes(StandardCharsets.UTF_8);
    List<EventId> ids = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long time = START + i * 7_000L;
      ids.add(new EventId(TimeUuid.timeOfNanos(time), TimeUuid.tailOf(time, 511, i)));
    }
    for (int shards : List.of(2, 8, 4)) {
      var _ = store.layout().set(rule("*", LayoutOverride.UNSAID, shards));
      for (int lane = 0; lane < LANES; lane++) {
        int of = lane;
        append(
            lane,
            batch ->
                ids.stream()
                    .filter(id -> store.laneOf(id) == of)
                    .forEach(id -> {
                      batch.begin(cpu, 0, cpu.length, id);
                      assertEquals(null, batch.end());
                    }));
      }
    }
    assertEquals(8, partitions().size(), () -> partitions().toString());
    try (var view = store.view();
        var cursor =
            view.open(
                view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
                    .map(info -> info.key())
                    .toList(),
                Scan.all())) {
      int shown = 0;
      while (cursor.next() == EventCursor.Step.EVENT) {
        shown++;
      }
      assertEquals(ids.size(), shown);
    }
  }
}
