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
import io.widerow.faults.Seeds;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.maintenance.JournalPin;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: trimmed files are used again, and nothing of their earlier use is read, kept from a
/// deletion, or written over while a snapshot has it. Method: the real journal on the real disk,
/// with groups of random sizes that nothing compresses. What a power cut leaves of such files:
/// `JournalCut`.
class UsedFileTest {
  private static final long FILE_BYTES = 1 << 20;
  private static final int GROUPS = 40;

  private final SplittableRandom random = new SplittableRandom(Seeds.of(1).getFirst());
  @TempDir Path directory;

  private EventBatch batch(int events) {
    return JournalGroups.batch(events, random::nextBytes);
  }

  private Path journals() {
    return directory.resolve("journal");
  }

  private ChronicleJournalFactory factory(Executor executor) {
    return factory(new RealDisk(), executor);
  }

  private ChronicleJournalFactory factory(Disk disk, Executor executor) {
    return new ChronicleJournalFactory(disk, journals(), STORE, FILE_BYTES, executor);
  }

  /// Frames go round in a few files; a tailer of the library reads those of the last use only, and
  /// so does a replay.
  @Test
  void aTrimmedFileIsUsedAgain() {
    var made = new AtomicInteger();
    Disk counting =
        new DiskAround(new RealDisk()) {
          @Override
          public DiskFile create(Path file) {
            made.incrementAndGet();
            return super.create(file);
          }
        };
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, true);
        Journal journal = factory(counting, Runnable::run).create(3, 1)) {
      long keptFrom = 0;
      for (long lsn = 1; lsn <= 20 * GROUPS; lsn++) {
        try (EventBatch batch = batch(1 + random.nextInt(1_500))) {
          append(journal, encoder, batch, lsn);
        }
        if (random.nextInt(5) == 0) {
          journal.trim(Math.max(0, lsn - random.nextInt(8)));
        }
        assertTrue(journal.keptFrom() >= keptFrom && journal.keptFrom() <= lsn);
        keptFrom = journal.keptFrom();
        if (random.nextInt(20) == 0) {
          List<Long> found = replay(factory(Runnable::run));
          long first = found.getFirst();
          assertTrue(first >= keptFrom, first + " of " + keptFrom);
          assertEquals(LongStream.rangeClosed(first, lsn).boxed().toList(), found);
          assertEquals(
              LongStream.rangeClosed(lastFile().lsnFirst(), lsn).boxed().toList(),
              excerptsOfLastFile());
        }
      }
      long rolls = lastFile().number();
      assertTrue(made.get() < rolls / 3 && rolls > 40, made + " files made for " + rolls);
    }
  }

  private ChronicleJournalFactory.Found lastFile() {
    return ChronicleJournalFactory.Found.in(new RealDisk(), journals()).getLast();
  }

  /// LSNs that a tailer of the library finds in the last file.
  private List<Long> excerptsOfLastFile() {
    List<Long> lsns = new ArrayList<>();
    for (byte[] frame : LibraryQueue.read(lastFile().path(), FILE_BYTES)) {
      lsns.add(JournalFrame.lsn(MemorySegment.ofArray(frame)));
    }
    return lsns;
  }

  /// What a deletion waits for: then no file has a frame of that time, used again or not.
  @Test
  void nothingIsLeftOfFramesThatShallBeGone() throws IOException {
    long lsn = 0;
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(Runnable::run).create(3, 1)) {
      for (int round = 0; round < 8; round++) {
        long until = lsn + 10 + random.nextInt(GROUPS);
        while (lsn < until) {
          try (EventBatch batch = batch(1 + random.nextInt(2_000))) {
            append(journal, encoder, batch, ++lsn);
          }
          if (random.nextInt(8) == 0) {
            journal.trim(lsn - 1);
          }
        }
        long gone = lsn;
        assertTrue(journal.keptFrom() <= gone);
        journal.discard(gone);
        try (EventBatch batch = batch(9)) {
          append(journal, encoder, batch, ++lsn);
        }
        journal.trim(gone);
        assertTrue(journal.keptFrom() > gone, journal.keptFrom() + " after " + gone);
        assertEquals(List.of(lsn), lsnsInBytes());
      }
    }
  }

  /// LSNs of all headers anywhere in the journals' files.
  private List<Long> lsnsInBytes() throws IOException {
    List<Long> lsns = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> walked = Files.walk(journals())) {
      files = walked.filter(file -> file.endsWith(ChronicleFile.DATA_FILE)).toList();
    }
    for (Path file : files) {
      MemorySegment bytes = MemorySegment.ofArray(Files.readAllBytes(file));
      for (long at = 0; at + JournalFrame.HEADER_BYTES <= bytes.byteSize(); at++) {
        if (JournalFrame.magic(bytes, at) == JournalFrame.MAGIC) {
          lsns.add(JournalFrame.lsn(bytes.asSlice(at)));
        }
      }
    }
    return lsns;
  }

  /// A start on a full disk frees what an earlier use left, and no frame.
  @Test
  void whatIsLeftOfAnEarlierUseIsGivenBack() throws IOException {
    long lsn = 0;
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(Runnable::run).create(3, 1)) {
      while (lastFile().number() < 2) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
        journal.trim(lsn - 1);
      }
    }
    List<Long> before = replay(factory(Runnable::run));
    assertEquals(List.of(lsn), before, "the last file has one frame");
    assertTrue(lsnsInBytes().size() > 8, "nothing is left of the earlier use");
    long size = Files.size(lastFile().path().resolve(ChronicleFile.DATA_FILE));
    factory(Runnable::run).freeUnused();
    assertEquals(before, replay(factory(Runnable::run)));
    assertEquals(size, Files.size(lastFile().path().resolve(ChronicleFile.DATA_FILE)));
    int left = lsnsInBytes().size();
    assertTrue(left <= 2, left + " frames; one may begin in the last page that has to stay");
  }

  /// A snapshot may have it under another name.
  @Test
  void aFileWithASecondNameIsNotUsedAgain() throws IOException {
    Path link = directory.resolve("link");
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(Runnable::run).create(3, 1)) {
      long lsn = 0;
      Path first = lastFile().path().resolve(ChronicleFile.DATA_FILE);
      while (lastFile().number() < 2) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
      }
      Files.createLink(link, first);
      byte[] before = Files.readAllBytes(link);
      journal.trim(lsn);
      assertFalse(Files.exists(first));
      while (lastFile().number() < 6) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
        journal.trim(lsn);
      }
      assertArrayEquals(before, Files.readAllBytes(link));
    }
  }

  /// On a disk without room for a name the lane goes on in a file of its own, and nothing is left.
  @Test
  void aFileThatGetsNoNameIsDeleted() throws IOException {
    Path waits = journals().resolve(ChronicleJournalFactory.usedName(3));
    var refused = new AtomicInteger();
    Disk full =
        new DiskAround(new RealDisk()) {
          @Override
          public void rename(Path source, Path target) {
            if ((source.equals(waits) || target.equals(waits)) && random.nextBoolean()) {
              refused.incrementAndGet();
              throw new StorageException.DiskFull(target, 0, 1);
            }
            super.rename(source, target);
          }
        };
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(full, Runnable::run).create(3, 1)) {
      for (long lsn = 1; lsn <= 10 * GROUPS; lsn++) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, lsn);
        }
        journal.trim(lsn - 1);
        assertEquals(lsn, replay(factory(Runnable::run)).getLast());
      }
      assertTrue(refused.get() > 4, refused + " names were refused");
    }
    try (Journal _ = factory(Runnable::run).create(3, 10 * GROUPS + 1);
        Stream<Path> left = Files.list(journals())) {
      assertFalse(Files.exists(waits), "the next opening deletes it");
      assertEquals(2, left.count());
    }
  }

  /// A disk that fails now and then, with names or with deletions, does not end trimming: what a
  /// failed attempt left goes later.
  @Test
  void trimmingGoesOnAfterAFailure() throws IOException {
    Path waits = journals().resolve(ChronicleJournalFactory.usedName(3));
    var failures = new AtomicInteger();
    var trims = new AtomicBoolean();
    Disk failing =
        new DiskAround(new RealDisk()) {
          private void fail(Path path) {
            if (trims.get() && random.nextInt(3) == 0) {
              failures.incrementAndGet();
              throw new StorageException.Failed(path, "try", new IOException("now and then"));
            }
          }

          @Override
          public void forceDirectory(Path of) {
            fail(of);
            super.forceDirectory(of);
          }

          @Override
          public DiskFile openForWriting(Path file) {
            fail(file);
            return super.openForWriting(file);
          }

          @Override
          public boolean hasOneName(Path file) {
            return super.hasOneName(file) && random.nextInt(3) > 0;
          }
        };
    var told = new AtomicInteger();
    var pin =
        new JournalPin(trim -> {
          try {
            trim.run();
          } catch (StorageException.Failed failure) {
            told.incrementAndGet();
          }
        });
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(failing, Runnable::run).create(3, 1)) {
      for (long lsn = 1; lsn <= 20 * GROUPS; lsn++) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, lsn);
        }
        if (random.nextInt(8) == 0) {
          journal.discard(lsn - 9);
        }
        long sealed = lsn - 1;
        trims.set(true);
        pin.holding(() -> {
          pin.trim(journal, sealed);
          return sealed;
        });
        trims.set(false);
        try (Stream<Path> left = Files.list(journals())) {
          assertTrue(left.count() < 24, "files are left");
        }
        assertEquals(lsn, replay(factory(Runnable::run)).getLast());
      }
      assertTrue(failures.get() > 20 && told.get() > 10, failures + " failures, told " + told);
      journal.trim(20 * GROUPS - 1);
      journal.giveBack();
      assertFalse(Files.exists(waits));
    }
  }

  /// A file that was used again, after older ones that are full, has the least LSN of all.
  @Test
  void whatIsLeftInAYoungerFileIsKept() {
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(Runnable::run).create(3, 1)) {
      long lsn = 0;
      while (lastFile().number() < 2) { // the first file is used again when the second is full
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
        if (lastFile().number() == 1) {
          journal.trim(lastFile().lsnFirst() - 1);
        }
      }
      assertEquals(1, journal.keptFrom());
      journal.discard(lsn);
      try (EventBatch batch = batch(500)) {
        append(journal, encoder, batch, ++lsn);
      }
      assertEquals(3, lastFile().number());
      assertEquals(1, journal.keptFrom());
      journal.trim(lsn - 1);
      assertEquals(lsn, journal.keptFrom());
    }
  }

  /// On a disk without room for a new file, groups that shall go wait in the present one.
  @Test
  void discardingWaitsForRoom() {
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
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(disk, Runnable::run).create(3, 1)) {
      for (long lsn = 1; lsn <= 5; lsn++) {
        isFull.set(lsn < 5);
        try (EventBatch batch = batch(5)) {
          append(journal, encoder, batch, lsn);
        }
        journal.discard(3);
        assertEquals(lsn < 5 ? 0 : 1, lastFile().number());
      }
      journal.trim(4);
      assertEquals(5, journal.keptFrom());
    }
  }

  /// A thread that trims may wait long for the disk; the lane does not wait for it.
  @Test
  void aLaneGoesOnWhileAFileIsRenamed() throws Exception {
    var renamed = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    Path waits = journals().resolve(ChronicleJournalFactory.usedName(3));
    Disk slow =
        new DiskAround(new RealDisk()) {
          @Override
          public void rename(Path source, Path target) {
            super.rename(source, target);
            if (target.equals(waits)) {
              renamed.countDown();
              try {
                goOn.await();
              } catch (InterruptedException ending) {
                throw new IllegalStateException(ending);
              }
            }
          }
        };
    try (FrameEncoder encoder = new FrameEncoder(STORE, 3, false);
        Journal journal = factory(slow, Runnable::run).create(3, 1);
        var threads = Executors.newSingleThreadExecutor()) {
      long lsn = 0;
      while (lastFile().number() < 1) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
      }
      long sealed = lsn - 1;
      Future<?> trim = threads.submit(() -> journal.trim(sealed));
      renamed.await();
      while (lastFile().number() < 4) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, ++lsn);
        }
        assertTrue(journal.bytes() > 0 && journal.keptFrom() == 1);
      }
      journal.giveBack();
      assertFalse(trim.isDone());
      goOn.countDown();
      trim.get();
      journal.trim(lsn);
      assertEquals(1, journal.keptFrom(), "it waits");
      journal.giveBack();
      assertEquals(lastFile().lsnFirst(), journal.keptFrom());
    }
  }
}
