package io.widerow.query.sizing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.query.QueryException;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.TypeInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// Goal: the size formulas, the form of a load and the verdicts about a store's partitions are
/// those of the page. Method: its figures; random loads against its three rules.
class SizingTest {
  private static final RowSize.Sizes NOTHING =
      new RowSize.Sizes(List.of(), List.of(), List.of(), List.of());
  private static final long DAY_NANOS = 1_440 * PartitionKey.NANOS_PER_MINUTE;

  @Test
  void cellsFollowTheFormula() {
    RowSize size = RowSize.of(new RowSize.Table(73_000, 4, 3, 0), NOTHING);
    assertEquals(73_000, size.cells());
    assertNull(size.bytes());
    assertEquals(RowSize.Verdict.OK, size.verdict());
    assertEquals(2 + 100 * 5, RowSize.of(new RowSize.Table(100, 9, 2, 2), NOTHING).cells());
  }

  @Test
  void bytesFollowTheFormula() {
    var sizes = new RowSize.Sizes(List.of(16, 4), List.of(40), List.of(100, 20), List.of(8));
    RowSize size = RowSize.of(new RowSize.Table(1_000, 6, 3, 1), sizes);
    long cells = 1_000 * 2 + 1;
    assertEquals(cells, size.cells());
    assertEquals(20 + 40 + 1_000 * (120 + 8) + 8 * cells, size.bytes());
    assertEquals(RowSize.Verdict.OK, size.verdict());
    RowSize wide = RowSize.of(new RowSize.Table(100_000, 6, 3, 1), sizes);
    assertEquals(RowSize.Verdict.TOO_WIDE, wide.verdict());
    assertEquals(2, wide.partitions(), "14.4 MB");
  }

  @Test
  void rowsAndCellsHaveLimits() {
    RowSize rows = RowSize.of(new RowSize.Table(1_000_001, 2, 1, 0), NOTHING);
    assertEquals(RowSize.Verdict.TOO_WIDE, rows.verdict());
    assertEquals(2, rows.partitions());
    RowSize cells = RowSize.of(new RowSize.Table(1_000_000, 2_002, 1, 0), NOTHING);
    assertEquals(RowSize.Verdict.IMPOSSIBLE, cells.verdict());
  }

  @Test
  void contradictionsAreRefusedWithTheValue() {
    refused("rows: must be at least 1, got 0", () -> new RowSize.Table(0, 4, 3, 0));
    refused("columns: 4 are fewer than 3", () -> new RowSize.Table(1, 4, 3, 2));
    refused("static-columns: must not be negative, got -1", () -> new RowSize.Table(1, 4, 3, -1));
    refused(
        "rows: a row of 9223372036854775807",
        () -> RowSize.of(new RowSize.Table(Long.MAX_VALUE, 9, 3, 0), NOTHING));
    refused(
        "key-bytes: with clustering-bytes 1 sizes, of 3",
        () ->
            RowSize.of(
                new RowSize.Table(1, 4, 3, 0),
                new RowSize.Sizes(List.of(8), List.of(), List.of(8), List.of())));
    refused(
        "regular-bytes: must not be negative, got -8",
        () ->
            RowSize.of(
                new RowSize.Table(1, 2, 1, 0),
                new RowSize.Sizes(List.of(8), List.of(), List.of(-8), List.of())));
    refused("rate: must be greater than 0, got -1.0", () -> Load.of(-1, 1.0, 1.0, 1));
    refused("rate: must be greater than 0, got NaN", () -> Load.of(Double.NaN, 1.0, 1.0, 1));
    refused("rest-bytes: is missing", () -> Load.of(1, null, null, null));
  }

  private static void refused(String why, Supplier<Object> call) {
    var refused = assertThrows(QueryException.Refused.class, call::get);
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused.getMessage());
  }

  @Test
  void loadOfThePageHasTheFormOfThePage() {
    Load load = Load.of(5_000, 237.0, 18.0, 9);
    assertEquals(18_000_000, load.eventsPerHour());
    assertEquals(324_000_000, load.bytesPerHour());
    assertEquals(38.6, load.weightPerHour(), 0.05);
    assertEquals(new PlannedForm(1, 1), load.form());
    assertEquals(1_440, load.form().partitionsPerDay());
    assertEquals(2_700_000.0, load.cellsPerPartition());
  }

  @Test
  void formFollowsTheRules() {
    assertEquals(new PlannedForm(1_440, 1), PlannedForm.of(0));
    assertEquals(new PlannedForm(1_440, 1), PlannedForm.of(2));
    assertEquals(new PlannedForm(720, 1), PlannedForm.of(2.1));
    assertEquals(new PlannedForm(1, 10), PlannedForm.of(10 * 1_440));
    var random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      double perDay = Math.pow(10, random.nextDouble(-3, 6));
      PlannedForm form = PlannedForm.of(perDay);
      double each = perDay / form.partitionsPerDay();
      assertTrue(each <= 2.5, perDay + " " + form);
      assertTrue(each >= 0.5 || form.partitionsPerDay() == 1, perDay + " " + form);
      assertTrue(form.shards() == 1 || perDay * form.widthMinutes() / 1_440 > 2, perDay + "");
    }
  }

  private static PartitionInfo partition(long day, int minute, int width, int shard, long events) {
    var key = new PartitionKey((int) day * 1_440 + minute, width, "cpu", shard);
    return new PartitionInfo(key, events, key.fromNanos(), key.untilNanos() - 1);
  }

  private static TypePlan plan(List<PartitionInfo> partitions, long bytes, long nowDay) {
    long events = partitions.stream().mapToLong(PartitionInfo::events).sum();
    TypeInfo type = new TypeInfo("cpu", events, bytes, 0, 0);
    return TypePlan.of(partitions, List.of(type), 10, PartitionWeights.DEFAULT, nowDay * DAY_NANOS)
        .getFirst();
  }

  @Test
  void wideNarrowAndHotTypesAreTold() {
    TypePlan wide = plan(List.of(partition(3, 0, 60, 0, 3_000_000)), 0, 3);
    assertEquals(3.75, wide.weight(), 0.2, "30 MB");
    assertEquals(TypePlan.Verdict.TOO_WIDE, wide.verdict(0.5));
    assertEquals(TypePlan.Verdict.TOO_HOT, wide.verdict(1.1));
    TypePlan byBytes = plan(List.of(partition(3, 0, 60, 0, 1_000)), 40L << 20, 3);
    assertEquals(5, byBytes.weight(), 0.01);
    assertEquals(new PlannedForm(360, 1), byBytes.planned(), "5 a day: 4 of 1.25");

    List<PartitionInfo> small = new ArrayList<>();
    for (int hour = 0; hour < 6 * 24; hour++) {
      for (int shard = 0; shard < 8; shard++) {
        small.add(partition(3 + hour / 24, hour % 24 * 60, 60, shard, 10));
      }
    }
    assertEquals(TypePlan.Verdict.OK, plan(small, 0, 9).verdict(0), "the last day may go on");
    TypePlan narrow = plan(small, 0, 10);
    assertEquals(6 * 192, narrow.closed());
    assertEquals(6, narrow.needed());
    assertEquals(8, narrow.shards());
    assertEquals(60, narrow.widthMinutes());
    assertEquals(TypePlan.Verdict.TOO_NARROW, narrow.verdict(0));
  }
}
