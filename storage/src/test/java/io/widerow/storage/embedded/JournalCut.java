package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.CutDisk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.recovery.FrameSink;
import io.widerow.storage.recovery.JournalRecovery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Simulator of power cuts under the real journal, on a [CutDisk]. A cut builds a directory of the
/// durable data, plus any unforced bytes and names, and recovery reads it: files that roll, are
/// trimmed and used again, so that a page that was not forced may have frames of an earlier use;
/// files that become larger, and small again while nothing comes. It runs in classes of a
/// [io.widerow.faults.PlantLoader], which records the forces.
///
/// - Threads: one.
final class JournalCut {
  private static final UUID STORE = new UUID(7, 11);
  private static final int LANE = 0;
  private static final long FIRST_BYTES = 192 << 10;
  private static final long FILE_BYTES = 512 << 10;
  private static final long CALM_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int GROUPS = 40;

  private final Path work;
  private final SplittableRandom random;
  private final CutDisk disk;
  private long promised;
  private long trimmed;
  private boolean begun;
  private int cuts;
  private boolean waits; // a file, to be used again
  private int usedAgain;
  private long nanos;
  private int rests;
  private @Nullable AssertionError found;

  private JournalCut(Path work, long seed) {
    this.work = work;
    this.random = new SplittableRandom(seed);
    this.disk = CutDisk.on(live(work), random.nextLong());
  }

  private static Path live(Path work) {
    try {
      return Files.createDirectory(work.resolve("live"));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// Writes groups, trims sometimes, and cuts the power before each disk operation, between write
  /// and force, and after each force.
  ///
  /// @param work an empty directory
  /// @return number of cuts
  static int run(Path work, long seed) {
    var run = new JournalCut(work, seed);
    run.disk.beforeEach(run::cut);
    try (CutDisk _ = run.disk) {
      run.write();
    } catch (RuntimeException | Error made) { // by the journal, because of what it found
      AssertionError found = run.found;
      if (found != null) {
        throw found;
      }
      throw made;
    }
    assertEquals(null, run.found);
    assertTrue(run.usedAgain > 0, "no file was used again");
    assertTrue(run.rests > 0, "no file became small again");
    return run.cuts;
  }

  private Path journals() {
    return disk.directory().resolve(Journal.DIRECTORY);
  }

  private void write() {
    var factory =
        new ChronicleJournalFactory(
            disk, journals(), STORE, FIRST_BYTES, FILE_BYTES, () -> nanos, Runnable::run);
    try (EventBatch batch = new EventBatch(1 << 19, 1 << 19);
        FrameEncoder encoder = new FrameEncoder(STORE, LANE, false);
        Journal journal = factory.create(LANE, 1);
        WitnessFile witness = new WitnessFile(disk, disk.directory(), STORE)) {
      begun = true;
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        if (lsn % 16 == 0) {
          rest(journal, lsn - 1);
        }
        fill(batch, 100 + random.nextInt(1_300));
        journal.append(
            lsn,
            encoder.encode(
                lsn,
                promised,
                0,
                0,
                batch.memory().asSlice(0, batch.bytes()),
                batch.count(),
                JournalFrame.STARTS_GROUP | JournalFrame.ENDS_GROUP));
        cut();
        if (random.nextInt(3) == 0) {
          continue; // the next force is for both
        }
        journal.force();
        promised = lsn;
        cut();
        if (random.nextInt(3) == 0) {
          witness.write(List.of(Witness.Lane.of(promised, journal)));
          cut();
        }
        if (random.nextInt(4) == 0) {
          trimmed = random.nextLong(trimmed, promised + 1);
          journal.trim(trimmed);
        }
      }
    }
  }

  /// Nothing comes for a while, and everything is sealed.
  private void rest(Journal journal, long last) {
    journal.force();
    promised = last;
    long before = journal.current().reservedBytes();
    nanos += CALM_NANOS;
    trimmed = promised;
    journal.trim(trimmed);
    while (!journal.rest()) {
      cut();
    }
    cut();
    journal.trim(0);
    rests += journal.current().reservedBytes() < before ? 1 : 0;
  }

  private void fill(EventBatch batch, int events) {
    byte[] type = "app".getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[100];
    batch.clear();
    for (int event = 0; event < events; event++) {
      random.nextBytes(body);
      batch.begin(type, 0, type.length, event);
      batch.putBytes(type, 0, type.length, body, 0, body.length);
      assertEquals(null, batch.end());
    }
  }

  private void cut() {
    if (!begun || found != null) {
      return;
    }
    boolean waited = waits;
    waits = Files.exists(journals().resolve(LANE + "-used"));
    usedAgain += waited && !waits ? 1 : 0;
    for (boolean lucky : new boolean[] {false, true}) {
      CutDisk image = disk.cut(work.resolve("image"), lucky, random.nextBoolean());
      try {
        look(image.directory());
      } catch (AssertionError failure) {
        found = failure;
        throw failure;
      } finally {
        image.delete();
      }
      cuts++;
    }
  }

  private void look(Path image) {
    Path journal = image.resolve(Journal.DIRECTORY);
    assertTrue(Files.isDirectory(journal), "the directory of the journals is lost");
    var factory =
        new ChronicleJournalFactory(new RealDisk(), journal, STORE, FILE_BYTES, Runnable::run);
    Witness witness = Witness.read(new RealDisk(), image, STORE, 0);
    assertEquals(null, witness.damage());
    try (var recovery = new JournalRecovery(factory, STORE, Map.of(LANE, trimmed))) {
      assertEquals(List.of(), recovery.check(journal, LANE + 1, witness), "after " + promised);
      long counted = recovery.lsnCounted(LANE);
      assertTrue(counted >= promised, counted + " are there and " + promised + " were promised");
      requireEachOnce(recovery, counted);
    }
  }

  /// Every frame after the trimmed ones is replayed, in order, and no other.
  private void requireEachOnce(JournalRecovery recovery, long counted) {
    List<Long> replayed = new ArrayList<>();
    recovery.replay(
        new FrameSink() {
          @Override
          public void frame(int lane, MemorySegment frame, MemorySegment records) {
            replayed.add(JournalFrame.lsn(frame));
          }

          @Override
          public void hole() {
            throw new AssertionError("a hole after " + replayed);
          }
        });
    assertEquals(LongStream.rangeClosed(trimmed + 1, counted).boxed().toList(), replayed);
  }
}
