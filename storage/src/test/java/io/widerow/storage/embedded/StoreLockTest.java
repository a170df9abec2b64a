package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.ChildJvm;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: of two processes, one writes a store. A process that loses the lock, because `LOCK` or the
/// directory was removed, moved or replaced, acknowledges nothing more and changes no file. Method:
/// a second process that writes and acknowledges, and the real disk.
@Tag("process")
class StoreLockTest {
  /// Far more than the half second after which a process knows that its lock is lost.

  @TempDir Path directory;

  private static EmbeddedStore open(Path path) {
    return EmbeddedStore.open(KilledWriter.config(path), Runnable::run);
  }

  /// A process that writes to a store.
  private final class Writer implements AutoCloseable {
    private final Path told = directory.resolve("told");
    private final Process process;
    private final BufferedReader out;
    private long acknowledged;

    Writer(Path store) throws IOException {
      process =
          ChildJvm.plain()
              .start(KilledWriter.class, store.toString(), "0", "1")
              .redirectError(told.toFile())
              .start();
      out = process.inputReader(StandardCharsets.UTF_8);
      assertEquals("open", out.readLine());
      for (int line = 0; line < 5; line++) {
        acknowledged = Long.parseLong(Objects.requireNonNull(out.readLine()));
      }
    }

    /// Waits until it has stopped by itself.
    String end() throws IOException, InterruptedException {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        acknowledged = Long.parseLong(line);
      }
      assertTrue(process.waitFor(Await.SECONDS, TimeUnit.SECONDS), "it writes on");
      assertTrue(process.exitValue() != 0, "it stopped without a failure");
      return Files.readString(told);
    }

    void assertAllThere(EmbeddedStore store) {
      Set<Long> shown = numbers(store);
      List<Long> lost =
          LongStream.range(0, acknowledged)
              .filter(number -> !NumberedEvents.isOwn(number) && !shown.contains(number))
              .boxed()
              .toList();
      assertEquals(List.of(), lost);
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  private static Set<Long> numbers(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void aDaemonWhoseLockFileWasRemovedStopsAndKeepsOthersOutUntilThen() throws Exception {
    Path store = directory.resolve("store");
    try (var writer = new Writer(store)) {
      Files.delete(store.resolve("LOCK"));
      if (writer.process.isAlive()) {
        try {
          open(store).close();
          assertFalse(writer.process.isAlive(), "two processes have the store open");
        } catch (StorageException.Locked kept) {
          assertTrue(String.valueOf(kept.getMessage()).contains("in use by"), kept::toString);
        }
      }
      String told = writer.end();
      assertTrue(told.contains("LOCK: it is gone"), told);
      try (EmbeddedStore next = open(store)) {
        writer.assertAllThere(next);
      }
    }
  }

  /// As where a file system cannot lock a directory.
  @Test
  void aDaemonWhoseLockFileAnotherProcessReplacedStops() throws Exception {
    Path store = directory.resolve("store");
    Path lock = store.resolve("LOCK");
    try (var writer = new Writer(store)) {
      Files.delete(lock);
      try (FileChannel other =
              FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock held = other.lock()) {
        assertTrue(held.isValid());
        String told = writer.end();
        assertTrue(told.contains("LOCK"), told);
        assertThrows(StorageException.Locked.class, () -> open(store).close());
      }
      try (EmbeddedStore next = open(store)) {
        writer.assertAllThere(next);
      }
    }
  }

  @Test
  void aDaemonWhoseDirectoryWasMovedStopsAndTouchesNothingInItsPlace() throws Exception {
    Path store = directory.resolve("store");
    Path moved = directory.resolve("moved");
    try (var writer = new Writer(store)) {
      Files.move(store, moved);
      try (EmbeddedStore other = open(store)) {
        String told = writer.end();
        assertTrue(told.contains("another directory") || told.contains("it is gone"), told);
        assertEquals(Set.of(), numbers(other));
      }
      try (EmbeddedStore next = open(moved)) {
        writer.assertAllThere(next);
      }
      try (EmbeddedStore other = open(store)) {
        assertEquals(Set.of(), numbers(other));
      }
    }
  }

  /// A refused opening in the same process must not free the lock, as closing a descriptor of a
  /// file with a POSIX lock does.
  @Test
  void anOpeningThatWasRefusedLeavesTheLockToItsOwner() throws Exception {
    Path store = directory.resolve("store");
    try (EmbeddedStore first = open(store)) {
      assertThrows(StorageException.Locked.class, () -> open(store).close());
      Process second =
          ChildJvm.plain()
              .start(KilledWriter.class, store.toString(), "0", "1")
              .redirectError(directory.resolve("told").toFile())
              .start();
      try (BufferedReader out = second.inputReader(StandardCharsets.UTF_8)) {
        assertEquals(null, out.readLine(), "two processes have the store open");
      } finally {
        second.destroyForcibly().waitFor();
      }
      assertEquals(0, numbers(first).size());
    }
  }

  // In this process, for planted bugs.

  private static EmbeddedStore open(Path path, Disk disk, TestClock clock) {
    StoreConfig config = KilledWriter.config(path);
    return FileJournal.openStore(config, disk, clock);
  }

  private static void write(EmbeddedStore store) {
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long number = 0; number < 100; number++) {
        NumberedEvents.add(batch, number);
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.DISK);
    }
  }

