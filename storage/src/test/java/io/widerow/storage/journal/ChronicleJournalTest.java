package io.widerow.storage.journal;

import static io.widerow.storage.journal.JournalGroups.STORE;
import static io.widerow.storage.journal.JournalGroups.append;
import static io.widerow.storage.journal.JournalGroups.replay;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: appended frames are read back in order, across files, and trimming keeps those still
/// needed. Method: the real journal on the real disk, read by the scanner.
class ChronicleJournalTest {
  private static final long FILE_BYTES = 1 << 20;
  private static final int GROUPS = 40;

  @TempDir Path directory;

  private static EventBatch batch(int events) {
    return JournalGroups.batch(events, _ -> {});
  }

  private Path journals() {
    return directory.resolve("journal");
  }

  private ChronicleJournalFactory factory(Executor executor) {
    return new ChronicleJournalFactory(new RealDisk(), journals(), STORE, FILE_BYTES, executor);
  }

  /// Writes groups of a lane, each of the same events.
  private static final class Writer implements AutoCloseable {
    private final FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
    private final EventBatch batch;
    private final Journal journal;
    private long lsn;

    Writer(ChronicleJournalFactory factory, int events) {
      batch = batch(events);
      journal = factory.create(3, 1);
    }

    void append() {
      JournalGroups.append(journal, encoder, batch, ++lsn);
    }

    /// Fills several files.
    void appendAll() {
      while (lsn < GROUPS) {
        append();
      }
    }

    @Override
    public void close() {
      journal.close();
      encoder.close();
      batch.close();
    }
  }

  @Test
  void framesComeBackInOrderAndTrimmedFilesGo() throws IOException {
    ChronicleJournalFactory factory = factory(Runnable::run);
    try (Writer it = new Writer(factory, 1_000)) {
      it.appendAll();
      try (Stream<Path> files = Files.walk(journals())) {
        List<Path> data = files.filter(file -> file.toString().endsWith(".cq4")).toList();
        assertTrue(data.size() > 4, data.toString());
        for (Path file : data) {
          assertEquals(FILE_BYTES + FILE_BYTES / 4, Files.size(file), file.toString());
          assertEquals(ChronicleFile.DATA_FILE, String.valueOf(file.getFileName()));
        }
      }
      assertEquals(GROUPS, replay(factory).size());
      long before = it.journal.bytes();
      it.journal.trim(GROUPS / 2);
      assertTrue(it.journal.bytes() < before, it.journal.bytes() + " of " + before);
      List<Long> left = replay(factory);
      assertEquals(GROUPS, left.getLast());
      assertTrue(left.getFirst() <= GROUPS / 2 + 1, left.toString());
    }
    factory.deleteReplayed();
    assertEquals(List.of(), replay(factory));
  }

