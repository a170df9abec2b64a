package io.widerow.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: no damage passes for data, and acknowledged damage is told from a torn tail. Method: a
/// journal of five groups, each forced before the next, with every bit flipped and cut at every
/// byte; and the document against the code.
class JournalFrameTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path STORE_DIRECTORY = Path.of("/store");
  private static final Path DIRECTORY = Path.of("/store/journal");
  private static final int GROUPS = 5;

  private final SimDisk disk = new SimDisk(0, false);
  private final FileJournal.Factory factory =
      new FileJournal.Factory(disk, DIRECTORY, STORE, 1 << 10);
  private final List<Long> ends = new ArrayList<>();

  @Test
  void documentListsTheHeaderAsTheCodeHasIt() throws IOException {
    String rendered =
        JournalFrame.HEADER.memberLayouts().stream()
            .map(JournalFrameTest::row)
            .collect(Collectors.joining("\n"));
    String[] parts =
        Files.readString(Path.of("FORMAT-journal.md")).split("<!-- frame header -->", 3);
    assertEquals(parts[1].strip(), rendered);
  }

  private static String row(MemoryLayout field) {
    String name = field.name().orElseThrow();
    return "| %d | %d | `%s` |"
        .formatted(
            JournalFrame.HEADER.byteOffset(PathElement.groupElement(name)), field.byteSize(), name);
  }

  private Path write() {
    disk.createDirectory(STORE_DIRECTORY);
    long end = 0;
    try (Arena arena = Arena.ofConfined();
        FrameEncoder encoder = new FrameEncoder(STORE, 0, true);
        Journal journal = factory.create(0, 1)) {
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        encoder.addNote(arena.allocate(17 + lsn).fill((byte) lsn));
        MemorySegment frame = encoder.encode(lsn, lsn - 1, 0, MemorySegment.NULL, 0, 0);
        journal.append(lsn, frame);
        journal.force();
        end += (frame.byteSize() + FrameScanner.STEP - 1) & -FrameScanner.STEP;
        ends.add(end);
      }
    }
    return disk.list(DIRECTORY).getFirst();
  }

  private JournalRecovery.LaneState recover(JournalRecovery recovery) {
    JournalRecovery.LaneState state = recovery.survey().get(0);
    return state == null ? new JournalRecovery.LaneState(0, 0, 0, 0, null) : state;
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
    Path file = write();
    try (JournalRecovery recovery = new JournalRecovery(factory, STORE, _ -> 0)) {
      for (long offset = 0; offset < ends.getLast(); offset++) {
        int bit = (int) (offset % 8);
        disk.flip(file, offset, bit);
        JournalRecovery.LaneState state = recover(recovery);
        int group = groupAt(offset);
        boolean padding = state.lsnAccepted() == GROUPS;
        if (!padding) {
          assertEquals(group - 1, state.lsnAccepted(), "byte " + offset);
        }
        if (padding || group == GROUPS) {
          assertNull(state.damage(), "byte " + offset);
        } else {
          var damage = Objects.requireNonNull(state.damage(), "byte " + offset);
          assertEquals(group, damage.lsnFirst);
          assertEquals(group, damage.lsnLast);
        }
        disk.flip(file, offset, bit);
      }
    }
  }

  @Test
  void everyPrefixOpensAsATornTail() {
    Path file = write();
    try (JournalRecovery recovery = new JournalRecovery(factory, STORE, _ -> 0);
        DiskFile open = disk.openForWriting(file)) {
      for (long size = ends.getLast() - 1; size >= 0; size--) {
        open.truncate(size);
        JournalRecovery.LaneState state = recover(recovery);
        long before = ends.stream().filter(lessOrEqual(size)).count();
        assertTrue(
            state.lsnAccepted() == before || state.lsnAccepted() == before + 1,
            size + " bytes: " + state);
        assertTrue(state.damage() == null, size + " bytes: " + state);
      }
    }
  }

  private static java.util.function.Predicate<Long> lessOrEqual(long size) {
    return end -> end <= size;
  }

  @Test
  void aLostPageHidesNoLaterGroup() {
    Path file = write();
    try (JournalRecovery recovery = new JournalRecovery(factory, STORE, _ -> 0);
        Arena arena = Arena.ofConfined();
        DiskFile open = disk.openForWriting(file)) {
      MemorySegment zeros = arena.allocate(ends.get(2) - ends.get(1));
      assertEquals(0, zeros.get(JAVA_BYTE, 0));
      open.write(zeros, ends.get(1));
      JournalRecovery.LaneState state = recover(recovery);
      var damage = assertNotNull0(state.damage());
      assertEquals(3, damage.lsnFirst);
      assertEquals(3, damage.lsnLast);
      List<Long> salvaged = new ArrayList<>();
      recovery.replay((_, frame, _) -> salvaged.add(JournalFrame.lsn(frame)), true);
      assertEquals(List.of(1L, 2L, 4L, 5L), salvaged);
    }
  }

  private static StorageException.AcknowledgedDataDamaged assertNotNull0(
      StorageException.@org.jspecify.annotations.Nullable AcknowledgedDataDamaged damage) {
    assertNotNull(damage);
    return Objects.requireNonNull(damage);
  }
}
