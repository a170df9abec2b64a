package io.widerow.storage.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Seeds;
import io.widerow.storage.layout.Layout;
import io.widerow.storage.layout.Layouts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each record comes to the row of its bucket, type and shard, however many types there are
/// and however alike their names; and the table marks the large types. Method: random names,
/// compared with a hash map of rows; a type that grows over the limit.
class TypeTableTest {
  private static final long HOUR_NANOS = 3_600_000_000_000L;

  static final Layouts LAYOUTS = Layouts.ofOwner(1, _ -> Layout.ofOwner(60, 1));

  private final RowMemory memory = new RowMemory(16 << 20, 1);
  private final OpenRows rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
  private final TypeTable table = new TypeTable(LAYOUTS);

  static List<Long> seeds() {
    return Seeds.of(10);
  }

  private static void write(EventBatch batch, String type, long nanos) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    batch.begin(utf8, 0, utf8.length, nanos);
    assertEquals(null, batch.end());
  }

  /// Names that have long parts in common, of all lengths up to the longest.
  private static List<String> names(SplittableRandom random, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "x".repeat(random.nextInt(100)) + i % 10 + "é".repeat(random.nextInt(4));
      names.add(name + random.nextInt(1_000));
    }
    return names;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void eachRecordFindsItsRow(long seed) {
    var random = new SplittableRandom(seed);
    List<String> names = names(random, 1 + random.nextInt(2_000));
    Map<PartitionKey, OpenRow> model = new HashMap<>();
    try (memory;
        var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < 10_000; i++) {
        if (random.nextInt(3_000) == 0) {
          table.clear();
        }
        String type = names.get(random.nextInt(names.size()));
        int hour = 400_000 + random.nextInt(2);
        int shard = random.nextInt(3);
        batch.clear();
        write(batch, type, hour * HOUR_NANOS + random.nextLong(HOUR_NANOS));
        OpenRow row = table.row(rows, batch.memory(), 0, shard);
        assertEquals(new PartitionKey(60 * hour, 60, type, shard), row.key);
        assertSame(model.computeIfAbsent(row.key, _ -> row), row);
      }
      rows.close();
    }
  }

  @Test
  void aTypeIsLargeFromManyEventsOnAndStaysSoForTheNextRows() {
    try (memory;
        var batch = new EventBatch(1 << 12, 1 << 22)) {
      write(batch, "large", HOUR_NANOS);
      long second = EventLayout.alignedLength(EventLayout.length(batch.memory(), 0));
      write(batch, "small", HOUR_NANOS);
      for (int i = 0; i < TypeTable.LARGE_EVENTS; i++) {
        table.turnTo(batch.memory(), 0);
        assertFalse(table.isLarge(), i + " events");
        table.row(rows, batch.memory(), 0, 0);
      }
      assertLarge(batch, 0, true);
      table.row(rows, batch.memory(), second, 0);
      assertLarge(batch, second, false);
      table.clear();
      assertLarge(batch, 0, true);
      assertLarge(batch, second, false);
      table.clear(); // it had no events in the rows before
      assertLarge(batch, 0, false);
      rows.close();
    }
  }

  private void assertLarge(EventBatch batch, long offset, boolean large) {
    table.turnTo(batch.memory(), offset);
    assertEquals(large, table.isLarge());
  }

  @Test
  void turningToKnownTypesAllocatesNothing() {
    try (memory;
        var batch = new EventBatch(1 << 18, 1 << 22)) {
      for (int i = 0; i < 1_000; i++) {
        write(batch, "metric_" + i, HOUR_NANOS);
      }
      turnToAll(batch);
      long before = OpenRowsMemoryTest.allocatedBytes();
      for (int i = 0; i < 100; i++) {
        turnToAll(batch);
      }
      long perEvent = (OpenRowsMemoryTest.allocatedBytes() - before) / (100 * 1_000);
      assertTrue(perEvent < 1, perEvent + " bytes an event");
      rows.close();
    }
  }

  private void turnToAll(EventBatch batch) {
    long offset = 0;
    for (int i = 0; i < batch.count(); i++) {
      table.row(rows, batch.memory(), offset, 0);
      offset += EventLayout.alignedLength(EventLayout.length(batch.memory(), offset));
    }
  }
}