  /// Frames that are larger than one read, and smaller frames across the ends of a read.
  @Test
  void framesOfAllSizesComeBack() {
    ChronicleJournalFactory factory =
        new ChronicleJournalFactory(
            new RealDisk(), journals(), STORE, 8 * FILE_BYTES, Runnable::run);
    int[] events = {1, 5_000, 700, 700, 1, 4_000, 2_500, 1, 1, 5_000, 5_000, 30};
    List<Long> lengths = new ArrayList<>();
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory.create(3, 1)) {
      for (int i = 0; i < events.length; i++) {
        try (EventBatch batch = batch(events[i])) {
          append(journal, encoder, batch, i + 1);
          lengths.add(batch.bytes());
        }
      }
    }
    List<Long> read = new ArrayList<>();
    try (FrameDecoder decoder = new FrameDecoder(STORE)) {
      factory.replay((lane, file, sequence, frame) -> {
        assertEquals(FrameDecoder.Verdict.VALID, decoder.decode(lane, frame));
        read.add((long) JournalFrame.rawBytes(frame));
      });
    }
    assertEquals(lengths, read);
    assertTrue(lengths.get(1) > FrameScanner.READ_BYTES, lengths.toString());
  }

  /// Files after the last wanted frame are named but not read.
  @Test
  void noMoreIsReadThanIsWanted() throws IOException {
    List<Path> opened = new ArrayList<>();
    Disk disk =
        new DiskAround(new RealDisk()) {
          @Override
          public DiskFile open(Path file) {
            return new DiskFileAround(super.open(file)) {
              @Override
              public long read(MemorySegment target, long offset) {
                opened.add(path());
                return super.read(target, offset);
              }
            };
          }
        };
    var factory = new ChronicleJournalFactory(disk, journals(), STORE, FILE_BYTES, Runnable::run);
    try (Writer it = new Writer(factory, 1_000)) {
      it.appendAll();
    }
    List<Long> lsns = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    opened.clear();
    factory.replay(
        new Journal.FrameReader() {
          @Override
          public void frame(int lane, Path file, long sequence, MemorySegment frame) {
            lsns.add(JournalFrame.lsn(frame));
          }

          @Override
          public void file(JournalFile file) {
            files.add(file.path());
          }

          @Override
          public boolean wants(int lane) {
            return lsns.size() < 3;
          }
        });
    assertEquals(List.of(1L, 2L, 3L), lsns);
    assertEquals(files.subList(0, 1), opened.stream().distinct().toList());
    assertTrue(files.size() > 4, files.toString());
    factory.deleteReplayed();
    assertEquals(List.of(), replay(factory));
  }

  @Test
  void aFileIsMadeAheadOnTheExecutorAndTakenUnderItsName() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    Path spare = journals().resolve(ChronicleJournalFactory.spareName(3));
    try (Writer it = new Writer(factory(tasks::add), 1_000)) {
      while (tasks.isEmpty()) {
        it.append();
      }
      long half = it.journal.bytes();
      assertFalse(Files.exists(spare));
      tasks.removeFirst().run();
      assertTrue(Files.exists(spare));
      assertEquals(2 * half, it.journal.bytes());
      while (Files.exists(spare)) {
        it.append();
      }
      it.append();
      assertEquals(2, directories()); // the spare got its name, and none is made again
      while (tasks.isEmpty()) {
        it.append();
      }
      assertEquals(it.lsn, replay(factory(Runnable::run)).size());
    }
  }

  /// No force then waits for more than one step.
  @Test
  void aFileIsFilledAsTheOneBeforeItFillsUp() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    Path spare = journals().resolve(ChronicleJournalFactory.spareName(3));
    try (Writer it = new Writer(factory(tasks::add), 50)) {
      int runs = 0;
      while (directories() < 2 || Files.exists(spare)) {
        it.append();
        for (; !tasks.isEmpty(); runs++) {
          tasks.removeFirst().run();
        }
      }
      assertTrue(runs >= FILE_BYTES / FreshFile.STEP_BYTES, runs + " runs");
      assertEquals(it.lsn, replay(factory(Runnable::run)).size());
    }
  }

  @Test
  void aFileIsFilledStepByStepAndNoFurtherThanWanted() {
    var disk = new RealDisk();
    try (FreshFile fresh = FreshFile.begin(disk, directory.resolve("fresh"), FILE_BYTES)) {
      assertFalse(fresh.fillStep(0));
      assertTrue(fresh.fillStep(1));
      assertFalse(fresh.fillStep(FreshFile.STEP_BYTES));
      int steps = 1;
      while (!fresh.isFilled()) {
        assertTrue(fresh.fillStep(Long.MAX_VALUE));
        steps++;
      }
      assertEquals(FILE_BYTES / FreshFile.STEP_BYTES, steps);
      assertFalse(fresh.fillStep(Long.MAX_VALUE));
    }
    assertFalse(disk.exists(directory.resolve("fresh")), "it was never finished");
  }

  @Test
  void aFileThatWasBegunIsDeletedWithTheJournal() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    try (Writer it = new Writer(factory(tasks::add), 1_000)) {
      while (tasks.isEmpty()) {
        it.append();
      }
      tasks.removeFirst().run();
      assertEquals(2, directories());
    }
    assertEquals(1, directories());
  }

  @Test
  void aFileThatGetsNoNameForWantOfRoomLeavesItsPlaceToTheNext() throws IOException {
    var failures = new AtomicInteger();
    Disk full =
        withoutRoom((source, _) ->
            source.endsWith(ChronicleJournalFactory.spareName(3))
                && failures.getAndIncrement() == 0);
    var factory = new ChronicleJournalFactory(full, journals(), STORE, FILE_BYTES, Runnable::run);
    try (Writer it = new Writer(factory, 1_000)) {
      it.appendAll();
    }
    assertTrue(failures.get() > 1, failures + " files got their names");
    assertEquals(GROUPS, replay(factory).size());
  }

  @Test
  void filesAreMadeWrittenAndClosedByDifferentThreads() throws Exception {
    try (EventBatch batch = batch(1_000);
        FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        ExecutorService background = Executors.newSingleThreadExecutor();
        ExecutorService lane = Executors.newSingleThreadExecutor();
        Journal journal = factory(background).create(3, 1)) {
      lane.submit(
              () -> {
                for (long lsn = 1; lsn <= GROUPS; lsn++) {
                  append(journal, encoder, batch, lsn);
                }
              })
          .get();
    }
    assertEquals(GROUPS, replay(factory(Runnable::run)).size());
  }

  @Test
  void aFileThatTheExecutorHadNoTimeForIsMadeByTheLane() throws IOException {
    List<Runnable> tasks = new ArrayList<>();
    try (Writer it = new Writer(factory(tasks::add), 1_000)) {
      it.appendAll();
      int files = directories();
      tasks.forEach(Runnable::run); // too late: only the last is still wanted
      assertEquals(files + 1, directories());
      assertEquals(GROUPS, replay(factory(Runnable::run)).size());
    }
    assertFalse(Files.exists(journals().resolve(ChronicleJournalFactory.spareName(3))));
  }

  /// A snapshot may have it under another name.
  @Test
  void aFileThatHasASecondNameIsTrimmedAndNotTouched() throws IOException {
    Path link = directory.resolve("link");
    try (Writer it = new Writer(factory(Runnable::run), 1_000)) {
      Path first;
      try (var names = Files.list(journals())) {
        first = names.findFirst().orElseThrow().resolve(ChronicleFile.DATA_FILE);
      }
      it.appendAll();
      Files.createLink(link, first);
      byte[] before = Files.readAllBytes(link);
      int files = directories();
      it.journal.trim(GROUPS);
      assertTrue(directories() < files, "nothing was trimmed");
      assertFalse(Files.exists(first));
      assertArrayEquals(before, Files.readAllBytes(link));
    }
  }

  /// Trimming itself frees space.
  @Test
  void aFileIsTrimmedOnADiskThatHasNoRoomForAName() throws IOException {
    Disk full = withoutRoom((_, target) -> target.endsWith(ChronicleJournalFactory.trimmedName(3)));
    var factory = new ChronicleJournalFactory(full, journals(), STORE, FILE_BYTES, Runnable::run);
    try (Writer it = new Writer(factory, 1_000)) {
      it.appendAll();
      int files = directories();
      it.journal.trim(GROUPS);
      assertTrue(directories() < files, "nothing was trimmed");
    }
  }

  /// A failure, or a crash, may leave a file half deleted.
  @Test
  void whatATrimLeftIsDeletedByTheNextOne() throws IOException {
    Path left = journals().resolve(ChronicleJournalFactory.trimmedName(3));
    try (Writer it = new Writer(factory(Runnable::run), 1_000)) {
      it.appendAll();
      Files.createDirectory(left);
      Files.writeString(left.resolve(ChronicleFile.DATA_FILE), "some");
      it.journal.trim(GROUPS);
      assertFalse(Files.exists(left));
    }
  }

  @Test
  void aFileWithoutFramesThatACrashLeftIsDeleted() throws IOException {
    for (String name :
        List.of(
            ChronicleJournalFactory.spareName(3),
            ChronicleJournalFactory.spareName(9),
            ChronicleJournalFactory.trimmedName(3),
            ChronicleJournalFactory.trimmedName(9))) {
      ChronicleFile.create(
              new RealDisk(), Files.createDirectories(journals()).resolve(name), FILE_BYTES)
          .close();
    }
    ChronicleJournalFactory factory = factory(Runnable::run);
    assertEquals(List.of(), replay(factory));
    factory.create(3, 1).close();
    factory.deleteReplayed();
    assertEquals(1, directories());
    assertEquals(List.of(), replay(factory));
  }

  /// The machine's disk, without room for some new names.
  private static Disk withoutRoom(BiPredicate<Path, Path> refused) {
    return new DiskAround(new RealDisk()) {
      @Override
      public void rename(Path source, Path target) {
        if (refused.test(source, target)) {
          throw new StorageException.DiskFull(target, 0, 1);
        }
        super.rename(source, target);
      }
    };
  }

  private int directories() throws IOException {
    try (Stream<Path> files = Files.list(journals())) {
      return (int) files.count();
    }
  }

  /// The room that a killed store's journals give back on a full disk holds no frame that a replay
  /// finds.
  @Test
  void whatIsGivenBackHoldsNoFrame() throws IOException {
    try (FrameEncoder encoder = new FrameEncoder(STORE, 0, true);
        EventBatch batch = batch(1_000);
        Journal journal = factory(Runnable::run).create(0, 1)) {
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        append(journal, encoder, batch, lsn);
      }
      Path unfinished = Files.createDirectory(journals().resolve("1-spare"));
      Files.createFile(unfinished.resolve(ChronicleFile.DATA_FILE));
      List<Long> before = replay(factory(Runnable::run));
      List<Long> sizes = sizes();
      factory(Runnable::run).freeUnused();
      factory(Runnable::run).freeUnused();
      assertFalse(Files.exists(unfinished));
      assertEquals(GROUPS, before.size());
      assertEquals(before, replay(factory(Runnable::run)));
      assertEquals(sizes.subList(0, sizes.size() - 1), sizes(), "sizes stay");
    }
  }

  /// Sizes of all data files, by name of their directory.
  private List<Long> sizes() throws IOException {
    List<Long> sizes = new ArrayList<>();
    try (Stream<Path> directories = Files.list(journals())) {
      for (Path file : directories.sorted().toList()) {
        sizes.add(Files.size(file.resolve(ChronicleFile.DATA_FILE)));
      }
    }
    return sizes;
  }
}
