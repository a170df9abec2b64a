package io.widerow.storage.journal;

import static io.widerow.storage.journal.JournalGroups.STORE;
import static io.widerow.storage.journal.JournalGroups.append;
import static io.widerow.storage.journal.JournalGroups.replay;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.DiskAround;
import io.widerow.faults.Seeds;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: journal files are small in a calm store and large in a busy one, no lane creates one that
/// another thread can create, and no frame is lost over that. Method: the real journal on the real
/// disk, with a clock of the test and an executor whose tasks the test runs. What a power cut
/// leaves of such files: `JournalCut`.
class FileSizesTest {
  private static final int LANE = 3;
  private static final long FIRST_BYTES = 256 << 10;
  private static final long FILE_BYTES = 2 << 20;
  private static final long CALM_NANOS = Duration.ofMinutes(1).toNanos();

  private final SplittableRandom random = new SplittableRandom(Seeds.of(1).getFirst());
  private final AtomicLong nanos = new AtomicLong(-5);
  private final List<Runnable> tasks = new ArrayList<>();
  private final FrameEncoder encoder = new FrameEncoder(STORE, LANE, false);
  private long lsn;
  @TempDir Path directory;

  @AfterEach
  void free() {
    encoder.close();
  }

  private Path journals() {
    return directory.resolve("journal");
  }

  private ChronicleJournalFactory factory(Disk disk) {
    return new ChronicleJournalFactory(
        disk, journals(), STORE, FIRST_BYTES, FILE_BYTES, nanos::get, tasks::add);
  }