  private static TestClock clock() {
    return new TestClock(NumberedEvents.timeNanos(1_000_000));
  }

  @Test
  void nothingIsAcknowledgedWithoutTheLock() throws IOException {
    nothingIsAcknowledgedWithoutTheLock(directory);
  }

  static void nothingIsAcknowledgedWithoutTheLock(Path path) throws IOException {
    TestClock clock = clock();
    try (EmbeddedStore store = open(path, new RealDisk(), clock)) {
      write(store);
      Files.delete(path.resolve("LOCK"));
      clock.advance(Duration.ofSeconds(1).toNanos());
      var told = assertThrows(StorageException.Failed.class, () -> write(store));
      assertTrue(String.valueOf(told.getMessage()).contains("LOCK: it is gone"), told::toString);
      assertTrue(store.statistics().failure().contains("LOCK: it is gone"));
      assertTrue(numbers(store).size() > 0, "reading goes on");
    }
  }

  @Test
  void noFileIsChangedWithoutTheLock() throws IOException {
    noFileIsChangedWithoutTheLock(directory);
  }

  static void noFileIsChangedWithoutTheLock(Path path) throws IOException {
    for (boolean beforeTheName : new boolean[] {true, false}) {
      Path each = path.resolve("store-" + beforeTheName);
      try (EmbeddedStore store = open(each, new Losing(each, beforeTheName), clock())) {
        write(store);
        byte[] manifest = Files.readAllBytes(each.resolve("manifest"));
        store.sealAll();
        String end = store.statistics().failure();
        assertTrue(end.contains("LOCK: it is gone"), () -> "it goes on: " + end);
        assertEquals(List.of(manifest.length), List.of(sizeOf(each.resolve("manifest"))));
        try (Stream<Path> segments = Files.list(each.resolve("segments"))) {
          boolean named = segments.anyMatch(file -> file.toString().endsWith(".seg"));
          assertEquals(!beforeTheName, named, "a segment got its name");
        }
      }
    }
  }

  private static int sizeOf(Path file) throws IOException {
    return Math.toIntExact(Files.size(file));
  }

  /// A disk on which the lock file is removed before segments get their names, or when all have.
  private static final class Losing extends DiskAround {
    private final Path store;
    private final boolean beforeTheName;

    Losing(Path store, boolean beforeTheName) {
      super(new RealDisk());
      this.store = store;
      this.beforeTheName = beforeTheName;
    }

    @Override
    public DiskFile create(Path file) {
      if (beforeTheName && file.toString().endsWith(".seg.tmp")) {
        super.delete(store.resolve("LOCK"));
      }
      return super.create(file);
    }

    @Override
    public void forceDirectory(Path path) {
      super.forceDirectory(path);
      if (!beforeTheName && path.endsWith("segments")) {
        super.delete(store.resolve("LOCK"));
      }
    }
  }
}
