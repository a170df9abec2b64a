package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Damage;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a journal on Chronicle Queue that lost its end is named by every way to open its store.
/// Method: four forced groups, copies of the directory as a kill leaves it, the journal file of a
/// copy emptied, cut in half, or zeroed from the middle on.
class StoreEndTest {
  private static final long GROUPS = 4;
  private static final long EVENTS = 10; // of a group

  @TempDir private Path directory;
  private int whole; // events that the store showed

  private static StoreConfig config(Path store) {
    return StoreConfig.at(store)
        .withMemory(4 << 20, Duration.ofHours(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0);
  }

  /// A store that was killed after four groups.
  ///
  /// @param isWitnessed whether a second had passed
  private Path killed(boolean isWitnessed) throws IOException {
    Path running = directory.resolve("running");
    Path left = directory.resolve("left");
    try (EmbeddedStore store = EmbeddedStore.open(config(running), Runnable::run);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long group = 0; group < GROUPS; group++) {
        batch.clear();
        for (long n = EVENTS * group; n < EVENTS * (group + 1); n++) {
          NumberedEvents.add(batch, n);
        }
        store.lane(0).append(batch, 0, (_, _) -> {});
        store.lane(0).commit(Durability.DISK);
      }
      if (isWitnessed) {
        store.maintain();
      }
      whole = shown(store);
      copy(running, left);
    }
    return left;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  private static Path journal(Path store) throws IOException {
    try (Stream<Path> paths = Files.walk(store)) {
      return paths
          .filter(path -> path.toString().endsWith(".cq4"))
          .filter(path -> !path.toString().contains("spare"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static int shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).size();
    }
  }

  private static void truncate(Path file, long bytes) throws IOException {
    try (var open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(bytes);
    }
  }

  /// Zeros from a byte on, with the size as it was.
  private static void zero(Path file, long from) throws IOException {
    long bytes = Files.size(file);
    truncate(file, from);
    truncate(file, bytes);
  }

  private static int middleOfFrames(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int last = bytes.length;
    while (bytes[last - 1] == 0) {
      last--;
    }
    int first = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("WIDEROWJ");
    return (first + last) / 2;
  }

  private void assertNamed(Path store) throws IOException {
    Path file = journal(store);
    var refused =
        assertThrows(
            StorageException.AcknowledgedDataDamaged.class,
            () -> EmbeddedStore.open(config(store), Runnable::run));
    assertTrue(String.valueOf(refused.getMessage()).contains(file.toString()), refused::toString);
    try (EmbeddedStore read = EmbeddedStore.openForReading(store)) {
      assertTrue(shown(read) < whole);
      assertEquals(Damage.Kind.JOURNAL, read.statistics().damage().getFirst().kind());
    }
    assertFalse(StoreVerifier.verify(store).damage().isEmpty());
    assertFalse(StoreRepair.repair(store, false).left().isEmpty(), "not without consent");
    StoreRepair.Repair repair = StoreRepair.repair(store, true);
    assertEquals(List.of(), repair.left());
    assertEquals(List.of(), StoreVerifier.verify(store).damage());
    EmbeddedStore.open(config(store), Runnable::run).close();
  }

  @Test
  void theCopyIsWhole() throws IOException {
    Path store = killed(true);
    assertEquals(List.of(), StoreVerifier.verify(store).damage());
    assertEquals(List.of(), StoreVerifier.verify(store).remarks());
    try (EmbeddedStore read = EmbeddedStore.openForReading(store)) {
      assertEquals(whole, shown(read));
    }
  }

  /// Also in the first second: the witness knows the file and its size from the opening on.
  @Test
  void anEmptiedFileIsNamed() throws IOException {
    Path store = killed(false);
    truncate(journal(store), 0);
    assertNamed(store);
  }

  @Test
  void aFileCutInTheMiddleOfItsFramesIsNamed() throws IOException {
    Path store = killed(false);
    truncate(journal(store), middleOfFrames(journal(store)));
    assertNamed(store);
  }

  @Test
  void aFileZeroedFromTheMiddleIsNamed() throws IOException {
    Path store = killed(true);
    zero(journal(store), middleOfFrames(journal(store)));
    assertNamed(store);
  }

  @Test
  void aFileWithoutFramesIsNamed() throws IOException {
    Path store = killed(true);
    zero(journal(store), 0);
    assertNamed(store);
  }

  @Test
  void aSnapshotHasAWitnessOfItsOwn() throws IOException {
    Path running = directory.resolve("running");
    Path snapshot = directory.resolve("snapshot");
    try (EmbeddedStore store = EmbeddedStore.open(config(running), Runnable::run);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long n = 0; n < EVENTS; n++) {
        NumberedEvents.add(batch, n);
      }
      store.lane(0).append(batch, 0, (_, _) -> {});
      store.lane(0).commit(Durability.DISK);
      store.snapshot(snapshot);
    }
    assertEquals(List.of(), StoreVerifier.verify(snapshot).damage());
    assertEquals(List.of(), StoreVerifier.verify(snapshot).remarks());
    Path ofStopped = directory.resolve("snapshot2");
    StoreSnapshot.ofStopped(snapshot, ofStopped);
    assertEquals(-1, Files.mismatch(snapshot.resolve("witness"), ofStopped.resolve("witness")));
    zero(journal(snapshot), 0); // and of the other snapshot: it is a link
    var told = StoreVerifier.verify(snapshot).damage();
    assertEquals(Damage.Kind.JOURNAL, Objects.requireNonNull(told.getFirst()).kind());
  }
}
