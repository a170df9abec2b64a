package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.ChildJvm;
import io.widerow.faults.DiskAround;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreReading;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a directory that is in use, not a store, of a newer format, read-only, or on a full disk
/// is refused with the reason and left unchanged. Method: the real disk, the real journal, and a
/// second process.
class StoreDirectoryTest {
  @TempDir Path directory;

  private static EmbeddedStore open(Path path) {
    return EmbeddedStore.open(KilledWriter.config(path), Runnable::run);
  }

  private static void write(EmbeddedStore store, long from, int count) {
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long number = from; number < from + count; number++) {
        NumberedEvents.add(batch, number);
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.DISK);
    }
  }

  private static int count(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).size();
    }
  }

  static Map<String, String> contents(Path directory) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        String bytes =
            Files.isRegularFile(file)
                ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                : "";
        contents.put(directory.relativize(file).toString(), bytes);
      }
    }
    contents.remove("LOCK");
    return contents;
  }

  private static void assertRefused(
      Class<? extends StorageException> why, Path path, String... words) throws IOException {
    Map<String, String> before = contents(path);
    var told = assertThrows(why, () -> open(path).close());
    for (String word : words) {
      assertTrue(String.valueOf(told.getMessage()).contains(word), told::toString);
    }
    assertEquals(before, contents(path));
  }

  /// Another program creates a store in the directory, writes to it and ends, after this one saw
  /// the directory empty.
  @ParameterizedTest
  @EnumSource
  void aStoreThatWasMadeMeanwhileIsOpenedAndNotMadeAnew(Meanwhile moment) {
    var written = new AtomicInteger();
    Disk disk =
        new Overtaken(
            moment,
            () -> {
              try (EmbeddedStore first = open(directory)) {
                write(first, 0, 100);
                written.set(count(first));
              }
            });
    StoreConfig config = KilledWriter.config(directory);
    try (EmbeddedStore second =
        new EmbeddedStore(
            new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
                .open(id ->
                    ChronicleJournalFactory.of(
                        config.directory(), config.journalFileBytes(), disk, id, Runnable::run)))) {
      assertTrue(written.get() > 0, "nobody was at work");
      assertEquals(written.get(), count(second));
    }
    try (EmbeddedStore again = open(directory)) {
      assertEquals(written.get(), count(again));
    }
  }

  enum Meanwhile {
    BEFORE_THE_LIST,
    BEFORE_THE_LOCK
  }

  /// A disk that lets another program run once, at a given moment of an open.
  private static final class Overtaken extends DiskAround {
    private final Meanwhile moment;
    private final Runnable other;
    private boolean over;

    Overtaken(Meanwhile moment, Runnable other) {
      super(new RealDisk());
      this.moment = moment;
      this.other = other;
    }

    private void at(Meanwhile now) {
      if (now == moment && !over) {
        over = true;
        other.run();
      }
    }

    @Override
    public List<Path> list(Path path) {
      at(Meanwhile.BEFORE_THE_LIST);
      return super.list(path);
    }

    @Override
    public Lock lock(Path file, String owner) {
      at(Meanwhile.BEFORE_THE_LOCK);
      return super.lock(file, owner);
    }
  }

  /// The process that holds the lock has not written its name yet; the file names an ended one.
  @Test
  void theOwnerIsNamedAlsoBeforeItHasWrittenItsName() throws Exception {
    Path file = directory.resolve("LOCK");
    Files.writeString(file, "process 999999999");
    String owner = "process " + ProcessHandle.current().pid();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertTrue(held.isValid());
      CompletableFuture<String> told = new CompletableFuture<>();
      Thread second =
          Thread.ofPlatform()
              .start(() -> {
                var locked =
                    assertThrows(
                        StorageException.Locked.class,
                        () -> new RealDisk().lock(file, "somebody").close());
                told.complete(String.valueOf(locked.getMessage()));
              });
      Await.until(
          () -> second.getState() == Thread.State.TIMED_WAITING || !second.isAlive(),
          "the second opening waits");
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
      assertTrue(told.get().endsWith("in use by " + owner), told::toString);
      second.join();
    }
  }

  @Test
  @Tag("process")
  void aStoreInUseIsRefusedAndTheOwnerNamed() throws Exception {
    Path path = directory.resolve("store");
    try (EmbeddedStore store = open(path)) {
      write(store, 0, 10);
      String pid = Long.toString(ProcessHandle.current().pid());
      var here = assertThrows(StorageException.Locked.class, () -> open(path).close());
      assertTrue(String.valueOf(here.getMessage()).contains(pid), here::toString);
      assertThrows(StorageException.Locked.class, () -> EmbeddedStore.openForReading(path).close());
    }
    Process other = ChildJvm.plain().start(KilledWriter.class, path.toString(), "10", "1").start();
    try (BufferedReader out = other.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("open", out.readLine());
      String pid = Long.toString(other.pid());
      var there = assertThrows(StorageException.Locked.class, () -> open(path).close());
      assertTrue(String.valueOf(there.getMessage()).contains(pid), there::toString);
      assertThrows(StorageException.Locked.class, () -> EmbeddedStore.openForReading(path).close());
    } finally {
      other.destroyForcibly().waitFor();
    }
    open(path).close();
  }

  @Test
  void aDirectoryThatIsNotOursIsLeftAlone() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "text");
    assertThrows(StorageException.class, () -> open(file).close());
    assertEquals("text", Files.readString(file));
    Path foreign = Files.createDirectory(directory.resolve("foreign"));
    Files.writeString(foreign.resolve("letter"), "text");
    assertRefused(StorageException.Incompatible.class, foreign, "not a Widerow store", "letter");
    assertThrows(
        StorageException.class, () -> open(directory.resolve("absent").resolve("store")).close());
    assertThrows(
        StorageException.Incompatible.class, () -> EmbeddedStore.openForReading(foreign).close());
  }

  @Test
  void aNewerStoreIsLeftAlone() throws IOException {
    Path path = directory.resolve("store");
    try (EmbeddedStore store = open(path)) {
      write(store, 0, 10);
    }
    Path format = path.resolve("FORMAT");
    String good = Files.readString(format);
    Files.writeString(format, good.replace("widerow-store 1", "widerow-store 2"));
    String both = "this is Widerow %s, and Widerow 0.9.7 wrote".formatted(BuildVersion.value());
    Files.writeString(path.resolve("VERSIONS"), StoreVersionsTest.text("0.8.0", "0.9.7"));
    assertRefused(
        StorageException.Incompatible.class, path, "FORMAT", "newer", "widerow-store 2", both);
    Files.writeString(format, withFeature(good, "incompatible"));
    assertRefused(StorageException.Incompatible.class, path, "FORMAT", "features", both);
    Files.writeString(format, withFeature(good, "read-only"));
    assertRefused(StorageException.ReadOnly.class, path, "forbids writing", both);
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      assertTrue(count(store) > 0);
    }
    Files.writeString(format, withFeature(good, "\ncompatible"));
    open(path).close();
  }

  /// A program without positions of sources, one that knows only bit 0, refuses the store.
  @Test
  void sourcesAreAFeature() throws IOException {
    Path path = directory.resolve("store");
    try (EmbeddedStore store = open(path)) {
      store.allowSources();
      store.allowSources();
    }
    assertTrue(Files.readString(path.resolve("FORMAT")).contains("incompatible 0000000000000002"));
    open(path).close();
  }

  private static String withFeature(String format, String kind) {
    String lines = format.substring(0, format.lastIndexOf("crc32c "));
    lines = lines.replace(kind + " 0000000000000000", kind + " 8000000000000000");
    var crc = new java.util.zip.CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return lines + "crc32c %08x\n".formatted(crc.getValue());
  }

  @Test
  void aReaderThatIsInterruptedDisturbsNoOther() throws Exception {
    try (EmbeddedStore store = open(directory.resolve("store"))) {
      write(store, 0, 1_000);
      store.sealAll();
      int all = count(store);
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                Thread.currentThread().interrupt();
                count(store);
              });
      reader.join();
      assertEquals(all, count(store));
    }
  }

  @Test
  @Tag("process")
  void aFullDiskIsToldAndWritingGoesOn() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount.toString()) == 0,
        "a file system cannot be mounted here");
    try {
      Path ballast = mount.resolve("ballast");
      try (EmbeddedStore store = open(mount.resolve("store"))) {
        write(store, 0, 100);
        Files.write(
            ballast, new byte[(int) (Files.getFileStore(mount).getUsableSpace() - (1 << 20))]);
        long number = 100;
        while (number < 3_000_000) {
          long from = number;
          try {
            write(store, from, 1_000);
            number += 1_000;
          } catch (StorageException.DiskFull full) {
            break;
          }
        }
        assertTrue(number < 3_000_000, "the disk was never full");
        count(store);
        Files.delete(ballast);
        store.maintain();
        write(store, number, 1_000);
        assertTrue(count(store) > 100);
      }
      try (EmbeddedStore again = open(mount.resolve("store"))) {
        assertTrue(count(again) > 100);
      }
    } finally {
      assertEquals(0, run("umount", mount.toString()));
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
