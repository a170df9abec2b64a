package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.SimDisk;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Goal: records are there after a restart, whatever part of the end is lost; damage before the end
/// is reported. Method: one history with records of every kind on a disk in memory, whose file is
/// then cut and changed at every byte.
class RoundsFileTest {
  private static final Path DIRECTORY = Path.of("/data");
  private static final Path FILE = DIRECTORY.resolve(RoundsFile.NAME);
  private static final UUID OWNER = new UUID(3, 4);
  private static final int HEADER_BYTES = 24;

  private final MemoryDisk disk = new MemoryDisk();

  /// What a program knows of its rounds.
  private record State(
      Round lastApplied,
      List<Rounds.Begun> pending,
      List<PendingBatch.LeftOut> unsettled,
      List<PendingBatch.LeftOut> takenOver,
      LaneArrivals releasable) {
    static State of(RoundsFile file) {
      Rounds rounds = file.rounds();
      return new State(
          rounds.lastApplied(),
          rounds.pending(),
          rounds.unsettled(),
          rounds.takenOver(),
          rounds.releasable());
    }
  }

  private static LaneArrivals position(long limit) {
    return new LaneArrivals(0, List.of(limit, limit));
  }

  private static Round round(int number, List<PendingBatch.LeftOut> taken) {
    return new Round(
        Stamp.of(1, number),
        position(100L * number),
        position(100L * (number + 1)),
        1_000L * number,
        100L * number,
        99,
        taken);
  }

  private static PendingBatch.LeftOut left(int round, long counterFrom) {
    PendingBatch batch = new PendingBatch("0a".repeat(16), 1, 2, counterFrom, 10, 1_764_000_000L);
    Claim other = new Claim(7, Stamp.of(2, 3), 55);
    return new PendingBatch.LeftOut(batch, other, Stamp.of(1, round), position(100L * round));
  }

  private RoundsFile open(boolean first) {
    return RoundsFile.open(disk, DIRECTORY, OWNER, first);
  }

  private State read() {
    try (RoundsFile file = open(false)) {
      return State.of(file);
    }
  }

  /// Every kind of record, one after another.
  private static List<Consumer<RoundsFile>> history() {
    return List.of(
        file -> file.begun(round(1, List.of())),
        file -> file.leftOut(Stamp.of(1, 1), List.of(left(1, 110), left(1, 130))),
        file -> file.applied(Stamp.of(1, 1)),
        file -> file.settled(110),
        file -> file.taken(130),
        file -> file.begun(round(2, List.of(left(1, 130)))),
        file -> file.applied(Stamp.of(1, 2)),
        file -> file.begun(round(3, List.of())),
        file -> file.leftOut(Stamp.of(1, 3), List.of(left(3, 310))),
        file -> file.begun(round(4, List.of())));
  }

  @Test
  void everyRecordIsThereAfterARestart() {
    RoundsFile file = open(true);
    for (Consumer<RoundsFile> step : history()) {
      step.accept(file);
      assertEquals(State.of(file), read());
      byte[] bytes = disk.bytes(FILE);
      assertEquals(State.of(file), read(), "the file that was written again");
      disk.set(FILE, bytes);
      file.close();
      file = open(false);
    }
    file.close();
  }

  @Test
  void aFileThatIsCutAtAnyByteHasWhatWasWholeBefore() {
    List<State> states = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    try (RoundsFile file = open(true)) {
      states.add(State.of(file));
      sizes.add((int) file.end());
      for (Consumer<RoundsFile> step : history()) {
        step.accept(file);
        states.add(State.of(file));
        sizes.add((int) file.end());
      }
    }
    byte[] whole = disk.bytes(FILE);
    for (int bytes = sizes.getFirst(); bytes <= sizes.getLast() + 16; bytes++) {
      disk.set(FILE, Arrays.copyOf(whole, bytes));
      State found = read();
      assertTrue(states.contains(found), () -> "no state of the history: " + found);
      for (int step = 0; step < states.size(); step++) {
        boolean isForced = isForced(step);
        if (isForced && sizes.get(step) <= bytes) {
          int least = step;
          int cut = bytes;
          assertTrue(
              states.lastIndexOf(found) >= least, () -> "cut at %d: lost %d".formatted(cut, least));
        }
      }
    }
    for (int bytes = 0; bytes < HEADER_BYTES; bytes++) {
      disk.set(FILE, Arrays.copyOf(whole, bytes));
      assertThrows(StorageException.Corrupt.class, this::read);
    }
  }

