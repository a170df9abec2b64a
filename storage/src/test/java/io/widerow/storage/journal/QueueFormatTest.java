package io.widerow.storage.journal;

import static io.widerow.storage.journal.JournalGroups.STORE;
import static io.widerow.storage.journal.JournalGroups.append;
import static io.widerow.storage.journal.JournalGroups.replay;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Seeds;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a journal file is a data file of Chronicle Queue at every stage of its life, although the
/// library has not written it. Method: the header is compared with the library's own byte for byte,
/// and a tailer of the library reads a copy of each file that a journal leaves: fresh, with frames
/// of all sizes, full, used again, torn, after a restart, with its end given back, in a snapshot.
class QueueFormatTest {
  private static final long FILE_BYTES = 1 << 20;
  private static final int LANE = 3;

  private final SplittableRandom random = new SplittableRandom(Seeds.of(1).getFirst());
  @TempDir Path directory;
  private int copies;

  private Path journals() {
    return directory.resolve("journal");
  }

  private ChronicleJournalFactory factory() {
    return new ChronicleJournalFactory(
        new RealDisk(), journals(), STORE, FILE_BYTES, Runnable::run);
  }

  private EventBatch batch(int events) {
    return JournalGroups.batch(events, random::nextBytes);
  }

  private static List<Path> files(Path journals) {
    return ChronicleJournalFactory.Found.in(new RealDisk(), journals).stream()
        .map(ChronicleJournalFactory.Found::path)
        .toList();
  }

