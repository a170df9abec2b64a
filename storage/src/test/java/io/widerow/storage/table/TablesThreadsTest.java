package io.widerow.storage.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.table.TableCursor;
import io.widerow.table.TableView;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many threads count in two rows of different partitions, while memory is flushed and files are
/// merged: no count is lost, and no reader sees one row without the other.
class TablesThreadsTest {
  private static final int THREADS = 4;
  private static final int COUNTS = 400; // each
  private static final int PARTITION = 13;

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
        .tables()
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

  @Test
  void countsAreExact() throws Exception {
    StoreConfig config =
        StoreConfig.at(directory.resolve("store"))
            .withMemory(2 << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
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
    try (TableView view = store.tables().view()) {
      long first = count(view, 1);
      assertEquals(first, count(view, 2));
      assertTrue(first >= last, first + " after " + last);
      return first;
    }
  }
}
