package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many threads count in two rows of different partitions, while memory is flushed and files are
/// merged: no count is lost, and no reader sees one row without the other. One thread writes rows
/// of many partitions, oldest first, newest first and in any order, while memory is flushed and
/// merges run: readers see the contents of a sorted map.
class TablesThreadsTest {
  private static final int THREADS = 4;
  private static final int COUNTS = 400; // each
  private static final int PARTITION = 13;
  private static final int PARTITIONS = 97;
  private static final int ROWS = 24_000;
  private static final int GROUP = 40;

  @TempDir private Path directory;

  private static byte[] key(int partition) {
    byte[] key = new byte[PARTITION + 1];
    key[0] = 1;
    key[11] = (byte) partition;
    key[PARTITION] = 1;
    return key;
  }

  private static long count(TableView view, int partition) {
    byte[] from = key(partition);
    byte[] until = from.clone();
    until[PARTITION] = 2;
    try (TableCursor cursor = view.scan(from, until, partition == 2, 0)) {
      if (!cursor.next()) {
        return 0;
      }
      assertTrue(cursor.nextCell());
      return cursor.value().getLong();
    }
  }

  private static CompletableFuture<Long> count(EmbeddedStore store, SplittableRandom random) {
    byte[] ballast = new byte[2_000];
    random.nextBytes(ballast);
    return store
        .extension(TableEngine.class)
        .write((before, out) -> {
          long next = count(before, 1) + 1;
          byte[] value = ByteBuffer.allocate(8).putLong(0, next).array();
          out.row(key(1), PARTITION).cell(1, null, value, next, 0, 0);
          out.row(key(2), PARTITION)
              .cell(1, null, value, next, 0, 0)
              .cell(2, null, ballast, next, 0, 0);
          return next;
        });
  }

  private StoreConfig config() {
    return StoreConfig.at(directory.resolve("store"))
        .withMemory(2 << 20, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0);
  }

  /// The n-th row: a third of the partitions have their newest first, a third their oldest.
  private static byte[] key(int n, SplittableRandom random) {
    int partition = n % PARTITIONS;
    int row =
        switch (partition % 3) {
          case 0 -> n;
          case 1 -> Integer.MAX_VALUE - n;
          default -> random.nextInt(ROWS);
        };
    return ByteBuffer.allocate(PARTITION + 6)
        .put((byte) 1)
        .putLong(3, partition * 0x9E3779B97F4A7C15L)
        .put(PARTITION, (byte) 1)
        .putInt(PARTITION + 1, row)
        .array();
  }

  private static void same(NavigableMap<byte[], byte[]> model, TableView view, boolean descending) {
    byte[] end = {2};
    try (TableCursor cursor = view.scan(new byte[] {1}, end, descending, 0)) {
      var expected = descending ? model.descendingMap() : model;
      for (Map.Entry<byte[], byte[]> row : expected.entrySet()) {
        assertTrue(cursor.next());
        assertEquals(ByteBuffer.wrap(row.getKey()), cursor.key());
        assertTrue(cursor.nextCell());
        assertEquals(ByteBuffer.wrap(row.getValue()), cursor.value());
      }
      assertFalse(cursor.next());
    }
  }

  @Test
  void flushedBesideMerges() throws InterruptedException {
    var random = new SplittableRandom(20_261_126);
    var model = new TreeMap<byte[], byte[]>(Arrays::compareUnsigned);
    try (ExecutorService threads = Executors.newCachedThreadPool();
        EmbeddedStore store = EmbeddedStore.open(config(), threads)) {
      store.extension(TableEngine.class).acknowledge(Durability.OS);
      for (int n = 0; n < ROWS; n += GROUP) {
        int first = n;
        store
            .extension(TableEngine.class)
            .write((_, out) -> {
              for (int i = first; i < first + GROUP; i++) {
                byte[] key = key(i, random);
                byte[] value = new byte[400];
                random.nextBytes(value);
                model.put(key, value);
                out.row(key, PARTITION).cell(1, null, value, i, 0, 0);
              }
              return true;
            })
            .join();
        if (n % (ROWS / 4) == 0) {
          try (TableView view = store.extension(TableEngine.class).view()) {
            same(model, view, n % 2 == 0);
          }
        }
      }
      store.extension(TableEngine.class).flush();
      store.awaitBackground();
      try (TableView view = store.extension(TableEngine.class).view()) {
        same(model, view, false);
        same(model, view, true);
      }
    }
  }

  @Test
  void countsAreExact() throws Exception {
    StoreConfig config = config();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      try (EmbeddedStore store = EmbeddedStore.open(config, threads)) {
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          var random = new SplittableRandom(i);
          writers.add(
              threads.submit(() -> {
                for (int n = 0; n < COUNTS; n += 4) {
                  List<CompletableFuture<Long>> some = new ArrayList<>();
                  for (int together = 0; together < 4; together++) {
                    some.add(count(store, random));
                  }
                  some.forEach(CompletableFuture::join);
                }
              }));
        }
        long last = 0;
        while (!writers.stream().allMatch(Future::isDone)) {
          last = look(store, last);
          store.maintain();
        }
        for (Future<?> writer : writers) {
          writer.get();
        }
        assertEquals((long) THREADS * COUNTS, look(store, last));
      }
      try (EmbeddedStore store = EmbeddedStore.open(config, threads)) {
        assertEquals((long) THREADS * COUNTS, look(store, 0));
      }
    }
  }

  private static long look(EmbeddedStore store, long last) {
    try (TableView view = store.extension(TableEngine.class).view()) {
      long first = count(view, 1);
      assertEquals(first, count(view, 2));
      assertTrue(first >= last, first + " after " + last);
      return first;
    }
  }
}
