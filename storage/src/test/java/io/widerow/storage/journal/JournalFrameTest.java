package io.widerow.storage.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.LayoutRows;
import io.widerow.faults.SimDisk;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.recovery.JournalRecovery;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: no damage passes for data, and damage to acknowledged groups is distinguished from a torn
/// tail. Method: a journal of a few groups, each forced before the next, with every bit flipped,
/// cut at every byte, and with a lost page. The document is checked against the code.
class JournalFrameTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final StoreConfig CONFIG = StoreConfig.at(Path.of("/store"));
  private static final int GROUPS = 5;
  private static final int PAGE_BYTES = 4 << 10;

  private final SimDisk disk = new SimDisk(0);
  private final FileJournal.Factory factory = new FileJournal.Factory(disk, CONFIG);
  private final List<Long> ends = new ArrayList<>();
  private final List<Long> whole = new ArrayList<>(); // without padding

  /// Result of recovering a journal.
  ///
  /// @param accepted frames that count: the numbers 1 to this
  private record Found(long accepted, @Nullable JournalLoss loss) {}

  @Test
  void documentListsTheHeaderAsTheCodeHasIt() throws IOException {
    String[] parts =
        Files.readString(Path.of("FORMAT-journal.md")).split("<!-- frame header -->", 3);
    assertEquals(parts[1].strip(), LayoutRows.of(JournalFrame.HEADER));
  }

  /// Groups of notes only, of about `noteBytes` each.
  private Path write(int noteBytes) {
    disk.createDirectory(CONFIG.directory());
    var random = new SplittableRandom(noteBytes);
    long end = 0;
    try (Arena arena = Arena.ofConfined();
        FrameEncoder encoder = new FrameEncoder(STORE, 0, true);
        Journal journal = factory.create(0, 1)) {
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        for (long left = noteBytes + lsn; left > 0; left -= JournalFrame.NOTE_BYTES_MAX) {
          byte[] note = new byte[(int) Math.min(left, JournalFrame.NOTE_BYTES_MAX)];
          random.nextBytes(note);
          encoder.addNote(arena.allocate(note.length).copyFrom(MemorySegment.ofArray(note)));
        }
        MemorySegment frame =
            encoder.encode(lsn, lsn - 1, 0, 0, MemorySegment.NULL, 0, JournalFrame.ENDS_GROUP);
        journal.append(lsn, frame);
        journal.force();
        whole.add(end + frame.byteSize());
        end = (end + frame.byteSize() + 7) & -8L;
        ends.add(end);
      }
    }
    Path file = disk.list(CONFIG.directory().resolve("journal")).getFirst();
    ends.set(GROUPS - 1, disk.sizeOf(file)); // nothing pads the last one
    return file;
  }

  private Found recover() {
    try (var recovery = new JournalRecovery(factory, STORE, Map.of(0, 0L))) {
      List<JournalLoss> losses =
          recovery.check(CONFIG.directory().resolve("journal"), 1, Witness.NONE);
      assertTrue(losses.size() <= 1, losses::toString);
      return new Found(recovery.lsnCounted(0), losses.isEmpty() ? null : losses.getFirst());
    }
  }

  private int groupAt(long offset) {
    int group = 1;
    while (ends.get(group - 1) <= offset) {
      group++;
    }
    return group;
  }

  @Test
  void everyFlippedBitIsFoundAndClassified() {
    Path file = write(17);
    assertEquals(new Found(GROUPS, null), recover());
    for (long bit = 0; bit < 8 * ends.getLast(); bit++) {
      disk.flip(file, bit);
      Found found = recover();
      int group = groupAt(bit / 8);
      boolean padding = bit / 8 >= whole.get(group - 1);
      if (padding || group == GROUPS) {
        assertNull(found.loss(), "bit " + bit);
        assertTrue(found.accepted() >= GROUPS - 1, "bit " + bit);
      } else {
        assertEquals(GROUPS, found.accepted(), "what comes after it counts, bit " + bit);
        var loss = required(found.loss(), "bit " + bit);
        assertEquals(group, loss.lsnFirst(), "bit " + bit);
        assertEquals(group, loss.lsnLast(), "bit " + bit);
        assertEquals(file, loss.file(), "bit " + bit);
      }
      disk.flip(file, bit);
    }
  }

  @Test
  void everyPrefixOpensAsATornTail() {
    Path file = write(17);
    try (DiskFile open = disk.openForWriting(file)) {
      for (long size = ends.getLast() - 1; size >= 0; size--) {
        open.truncate(size);
        long limit = size;
        long whole = ends.stream().filter(end -> end <= limit).count();
        Found found = recover();
        assertNull(found.loss(), size + " bytes");
        // The cut may be in the padding of the last whole frame.
        assertTrue(
            found.accepted() == whole
                || (found.accepted() == whole + 1 && ends.get((int) whole) - size < 8),
            size + " bytes: " + found);
      }
    }
  }

  @Test
  void aLostPageHidesNoLaterGroup() {
    Path file = write(3 * PAGE_BYTES);
    try (Arena arena = Arena.ofConfined();
        DiskFile open = disk.openForWriting(file)) {
      long page = (ends.get(1) + PAGE_BYTES) & -PAGE_BYTES; // within the third group
      assertEquals(3, groupAt(page));
      assertEquals(3, groupAt(page + PAGE_BYTES - 1));
      open.write(arena.allocate(PAGE_BYTES), page);
      Found found = recover();
      assertEquals(GROUPS, found.accepted());
      var loss = required(found.loss(), "loss");
      assertEquals(3, loss.lsnFirst());
      assertEquals(3, loss.lsnLast());
    }
  }

  private static JournalLoss required(@Nullable JournalLoss loss, String where) {
    return Objects.requireNonNull(loss, where);
  }
}