  /// Whether a step of the history is durable when it is done.
  private static boolean isForced(int step) {
    return step != 3 && step != 4 && step != 7; // applied, settled
  }

  /// A machine that stops may have written any of the bytes since the last force.
  @Test
  void notesThatWereLostBeforeANewRoundAreNoDamage() {
    int forced;
    State before;
    byte[] after;
    int end;
    List<State> allowed = new ArrayList<>();
    try (RoundsFile file = open(true)) {
      file.begun(round(1, List.of()));
      file.leftOut(Stamp.of(1, 1), List.of(left(1, 110)));
      forced = (int) file.end();
      before = State.of(file);
      allowed.add(before);
      file.applied(Stamp.of(1, 1));
      allowed.add(State.of(file));
      file.settled(110);
      allowed.add(State.of(file));
      file.begun(round(2, List.of()));
      allowed.add(State.of(file));
      after = disk.bytes(FILE);
      end = (int) file.end();
    }
    for (int lost = forced; lost <= end; lost++) {
      byte[] image = after.clone();
      Arrays.fill(image, forced, lost, (byte) 0);
      disk.set(FILE, image);
      State found = read();
      assertTrue(allowed.contains(found), () -> "no state of the history: " + found);
    }
  }

  @Test
  void damageBeforeAWholeRecordIsRefusedWithItsPlace() {
    int from;
    int limit;
    try (RoundsFile file = open(true)) {
      file.begun(round(1, List.of()));
      from = (int) file.end();
      file.begun(round(2, List.of()));
      limit = (int) file.end();
      file.begun(round(3, List.of()));
    }
    byte[] whole = disk.bytes(FILE);
    State intact = read();
    for (int at = from; at < limit; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      disk.set(FILE, damaged);
      try {
        assertEquals(intact, read(), "only the zeros after a record may change");
      } catch (StorageException.Corrupt refused) {
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(FILE.toString()), message);
        assertTrue(message.contains("corrupt at byte " + from), message);
      }
    }
    byte[] damaged = whole.clone();
    damaged[from + 9] ^= 0x10;
    disk.set(FILE, damaged);
    assertThrows(StorageException.Corrupt.class, this::read);
  }

  @Test
  void aFileOfAnotherDirectoryAndAMissingOneAreRefused() {
    open(true).close();
    StorageException.Corrupt other =
        assertThrows(
            StorageException.Corrupt.class,
            () -> RoundsFile.open(disk, DIRECTORY, new UUID(9, 9), false));
    assertTrue(String.valueOf(other.getMessage()).contains(OWNER.toString()), other.getMessage());
    disk.delete(FILE);
    assertThrows(StorageException.Corrupt.class, this::read);
  }

  @Test
  void theFileIsWrittenAnewWhenItGrows() {
    try (RoundsFile file = open(true)) {
      file.rewriteFrom(2_000);
      file.begun(round(1, List.of()));
      file.leftOut(Stamp.of(1, 1), List.of(left(1, 110)));
      file.applied(Stamp.of(1, 1));
      long most = 0;
      for (int number = 2; number < 40; number++) {
        file.begun(round(number, List.of()));
        file.applied(Stamp.of(1, number));
        most = Math.max(most, file.end());
      }
      assertTrue(most <= 2_000, "it grew to " + most);
      file.rewriteFrom(1);
      file.begun(round(40, List.of()));
      file.applied(Stamp.of(1, 40));
      file.begun(round(41, List.of()));
      assertEquals(State.of(file), read());
      assertEquals(position(100), file.rounds().releasable(), "a batch is held");
      assertTrue(file.end() < 1_500, "of " + file.end());
    }
  }

  @Test
  void roundsAreWrittenDownOnADiskWithoutAFreeByteAlsoAfterARestart() {
    SimDisk full = new SimDisk(1);
    full.createDirectory(DIRECTORY);
    full.forceDirectory(Path.of("/"));
    try (RoundsFile file = RoundsFile.open(full, DIRECTORY, OWNER, true)) {
      file.begun(round(1, List.of()));
    }
    for (int number = 2; number < 40; number++) {
      long free = full.usableBytes(DIRECTORY);
      full.limitTo(Long.MAX_VALUE - free);
      assertEquals(0, full.usableBytes(DIRECTORY));
      State before;
      try (RoundsFile file = RoundsFile.open(full, DIRECTORY, OWNER, false)) {
        file.applied(Stamp.of(1, number - 1));
        file.begun(round(number, List.of()));
        before = State.of(file);
      }
      assertTrue(!full.exists(DIRECTORY.resolve("rounds.new")));
      assertTrue(full.refused() > 0);
      full = number % 3 == 0 ? full.crashToDurable() : full.restart();
      try (RoundsFile file =
          RoundsFile.open(
              full.restart(), DIRECTORY, OWNER, false)) { // a copy of the disk, with room
        assertEquals(before, State.of(file));
      }
    }
  }

  /// A rewrite of the file may find the disk full at any operation, the rename included.
  @Test
  void aDiskThatIsFullAtAnyOperationOfAStartLosesNothing() {
    SimDisk before = new SimDisk(2);
    before.createDirectory(DIRECTORY);
    before.forceDirectory(Path.of("/"));
    State whole;
    try (RoundsFile file = RoundsFile.open(before, DIRECTORY, OWNER, true)) {
      for (int number = 1; number < 12; number++) {
        file.begun(round(number, List.of()));
        file.applied(Stamp.of(1, number));
      }
      file.begun(round(12, List.of()));
      file.begun(round(13, List.of()));
      whole = State.of(file);
    }
    long refused = 0;
    for (int full = 1; full < 40; full++) {
      SimDisk disk = before.restart();
      disk.fillFor(full, full + 1);
      State after = null;
      for (int attempt = 0; after == null && attempt < 2; attempt++) {
        try (RoundsFile file = RoundsFile.open(disk, DIRECTORY, OWNER, false)) {
          State found = State.of(file);
          assertTrue(found.pending().containsAll(whole.pending()), found::toString);
          if (found.pending().size() == whole.pending().size()) {
            file.begun(round(14, List.of()));
          }
          after = State.of(file);
        } catch (StorageException.DiskFull once) {
          refused++;
        }
      }
      refused += disk.refused();
      assertEquals(3, after == null ? 0 : after.pending().size(), "full at " + full);
      for (SimDisk left : List.of(disk.restart(), disk.crashToDurable())) {
        try (RoundsFile file = RoundsFile.open(left, DIRECTORY, OWNER, false)) {
          assertEquals(after, State.of(file), "full at " + full);
        }
      }
    }
    assertTrue(refused > 3, "the disk was full only " + refused + " times");
  }

  /// A batch is in one round only, however often the file is rewritten.
  @Test
  void aBatchThatWasTakenOverIsNotTakenAgain() {
    try (RoundsFile file = open(true)) {
      file.begun(round(1, List.of()));
      file.leftOut(Stamp.of(1, 1), List.of(left(1, 110)));
      file.taken(110);
      file.begun(round(2, List.of(left(1, 110))));
      assertEquals(List.of(), file.rounds().unsettled());
    }
    for (int start = 0; start < 3; start++) {
      State found = read();
      assertEquals(List.of(), found.unsettled());
      assertEquals(List.of(), found.takenOver());
      assertEquals(2, found.pending().size());
    }
  }
}
