package io.widerow.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store may have more files than a process may open, and a reader notices nothing when its
/// file is closed for another or replaced. Method: more readers and files than the limit, and a
/// merge during a view.
class OpenFilesTest {
  private static final int MOST = 3;
  private static final long NANOS = 1_700_000_000_000_000_000L;

  @TempDir private Path directory = Path.of(".");

  @Test
  void moreFilesAreReadThanMayBeOpen() throws Exception {
    var pool = new OpenFiles(MOST);
    List<ReadFile> files = new ArrayList<>();
    for (int i = 0; i < 4 * MOST; i++) {
      Path path = directory.resolve("f" + i);
      Files.write(path, new byte[] {(byte) i, (byte) ~i});
      files.add(new ReadFile(path, pool));
      assertTrue(pool.count() <= MOST, pool.count() + " open");
      readOne(files, i); // all that are open were read when the next one comes
    }
    try (var readers = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int reader = 0; reader < 4; reader++) {
        var random = new SplittableRandom(reader);
        done.add(
            readers.submit(() -> {
              for (int i = 0; i < 5_000; i++) {
                readOne(files, random.nextInt(files.size()));
              }
            }));
      }
      for (Future<?> each : done) {
        each.get();
      }
    }
    assertTrue(pool.count() <= MOST, pool.count() + " open");
    files.forEach(ReadFile::close);
    pool.setHalfAside();
    assertThrows(StorageException.Failed.class, () -> readOne(files, 0), "closed for good");
  }

  private static void readOne(List<ReadFile> files, int number) {
    byte[] bytes = new byte[3];
    assertEquals(2, files.get(number).read(MemorySegment.ofArray(bytes), 0));
    assertEquals((byte) number, bytes[0]);
    assertEquals((byte) ~number, bytes[1]);
  }

  /// Java closes a channel whose thread is interrupted, and the thread stays interrupted.
  @Test
  void anInterruptedThreadOpensAndReads() throws IOException {
    Path path = directory.resolve("f");
    Files.write(path, new byte[] {0, ~0});
    Thread.currentThread().interrupt();
    try (var file = new ReadFile(path, new OpenFiles(MOST))) {
      assertEquals(2, file.size());
      readOne(List.of(file), 0);
    } finally {
      assertTrue(Thread.interrupted(), "the interrupt is kept");
    }
  }

  /// Of two files only the one in use stays open.
  @Test
  void whatIsReadStaysOpenLonger() throws IOException {
    var pool = new OpenFiles(2);
    List<String> aside = new ArrayList<>();
    var used = new Named("used", true, aside);
    pool.opened(used);
    pool.opened(new Named("idle", false, aside));
    pool.opened(new Named("new", false, aside));
    assertEquals(List.of("idle"), aside);
  }

  private record Named(String name, boolean wasRead, List<String> aside)
      implements OpenFiles.Reopenable {
    @Override
    public void setAside() {
      aside.add(name);
    }
  }

  @Test
  void aReplacedFileIsThereUntilItsLastReaderIsDone() throws IOException, InterruptedException {
    var config =
        StoreConfig.at(directory.resolve("s"))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        var driver = new StoreDriver(new SplittableRandom(1))) {
      driver.append(store, NANOS, 100);
      driver.commit(store, Durability.DISK);
      store.sealAll();
      store.awaitBackground();
      List<Path> sealed = segments();
      try (StoreView view = store.view()) {
        store.maintain();
        store.awaitBackground();
        assertTrue(store.statistics().merged() > 0);
        setAllAside();
        StoreReading.check(view, driver.acknowledged, _ -> true, 0, Long.MAX_VALUE / 2);
        assertTrue(segments().containsAll(sealed));
      }
      assertTrue(Collections.disjoint(segments(), sealed), "the last reader is done");
    }
  }

  private static void setAllAside() {
    while (OpenFiles.OF_PROCESS.count() > 1) {
      OpenFiles.OF_PROCESS.setHalfAside();
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("s").resolve("segments"))) {
      return files.toList();
    }
  }
}
