package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.GroupCells;
import io.widerow.storage.sketch.NumberSum;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/// Reader that compares a store with a [StoreModel].
public final class StoreReading {
  private static final AttributeName NUMBER = AttributeName.of("n");
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final LongAdder CELLS = new LongAdder();

  private StoreReading() {}

  /// Minutes that [#check] has counted from cells so far, in this process.
  public static long cells() {
    return CELLS.sum();
  }

  /// Everything of some types in a range of time, through one multi-get.
  public static List<StoreModel.Shown> read(
      StoreView view, Predicate<String> types, long fromNanos, long untilNanos, Scan scan) {
    List<PartitionKey> keys =
        view.partitions(types, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
    return readKeys(view, keys, scan);
  }

  /// Everything of some partitions.
  public static List<StoreModel.Shown> readKeys(
      StoreView view, List<PartitionKey> keys, Scan scan) {
    try (EventCursor cursor = view.open(keys, scan)) {
      return readAll(cursor);
    }
  }

  private static List<StoreModel.Shown> readAll(EventCursor cursor) {
    List<StoreModel.Shown> shown = new ArrayList<>();
    var scratch = new AttributeValue();
    while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
      shown.add(StoreModel.Shown.of(cursor.event(), scratch));
    }
    return shown;
  }

  /// The same in any order, and then sorted.
  private static List<StoreModel.Shown> readSorted(
      StoreView view, Predicate<String> types, long fromNanos, long untilNanos, Scan scan) {
    List<PartitionKey> keys =
        view.partitions(types, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
    try (EventCursor cursor = view.openUnordered(keys, scan)) {
      return readAll(cursor).stream().sorted(StoreModel.Shown.ORDER).toList();
    }
  }

  /// Reads both ways; checks order, and that exactly the model's events are there.
  public static List<StoreModel.Shown> check(
      StoreView view, StoreModel model, Predicate<String> types, long fromNanos, long untilNanos) {
    Scan scan = Scan.ofTime(fromNanos, untilNanos);
    List<StoreModel.Shown> up = read(view, types, fromNanos, untilNanos, scan);
    List<StoreModel.Shown> down =
        read(view, types, fromNanos, untilNanos, scan.withDescending(true));
    assertEquals(up, down.reversed(), "descending is ascending reversed");
    for (int roomOneIn : new int[] {0, 3}) {
      Crowded memory = new Crowded(up.size(), roomOneIn);
      Scan crowded = scan.withWatch(new ScanWatch(() -> {}, memory));
      boolean descending = roomOneIn == 0;
      assertEquals(
          descending ? down : up,
          read(view, types, fromNanos, untilNanos, crowded.withDescending(descending)),
          "the same in slices");
      memory.assertGivenBack();
    }
    assertEquals(up, readSorted(view, types, fromNanos, untilNanos, scan), "the same in any order");
    for (int i = 1; i < up.size(); i++) {
      assertTrue(
          StoreModel.Shown.ORDER.compare(up.get(i - 1), up.get(i)) < 0,
          "order at " + i + ": " + up.get(i - 1) + " before " + up.get(i));
    }
    CELLS.add(checkCounts(view, types, fromNanos, untilNanos, up));
    if (view.hasRollups()) {
      CELLS.add(checkFigures(view, types, fromNanos, untilNanos));
    }
    List<Long> numbers = up.stream().map(StoreModel.Shown::number).sorted().toList();
    assertEquals(model.numbers(types, fromNanos, untilNanos), numbers);
    return up;
  }

  /// Checks that counting by minutes and hours, from cells where there are any, gives the numbers
  /// of the events shown.
  ///
  /// @return minutes that were counted from cells
  public static long checkCounts(
      StoreView view,
      Predicate<String> types,
      long fromNanos,
      long untilNanos,
      List<StoreModel.Shown> shown) {
    long cells = 0;
    for (long step : new long[] {60_000_000_000L, 3_600_000_000_000L, 0}) {
      Map<String, Long> expected = new TreeMap<>();
      shown.forEach(
          event -> expected.merge(place(event.type(), event.timeNanos(), step), 1L, Long::sum));
      ScanWatch watch = new ScanWatch(() -> {});
      Scan scan =
          Scan.ofTime(fromNanos, untilNanos)
              .withFold(new Grouping(List.of(), step).withCells())
              .withWatch(watch);
      List<PartitionKey> keys =
          view.partitions(types, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
      Map<String, Long> counted = new TreeMap<>();
      try (EventCursor cursor = view.openUnordered(keys, scan)) {
        while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
          EventView event = cursor.event();
          counted.merge(place(event.type(), event.timeNanos(), step), event.weight(), Long::sum);
        }
      }
      assertEquals(expected, counted, () -> "counted by " + step);
      cells += watch.cells();
    }
    return cells;
  }

  /// Checks that figures by group, from cells of rollups where there are any, are those of the
  /// events.
  ///
  /// @return steps that were counted from cells
  private static long checkFigures(
      StoreView view, Predicate<String> types, long fromNanos, long untilNanos) {
    List<PartitionKey> keys =
        view.partitions(types, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
    var field = new RollupField(NUMBER, RollupFigure.SUM.bit);
    var question = new RollupRequest(List.of(VALUE), List.of(field), 3_600_000_000_000L);
    ScanWatch watch = new ScanWatch(() -> {});
    Scan scan = Scan.ofTime(fromNanos, untilNanos).withWatch(watch);
    Map<String, NumberSum> expected = sums(view.open(keys, scan));
    Map<String, NumberSum> kept = sums(view.openFigures(keys, scan, question));
    assertEquals(expected.keySet(), kept.keySet(), "groups");
    expected.forEach((group, of) -> {
      NumberSum sum = Objects.requireNonNull(kept.get(group));
      assertEquals(of.count(), sum.count(), group);
      assertEquals(of.whole(), sum.whole(), group);
    });
    return watch.cells();
  }

  /// Sums of numbers by type, hour and value, with figures whose events are gone.
  ///
  /// @param watch is told how many minutes were answered so, and how many are missing
  public static Map<String, NumberSum> keptSums(
      StoreView store, Predicate<String> types, long fromNanos, long untilNanos, ScanWatch watch) {
    var field = new RollupField(NUMBER, RollupFigure.SUM.bit);
    var question = new RollupRequest(List.of(VALUE), List.of(field), 3_600_000_000_000L);
    StoreView view = store.ofFigures(question, new Filter.Everything());
    Scan scan = Scan.ofTime(fromNanos, untilNanos).withWatch(watch);
    List<PartitionKey> keys =
        view.partitions(types, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
    Map<String, NumberSum> sums = sums(view.openFigures(keys, scan, question));
    EventCursor gone = view.openKept(types, scan);
    if (gone != null) {
      sums(gone)
          .forEach((group, sum) -> sums.computeIfAbsent(group, _ -> new NumberSum()).add(sum));
    }
    return sums;
  }

  private static Map<String, NumberSum> sums(EventCursor cursor) {
    Map<String, NumberSum> sums = new TreeMap<>();
    AttributeValue value = new AttributeValue();
    try (cursor) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        EventView event = cursor.event();
        assertTrue(event.find(VALUE, value), "each event has one");
        String group = place(event.type(), event.timeNanos(), 3_600_000_000_000L) + " " + value;
        NumberSum sum = sums.computeIfAbsent(group, _ -> new NumberSum());
        AttributeFigures figures =
            event instanceof GroupCells.Groups groups ? groups.figures(NUMBER) : null;
        if (figures != null) {
          sum.add(figures.sum());
        } else {
          assertTrue(event.find(NUMBER, value), "each event has one");
          sum.add(value);
        }
      }
    }
    return sums;
  }

  private static String place(String type, long timeNanos, long step) {
    return type + " " + (step == 0 ? 0 : Math.floorDiv(timeNanos, step));
  }
}