  /// The excerpts that a tailer finds in a file. It reads a copy, since it writes a file of its own
  /// next to the data file.
  private List<byte[]> excerpts(Path file) throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy-" + copies++));
    Path data = copy.resolve(ChronicleFile.DATA_FILE);
    Files.copy(file.resolve(ChronicleFile.DATA_FILE), data);
    List<byte[]> excerpts = LibraryQueue.read(copy, FILE_BYTES);
    Files.delete(data);
    return excerpts;
  }

  /// LSNs that a tailer finds in a file.
  private List<Long> tailed(Path file) throws IOException {
    return excerpts(file).stream()
        .map(frame -> JournalFrame.lsn(MemorySegment.ofArray(frame)))
        .toList();
  }

  /// LSNs that a tailer finds in all files of the journals, one after the other.
  private List<Long> tailed() throws IOException {
    List<Long> lsns = new ArrayList<>();
    for (Path file : files(journals())) {
      lsns.addAll(tailed(file));
    }
    return lsns;
  }

  private static List<Long> lsns(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @ParameterizedTest
  @ValueSource(longs = {1 << 20, (3 << 20) + 4, 64 << 20})
  void aFreshFileIsByteForByteThatOfTheLibrary(long bytes) throws IOException {
    Path made = Files.createDirectory(directory.resolve("library"));
    assertEquals(QueueHeader.BYTES, LibraryQueue.writeHeader(made, bytes));
    Path own = directory.resolve("own");
    ChronicleFile.create(new RealDisk(), own, bytes).close();
    Path ownData = own.resolve(ChronicleFile.DATA_FILE);
    assertEquals(ChronicleFile.mappedBytes(bytes), Files.size(ownData));
    byte[] expected = Files.readAllBytes(made.resolve(ChronicleFile.DATA_FILE));
    byte[] written = Files.readAllBytes(ownData);
    assertArrayEquals(
        Arrays.copyOf(expected, QueueHeader.BYTES), Arrays.copyOf(written, QueueHeader.BYTES));
    assertEquals(-1, firstNonZero(expected, QueueHeader.BYTES), "the library writes more");
    assertEquals(-1, firstNonZero(written, QueueHeader.BYTES));
    assertEquals(List.of(ownData), new RealDisk().list(own), "other files");
    assertEquals(List.of(), tailed(own));
  }

  private static int firstNonZero(byte[] bytes, int from) {
    for (int at = from; at < bytes.length; at++) {
      if (bytes[at] != 0) {
        return at;
      }
    }
    return -1;
  }

  /// The library also writes after our frames, and a tailer of it then reads both.
  @Test
  void theLibraryAppendsToAFile() throws IOException {
    Path file = directory.resolve("queue");
    List<byte[]> excerpts = new ArrayList<>();
    try (Arena arena = Arena.ofConfined();
        ChronicleFile written = ChronicleFile.create(new RealDisk(), file, FILE_BYTES)) {
      for (int length : new int[] {1, 2, 3, 4, 5, 4_093, 70_001, 200_000, 600_000, 7}) {
        byte[] excerpt = new byte[length];
        random.nextBytes(excerpt);
        written.append(arena.allocate(length).copyFrom(MemorySegment.ofArray(excerpt)));
        excerpts.add(excerpt);
      }
      assertFalse(written.hasRoomFor(arena.allocate(FILE_BYTES)));
    }
    byte[] last = {9, 8, 7};
    LibraryQueue.append(file, FILE_BYTES, last);
    excerpts.add(last);
    List<byte[]> read = LibraryQueue.read(file, FILE_BYTES);
    assertEquals(excerpts.size(), read.size());
    for (int i = 0; i < read.size(); i++) {
      assertArrayEquals(excerpts.get(i), read.get(i), "excerpt " + i);
    }
  }

  /// Fresh, with frames, full, and used again, in turn.
  @Test
  void aTailerReadsEachFileOfAJournalAtWork() throws IOException {
    int again = 0;
    try (FrameEncoder encoder = new FrameEncoder(STORE, LANE, true);
        Journal journal = factory().create(LANE, 1)) {
      assertEquals(List.of(), tailed());
      long first = 1;
      for (long lsn = 1; lsn <= 400; lsn++) {
        try (EventBatch batch = batch(1 + random.nextInt(random.nextInt(4) == 0 ? 2_000 : 40))) {
          append(journal, encoder, batch, lsn);
        }
        if (random.nextInt(20) == 0) {
          again += journal.keptFrom() < first ? 1 : 0;
          assertEquals(lsns(first, lsn), tailed());
          journal.trim(Math.max(0, lsn - random.nextInt(8)));
          first = replay(factory()).getFirst();
          assertEquals(lsns(first, lsn), tailed());
        }
      }
    }
    assertTrue(again > 2, "remains of an earlier use at " + again + " looks");
  }

  /// A crash cut the last frame, at any byte: the frames before it are read, and its remains are
  /// not a frame.
  @Test
  void aTailerReadsATornFileUpToTheTear() throws IOException {
    try (FrameEncoder encoder = new FrameEncoder(STORE, LANE, true);
        Journal journal = factory().create(LANE, 1)) {
      for (long lsn = 1; lsn <= 9; lsn++) {
        try (EventBatch batch = batch(30)) {
          append(journal, encoder, batch, lsn);
        }
      }
    }
    Path file = files(journals()).getFirst();
    Path data = file.resolve(ChronicleFile.DATA_FILE);
    byte[] whole = Files.readAllBytes(data);
    assertEquals(lsns(1, 9), tailed());
    int from = lengthWordOf(whole, 9);
    int until = lastNonZero(whole) + 1;
    try (FrameDecoder decoder = new FrameDecoder(STORE)) {
      for (int cut = from; cut < until; cut += 1 + random.nextInt((until - from) / 10)) {
        byte[] torn = whole.clone();
        Arrays.fill(torn, cut, torn.length, (byte) 0);
        Files.write(data, torn);
        List<byte[]> read = excerpts(file);
        assertTrue(read.size() == 8 || read.size() == 9, read.size() + " excerpts, cut at " + cut);
        for (int i = 0; i < read.size(); i++) {
          MemorySegment frame = MemorySegment.ofArray(read.get(i));
          boolean valid =
              frame.byteSize() >= JournalFrame.HEADER_BYTES
                  && decoder.check(LANE, frame) == FrameDecoder.Verdict.VALID;
          assertEquals(i < 8, valid, "excerpt " + i + ", cut at " + cut);
        }
      }
    }
  }

  private static int lastNonZero(byte[] bytes) {
    int at = bytes.length - 1;
    while (bytes[at] == 0) {
      at--;
    }
    return at;
  }

  /// Offset of the length word before a frame.
  private static int lengthWordOf(byte[] file, long lsn) {
    MemorySegment bytes = MemorySegment.ofArray(file);
    for (int at = 0; at + JournalFrame.HEADER_BYTES <= file.length; at += FrameScanner.STEP) {
      if (JournalFrame.magic(bytes, at) == JournalFrame.MAGIC
          && JournalFrame.lsn(bytes.asSlice(at)) == lsn) {
        return at - Integer.BYTES;
      }
    }
    throw new AssertionError("no frame " + lsn);
  }

  /// The files of a run that ended, those of the next one, and what a full disk got back of them.
  @Test
  void aTailerReadsTheFilesAfterARestart() throws IOException {
    try (FrameEncoder encoder = new FrameEncoder(STORE, LANE, true)) {
      long lsn = 0;
      for (int start = 0; start < 3; start++) {
        try (Journal journal = factory().create(LANE, lsn + 1)) {
          for (int group = 0; group < 25; group++) {
            try (EventBatch batch = batch(500)) {
              append(journal, encoder, batch, ++lsn);
            }
          }
        }
        assertEquals(lsns(1, lsn), tailed());
        factory().freeUnused();
        assertEquals(lsns(1, lsn), tailed());
      }
      assertTrue(files(journals()).size() > 5, "files: " + files(journals()));
    }
  }

  @Test
  void aTailerReadsTheFilesOfASnapshot() throws IOException {
    Path snapshot = Files.createDirectory(directory.resolve("snapshot"));
    try (FrameEncoder encoder = new FrameEncoder(STORE, LANE, true);
        Journal journal = factory().create(LANE, 1)) {
      for (long lsn = 1; lsn <= 30; lsn++) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, lsn);
        }
      }
      factory().copyTo(snapshot, _ -> 28);
    }
    List<Long> read = new ArrayList<>();
    List<Path> files = files(snapshot.resolve(Journal.DIRECTORY));
    for (Path file : files) {
      read.addAll(tailed(file));
    }
    assertEquals(lsns(1, 28), read);
    assertTrue(files.size() > 1, "files: " + files);
  }

  /// No other file lies next to the data file, at any stage.
  @Test
  void aJournalFileIsOneFile() throws IOException {
    try (FrameEncoder encoder = new FrameEncoder(STORE, LANE, true);
        Journal journal = factory().create(LANE, 1)) {
      for (long lsn = 1; lsn <= 60; lsn++) {
        try (EventBatch batch = batch(500)) {
          append(journal, encoder, batch, lsn);
        }
        journal.trim(lsn - 4);
        try (Stream<Path> walked = Files.walk(journals())) {
          assertEquals(
              List.of(),
              walked
                  .filter(Files::isRegularFile)
                  .filter(file -> !file.endsWith(ChronicleFile.DATA_FILE))
                  .toList());
        }
      }
    }
  }
}