  private Journal journal() {
    return factory(new RealDisk()).create(LANE, 1);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  private void write(Journal journal, int events) {
    try (EventBatch batch = JournalGroups.batch(events, random::nextBytes)) {
      append(journal, encoder, batch, ++lsn);
    }
  }

  /// Writes until the next file begins.
  ///
  /// @return bytes of that file
  private long writeFile(Journal journal) {
    long number = journal.current().number();
    while (journal.current().number() == number) {
      write(journal, 40);
      runTasks();
    }
    return bytes(journal);
  }

  /// Bytes that the present file takes.
  private static long bytes(Journal journal) {
    return journal.current().reservedBytes() * 4 / 5;
  }

  private List<String> names() {
    try (Stream<Path> files = Files.list(journals())) {
      return files.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /// Bytes that the present file takes on the disk.
  private long allocated() throws IOException {
    Path data = journals().resolve(names().getFirst()).resolve(ChronicleFile.DATA_FILE);
    Process stat = new ProcessBuilder("stat", "-c", "%b %B", data.toString()).start();
    String out = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    String[] blocks = out.strip().split(" ", 2);
    return Long.parseLong(blocks[0]) * Long.parseLong(blocks[1]);
  }

  @Tag("process")
  @Test
  void aFileTakesItsBytesAndTheRestIsAHole() throws IOException {
    try (Journal journal = journal()) {
      assertEquals(FIRST_BYTES, journal.bytes());
      assertEquals(FIRST_BYTES, bytes(journal));
      long allocated = allocated();
      assertTrue(
          allocated >= FIRST_BYTES && allocated < FIRST_BYTES + FIRST_BYTES / 8,
          allocated + " bytes on the disk");
    }
  }

  @Test
  void filesBecomeLargerWhileTheyFillQuickly() {
    try (Journal journal = journal()) {
      List<Long> quick = new ArrayList<>();
      for (int file = 0; file < 5; file++) {
        nanos.addAndGet(FileSizes.QUICK_NANOS / 2 - 1);
        quick.add(writeFile(journal));
      }
      assertEquals(
          List.of(2 * FIRST_BYTES, 4 * FIRST_BYTES, FILE_BYTES, FILE_BYTES, FILE_BYTES), quick);
    }
  }

  @Test
  void filesStayAsTheyAreWhenTheyLastLong() {
    try (Journal journal = journal()) {
      for (int file = 0; file < 3; file++) {
        nanos.addAndGet(FileSizes.QUICK_NANOS / 2);
        assertEquals(FIRST_BYTES, writeFile(journal));
      }
    }
  }

  /// The file that was made ahead is too small then.
  @Test
  void aFileHasRoomForTheFrameThatBeginsIt() {
    try (Journal journal = journal()) {
      while (!names().contains(ChronicleJournalFactory.spareName(LANE))) {
        write(journal, 40);
        nanos.addAndGet(CALM_NANOS);
        runTasks();
      }
      write(journal, 3_000);
      assertEquals(2 * FIRST_BYTES, bytes(journal));
      assertEquals(2, names().size(), () -> names().toString());
      write(journal, 6_000);
      assertEquals(4 * FIRST_BYTES, bytes(journal));
      assertThrows(IllegalArgumentException.class, () -> write(journal, 14_000));
    }
    assertEquals(lsn - 1, replay(factory(new RealDisk())).size());
  }

  @Test
  void aCalmJournalIsOneSmallFile() {
    try (Journal journal = journal()) {
      while (bytes(journal) < FILE_BYTES) {
        writeFile(journal);
      }
      assertFalse(journal.rest(), "the file was filled quickly, or may be");
      assertEquals(FILE_BYTES, bytes(journal));
      nanos.addAndGet(CALM_NANOS);
      List<String> before = names();
      assertFalse(journal.rest(), "the lane creates no file");
      assertEquals(before, names());
      runTasks();
      assertTrue(journal.rest());
      assertEquals(FIRST_BYTES, bytes(journal));
      journal.trim(lsn);
      assertEquals(FIRST_BYTES, journal.bytes());
      assertEquals(1, names().size(), () -> names().toString());
      assertTrue(journal.rest());
      assertEquals(1, names().size(), () -> names().toString());
      assertEquals(lsn + 1, journal.keptFrom());
      write(journal, 1);
    }
    assertEquals(List.of(lsn), replay(factory(new RealDisk())));
  }

  /// Rows may be sealed before the journal rests.
  @Test
  void aFileThatWasTrimmedTooEarlyGoesWithTheNextTrim() {
    try (Journal journal = journal()) {
      writeFile(journal);
      journal.trim(lsn);
      nanos.addAndGet(CALM_NANOS);
      while (!journal.rest()) {
        runTasks();
      }
      assertEquals(2, names().size(), () -> names().toString());
      journal.trim(0);
      assertEquals(1, names().size(), () -> names().toString());
    }
  }

  /// A file made ahead for a busy lane is too large for a calm one.
  @Test
  void aLargeFileMadeAheadGoesToo() {
    try (Journal journal = journal()) {
      while (bytes(journal) < FILE_BYTES || !names().contains(spare())) {
        write(journal, 40);
        runTasks();
      }
      assertEquals(2 * FILE_BYTES, journal.bytes() - fullBytes(journal));
      nanos.addAndGet(CALM_NANOS);
      while (!journal.rest()) {
        runTasks();
      }
      journal.trim(lsn);
      assertEquals(FIRST_BYTES, journal.bytes());
      assertEquals(1, names().size(), () -> names().toString());
    }
  }

  private static String spare() {
    return ChronicleJournalFactory.spareName(LANE);
  }

  /// Bytes of the files before the present one.
  private long fullBytes(Journal journal) {
    long number = journal.current().number();
    return LongStream.range(0, number).map(each -> Math.min(FIRST_BYTES << each, FILE_BYTES)).sum();
  }

  /// A file that holds frames of an earlier use rests without the zeros over them, which would take
  /// long; it is not used a third time.
  @Test
  void aFileInItsSecondUseIsNotUsedAgain() {
    try (Journal journal = journal()) {
      while (bytes(journal) < FILE_BYTES) {
        writeFile(journal);
      }
      writeFile(journal);
      journal.trim(lsn - 1);
      writeFile(journal); // in the file that was trimmed
      assertTrue(journal.keptFrom() < lsn, "a file is used again");
      nanos.addAndGet(CALM_NANOS);
      while (!journal.rest()) {
        runTasks();
      }
      journal.trim(lsn);
      assertEquals(lsn + 1, journal.keptFrom());
      assertEquals(1, names().size(), () -> names().toString());
    }
  }

  @Test
  void aFullDiskOnlyDelaysIt() {
    var isFull = new AtomicBoolean();
    Disk disk =
        new DiskAround(new RealDisk()) {
          @Override
          public void createDirectory(Path made) {
            if (isFull.get()) {
              throw new StorageException.DiskFull(made, 0, 1);
            }
            super.createDirectory(made);
          }
        };
    try (Journal journal = factory(disk).create(LANE, 1)) {
      writeFile(journal);
      nanos.addAndGet(CALM_NANOS);
      isFull.set(true);
      for (int call = 0; call < 3; call++) {
        assertFalse(journal.rest());
        runTasks();
        write(journal, 1);
      }
      isFull.set(false);
      assertFalse(journal.rest());
      runTasks();
      assertTrue(journal.rest());
      journal.trim(lsn);
      assertEquals(FIRST_BYTES, journal.bytes());
    }
  }

  static List<Long> seeds() {
    return Seeds.of(12);
  }

  /// Any order of all that a journal does: every frame that was not trimmed comes back, files have
  /// one of the sizes, and a calm journal ends as one small file.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyFrameComesBackWhateverTheSizes(long seed) {
    var chance = new SplittableRandom(seed);
    long trimmed = 0;
    try (Journal journal = journal()) {
      for (int step = 0; step < 250; step++) {
        switch (chance.nextInt(12)) {
          case 0 -> nanos.addAndGet(chance.nextLong(CALM_NANOS));
          case 1, 2 -> runTasks();
          case 3 -> {
            trimmed = chance.nextLong(trimmed, lsn + 1);
            journal.trim(trimmed);
          }
          case 4 -> {
            boolean rests = journal.rest();
            assertFalse(rests && bytes(journal) > FIRST_BYTES, "it rests in a large file");
          }
          case 5 -> journal.trim(0);
          case 6 -> journal.discard(chance.nextLong(trimmed + 1));
          case 7 -> write(journal, 1 + chance.nextInt(4_000));
          default -> write(journal, 1 + chance.nextInt(300));
        }
        long times = bytes(journal) / FIRST_BYTES;
        assertTrue(Long.bitCount(times) == 1 && bytes(journal) <= FILE_BYTES, times + " times");
      }
      List<Long> left = replay(factory(new RealDisk()));
      long from = left.isEmpty() ? lsn + 1 : left.getFirst();
      assertTrue(from <= trimmed + 1, from + " of " + trimmed);
      assertEquals(LongStream.rangeClosed(from, lsn).boxed().toList(), left);
      nanos.addAndGet(CALM_NANOS);
      while (!journal.rest()) {
        runTasks();
      }
      journal.trim(lsn);
      runTasks();
      assertTrue(journal.bytes() <= FIRST_BYTES, journal.bytes() + " bytes, " + names());
    }
  }
}
