package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after any crash a prefix of the groups is there, with every group that was forced. Method:
/// append and force at random on the simulated disk, crash, recover. Seeds are the tests' names.
class JournalCrashTest {
  private static final UUID STORE = new UUID(3, 5);
  private static final Path DIRECTORY = Path.of("/store/journal");

  static LongStream seeds() {
    Long given = Long.getLong("seed");
    return given != null ? LongStream.of(given) : LongStream.range(0, 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void forcedGroupsSurvive(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SimDisk disk = new SimDisk(seed, random.nextBoolean());
    disk.createDirectory(Path.of("/store"));
    disk.forceDirectory(Path.of("/"));
    FileJournal.Factory factory = new FileJournal.Factory(disk, DIRECTORY, STORE, 16 << 10);
    long durable = 0;
    long written = random.nextInt(30);
    try (Arena arena = Arena.ofConfined();
        FrameEncoder encoder = new FrameEncoder(STORE, 0, true);
        Journal journal = factory.create(0, 1)) {
      for (long lsn = 1; lsn <= written; lsn++) {
        MemorySegment note = arena.allocate(random.nextInt(1_000));
        encoder.addNote(note);
        encoder.addNote(note);
        journal.append(lsn, encoder.encode(lsn, durable, lsn, MemorySegment.NULL, 0, 0));
        if (random.nextBoolean()) {
          journal.force();
          durable = lsn;
        }
      }
      disk.crash();
    }
    long[] last = {0};
    try (JournalRecovery recovery = new JournalRecovery(factory, STORE, _ -> 0)) {
      JournalRecovery.LaneState state = recovery.survey().get(0);
      recovery.replay((_, frame, _) -> assertEquals(++last[0], JournalFrame.lsn(frame)), false);
      if (state != null) {
        assertNull(state.damage());
        assertEquals(last[0], state.lsnAccepted());
      }
    }
    assertTrue(last[0] >= durable && last[0] <= written, last[0] + " of " + durable);
  }
}
