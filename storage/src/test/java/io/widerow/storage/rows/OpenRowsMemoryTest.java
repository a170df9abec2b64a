package io.widerow.storage.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: a type of a few events costs no more than permitted, and the store reports its cost.
/// Method: metrics of 16 samples each, in batches that shards are chosen for as for any other; the
/// store's own figure against the bound, and against what the heap keeps after rows were filled.
class OpenRowsMemoryTest {
  private static final int TYPES = 2_000;
  private static final int ROUNDS = 5; // other threads of this JVM allocate too: the median counts
  private static final int TYPES_COUNTED = 10_000; // enough to tell their objects from others
  private static final int EVENTS = 16; // of a type in the hour
  private static final long BYTES_MAX = 4 << 10; // for such a type
  private static final int SHARDS = 8;
  private static final long START_NANOS =
      1_700_000_000_000_000_000L / 3_600_000_000_000L * 3_600_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  /// Bytes that this thread has allocated on the heap so far.
  static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  /// A sample of each metric, as line protocol brings it.
  private static void fill(EventBatch batch, int types, int step) {
    batch.clear();
    for (int i = 0; i < types; i++) {
      byte[] type = utf8("node_exporter%02d_metric_%05d_total".formatted(i % 40, i));
      batch.begin(type, 0, type.length, START_NANOS + step * 15L * SECOND);
      put(batch, "instance", "10.0.0.%d:9100".formatted(step % 2));
      put(batch, "job", "node");
      put(batch, "mode", "m" + step / 2 % 2);
      byte[] value = utf8("value");
      batch.putDouble(value, 0, value.length, i + step / 100.0);
      assertEquals(null, batch.end());
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void put(EventBatch batch, String name, String value) {
    byte[] bytes = utf8(name);
    batch.putString(bytes, 0, bytes.length, utf8(value));
  }

  @Test
  void aTypeOfFewEventsStaysBelowItsBound() {
    SimDisk disk = new SimDisk(1);
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(1, SHARDS)
            .withBuckets(60, Map.of())
            .withMemory(64 << 20, Duration.ofMinutes(60))
            .withJournal(16 << 20, 64 << 20)
            .withDiskReserveBytes(0);
    TestClock clock = new TestClock(START_NANOS + 3_600 * SECOND);
    try (EmbeddedStore store = FileJournal.openStore(config, disk, clock);
        var batch = new EventBatch(1 << 20, 1 << 24)) {
      long recordBytes = 0;
      for (int step = 0; step < EVENTS; step++) {
        fill(batch, TYPES, step);
        recordBytes += batch.bytes();
        Appends.all(store.lane(0), batch, step); // each batch has another shard
        store.lane(0).commit(Durability.OS);
      }
      assertEquals(TYPES * EVENTS, store.statistics().openEvents());
      long told = store.statistics().openRowBytes();
      assertTrue(told > recordBytes, told + " with the records, which have " + recordBytes);
      assertTrue(told <= TYPES * BYTES_MAX, told / TYPES + " bytes a type");
      assertEquals(Set.of(0), shards(store), "small types are in one shard");
    }
  }

  private static Set<Integer> shards(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      List<PartitionInfo> all = view.partitions(_ -> true, 0, Long.MAX_VALUE / 2);
      assertEquals(TYPES, all.size());
      return all.stream().map(info -> info.key().shard()).collect(Collectors.toSet());
    }
  }

  @Test
  @Tag("deep")
  void theFigureIsWhatTheHeapKeeps() {
    long[] kept = new long[ROUNDS];
    // All rounds stay open: what one of them left to be collected would count against the next.
    Deque<Filled> all = new ArrayDeque<>();
    try (var memory = new RowMemory(32 << 20, ROUNDS)) {
      for (int round = 0; round < ROUNDS; round++) {
        kept[round] = keptOfRow(memory, all);
      }
      all.forEach(filled -> assertFalse(filled.table.isLarge(), "in use until here"));
      all.forEach(filled -> filled.rows.close());
    }
    Arrays.sort(kept);
    long told = OpenRows.ROW_OBJECT_BYTES;
    String both = told + " bytes told, kept of a row: " + Arrays.toString(kept);
    assertTrue(told >= 0.9 * kept[ROUNDS / 2], both);
    assertTrue(told <= 1.6 * kept[ROUNDS / 2], both);
  }

  /// What a lane keeps while rows are open.
  private record Filled(OpenRows rows, TypeTable table) {}

  /// Bytes of the heap that stay in use for each row that was filled.
  private static long keptOfRow(RowMemory memory, Deque<Filled> all) {
    try (var batch = new EventBatch(1 << 20, 1 << 24)) {
      fill(batch, TYPES_COUNTED, 0);
      long before = usedBytes();
      var rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
      var table = new TypeTable(TypeTableTest.LAYOUTS);
      long records = 0;
      for (int step = 0; step < EVENTS; step++) {
        fill(batch, TYPES_COUNTED, step);
        records += add(rows, table, batch);
      }
      rows.publish();
      long kept = usedBytes() - before;
      assertEquals(records, rows.limit());
      assertEquals(
          TYPES_COUNTED * OpenRows.ROW_OBJECT_BYTES,
          rows.filledBytes() - records - indexBytes(),
          "records and index are counted exactly");
      all.add(new Filled(rows, table));
      return kept / TYPES_COUNTED;
    }
  }

  /// Bytes of the heap in use after a collection.
  private static long usedBytes() {
    System.gc();
    System.gc(); // what the first one found to be cleaned
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /// The chunks of a run of 16 events: 4, 8 and 16 entries of 4 bytes.
  private static long indexBytes() {
    return TYPES_COUNTED * (4 + 8 + 16) * (long) Integer.BYTES;
  }

  private static long add(OpenRows rows, TypeTable table, EventBatch batch) {
    long offset = 0;
    for (int i = 0; i < batch.count(); i++) {
      int length = EventLayout.length(batch.memory(), offset);
      long at = rows.copyIn(batch.memory(), offset, length);
      assertTrue(rows.add(table.row(rows, rows.memory(), at, 0), at));
      offset += EventLayout.alignedLength(length);
    }
    return offset;
  }
}
