package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.WidePartition;
import io.widerow.cql.store.Widest;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the widest partitions are the same as in a recount, and their width without a look at
/// their rows is exact or an upper bound. Method: random tables of many partitions over a store on
/// a simulated disk, with deletions and times to live, flushed and merged, compared with the model
/// of tables, which counts. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
/// Number of runs: `-Dwidths=<n>`.
public class TableWidthsTest {
  private static final long START_SECONDS = 1_700_000_000L;
  private static final int RUNS = Slice.of("widths", 1, 3);
  private static final int TABLES = 2;
  private static final int PARTITIONS = 300; // of a table: more than a file keeps
  private static final int LISTED = 100;
  private static final long EVERYTHING = Long.MAX_VALUE;

  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);
  private final TableModel model = new TableModel();

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  private long now() {
    return clock.wallNanos() / 1_000_000_000L;
  }

  private static byte[] table(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static byte[] partition(int table, int number) {
    return ByteBuffer.allocate(17)
        .putInt(table)
        .putLong(number * 0x9E3779B97F4A7C15L)
        .putInt(number)
        .array();
  }

  private static byte[] row(byte[] partition, int number) {
    return ByteBuffer.allocate(partition.length + 5)
        .put(partition)
        .put((byte) 1)
        .putInt(number)
        .array();
  }

  /// A group of some rows; more of them in partitions of low numbers.
  private Consumer<Mutations> group(SplittableRandom random) {
    List<Consumer<Mutations>> parts = new ArrayList<>();
    for (int left = random.nextInt(60); left > 0; left--) {
      int number = (int) (PARTITIONS * Math.pow(random.nextDouble(), 3));
      byte[] partition = partition(1 + random.nextInt(TABLES), number);
      byte[] row = row(partition, random.nextInt(40));
      long timestamp = 1_000L + random.nextInt(1_000);
      int ttl = random.nextInt(30) == 0 ? 1 + random.nextInt(100) : 0;
      int kind = random.nextInt(30);
      long expiry = now() + ttl;
      parts.add(out -> {
        switch (kind) {
          case 0 -> out.row(row, partition.length).deleteRow(timestamp);
          case 1 -> out.row(header(partition), partition.length).deletePartition(timestamp);
          case 2, 3, 4 ->
              out.row(row, partition.length).cell(1, null, new byte[20], timestamp, ttl, expiry);
          default -> out.row(row, partition.length).live(timestamp, ttl, expiry);
        }
      });
    }
    return out -> parts.forEach(part -> part.accept(out));
  }

  private static byte[] header(byte[] partition) {
    return Arrays.copyOf(partition, partition.length + 1);
  }

  private void write(EmbeddedStore store, Consumer<Mutations> group) {
    TablesModelTest.write(store, model, group);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  public void theyAreThoseOfARecount(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    for (int step = 0; step < 8; step++) {
      for (int groups = random.nextInt(14); groups > 0; groups--) {
        write(store, group(random));
      }
      switch (random.nextInt(6)) {
        case 0, 1 -> store.extension(TableEngine.class).flush();
        case 2 -> store.extension(TableEngine.class).mergeAll();
        case 3 -> clock.advance(random.nextLong(60_000_000_000L));
        case 4 -> {
          store.close();
          store = SimStore.open(disk, clock, random, Runnable::run);
        }
        default -> {}
      }
      compare(store);
    }
    store.extension(TableEngine.class).flush();
    store.extension(TableEngine.class).mergeAll();
    compare(store);
    mergedTablesAreNotRead(store);
    store.close();
  }

  private void compare(EmbeddedStore store) {
    try (TableView shown = store.extension(TableEngine.class).view();
        TableView right = model.view()) {
      for (int number = 1; number <= TABLES; number++) {
        for (boolean onlyLive : new boolean[] {false, true}) {
          byte[] table = table(number);
          var counts = new TreeMap<byte[], Long>(Arrays::compareUnsigned);
          List<WidePartition> all =
              right.widest(table, onlyLive, PARTITIONS, 0, now()).partitions();
          all.forEach(each -> counts.put(each.key(), each.rows()));
          List<Long> wanted = rows(all.subList(0, Math.min(LISTED, all.size())));
          for (long read : new long[] {0, 300, EVERYTHING}) {
            Widest found = shown.widest(table, onlyLive, LISTED, read, now());
            found.partitions().forEach(each -> check(each, counts));
            assertTrue(found.read() <= read, found.read() + " rows were read");
            if (read == EVERYTHING) {
              assertEquals(wanted, rows(found.partitions()));
            }
          }
        }
      }
    }
  }

  private static List<Long> rows(List<WidePartition> partitions) {
    return partitions.stream().map(WidePartition::rows).toList();
  }

  private static void check(WidePartition found, Map<byte[], Long> counts) {
    long right = counts.getOrDefault(found.key(), 0L);
    if (found.isExact()) {
      assertEquals(right, found.rows());
    } else {
      assertTrue(right <= found.rows(), "%s, and there are %d".formatted(found, right));
    }
  }

  /// Rows that have expired since make the numbers of a file too great. Rows that do not expire are
  /// counted without a look.
  private void mergedTablesAreNotRead(EmbeddedStore store) {
    byte[] table = table(TABLES + 1);
    for (int i = 0; i < 30; i++) {
      byte[] partition = partition(TABLES + 1, i);
      int rows = i;
      write(
          store,
          out -> {
            for (int row = 0; row <= rows; row++) {
              out.row(row(partition, row), partition.length).live(1, 0, Long.MAX_VALUE);
            }
          });
    }
    store.extension(TableEngine.class).flush();
    store.extension(TableEngine.class).mergeAll();
    try (TableView shown = store.extension(TableEngine.class).view();
        TableView right = model.view()) {
      Widest found = shown.widest(table, false, 7, 0, now());
      assertEquals(0, found.read());
      assertTrue(found.partitions().stream().allMatch(WidePartition::isExact));
      assertTrue(found.partitions().stream().allMatch(each -> each.bytes() > 0));
      assertEquals(
          rows(right.widest(table, false, 7, 0, now()).partitions()), rows(found.partitions()));
    }
  }

  /// All partitions together have the bytes of the blocks of rows, less the loss by rounding down.
  @Test
  void bytesAreThoseOfTheBlocks() {
    var random = new SplittableRandom(1);
    try (EmbeddedStore store = SimStore.open(new SimDisk(1), clock, random, Runnable::run)) {
      int partitions = 50;
      for (int i = 0; i < partitions; i++) {
        byte[] partition = partition(1, i);
        int rows = 1 + 10 * i;
        write(
            store,
            out -> {
              for (int row = 0; row < rows; row++) {
                byte[] value = new byte[100];
                random.nextBytes(value);
                out.row(row(partition, row), partition.length)
                    .cell(1, null, value, 1, 0, Long.MAX_VALUE);
              }
            });
      }
      store.extension(TableEngine.class).flush();
      long file =
          store.extension(TableEngine.class).contents().state().files().stream()
              .mapToLong(each -> each.entry().bytes())
              .sum();
      try (TableView view = store.extension(TableEngine.class).view()) {
        List<WidePartition> all = view.widest(table(1), false, 100, 0, now()).partitions();
        assertEquals(partitions, all.size());
        long bytes = all.stream().mapToLong(WidePartition::bytes).sum();
        long raw = all.stream().mapToLong(WidePartition::rows).sum() * 100;
        assertTrue(bytes <= file && bytes >= raw, "%d of %d bytes".formatted(bytes, file));
        assertTrue(all.getFirst().bytes() > 480 * 100, () -> all.getFirst().toString());
      }
    }
  }

  /// A deletion in memory hides rows of a file, so what the file keeps is not believed.
  @Test
  void whatIsDeletedLaterIsNotCounted() {
    var random = new SplittableRandom(2);
    try (EmbeddedStore store = SimStore.open(new SimDisk(2), clock, random, Runnable::run)) {
      byte[] partition = partition(1, 1);
      write(
          store,
          out -> {
            for (int row = 0; row < 20; row++) {
              out.row(row(partition, row), partition.length).live(10, 0, Long.MAX_VALUE);
            }
          });
      store.extension(TableEngine.class).flush();
      write(
          store,
          out ->
              out.row(header(partition), partition.length)
                  .deleteRange(row(partition, 5), row(partition, 100), 11));
      try (TableView view = store.extension(TableEngine.class).view()) {
        WidePartition bound = view.widest(table(1), false, 9, 0, now()).partitions().getFirst();
        assertFalse(bound.isExact());
        assertEquals(20, bound.rows());
        WidePartition read = view.widest(table(1), false, 9, 20, now()).partitions().getFirst();
        assertTrue(read.isExact());
        assertEquals(5, read.rows());
      }
    }
  }
}
