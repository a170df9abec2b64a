package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: whatever room a real disk has, to the page, a killed store opens there and shows
/// everything acknowledged, takes events or refuses them for lack of room, and takes them again
/// when there is room; a new store is refused with the file that found none; a journal continues in
/// the next file or refuses; a snapshot is whole or refused. Nothing else is ever thrown: no fault
/// of a mapping. Method: the real journal on real file systems that are full except for some pages.
/// Where one page more changes which operation is refused, every page between is tried.
@Timeout(3600)
@Tag("process")
class StoreRoomTest {
  private static final long DISK_BYTES = 16 << 20;
  private static final int PAGE_BYTES = 4 << 10;
  private static final int PAGES = 840; // two journal files of 1 MiB, segments, and more
  private static final int STEP = 60;

  @TempDir private Path directory = Path.of(".");
  private final List<Long> acknowledged = new ArrayList<>();
  private Path root = Path.of(".");
  private @Nullable FaultDisk mounted;
  private int levels;

  /// A test on a mounted disk.
  private void on(FaultDisk.Kind kind, Consumer<Path> test) throws IOException {
    String missing = kind.missing();
    if (missing != null) {
      skip(kind, missing);
    }
    try {
      mounted = new FaultDisk(kind, DISK_BYTES, Files.createDirectory(directory.resolve("disk")));
    } catch (IOException refused) {
      skip(kind, "a file system cannot be mounted here: " + refused.getMessage());
    }
    try (FaultDisk disk = mounted()) {
      root = disk.root();
      test.accept(root.resolve("store"));
    }
    System.out.printf("StoreRoomTest: %s: %d amounts of room%n", kind, levels);
  }

  private FaultDisk mounted() {
    return Objects.requireNonNull(mounted);
  }

  /// Ends the test as skipped, and says so also where a build shows no reasons of skipped tests.
  private static void skip(FaultDisk.Kind kind, String why) {
    System.err.printf("StoreRoomTest: SKIPPED, nothing was tested on %s: %s%n", kind, why);
    abort(why);
  }

  private static StoreConfig config(Path store) {
    return KilledWriter.config(store).withLanes(2, 2);
  }

  private static EmbeddedStore open(Path store) {
    return EmbeddedStore.open(config(store), Runnable::run);
  }

  /// With journal files twice as large: the old ones do not make the room for the new ones.
  private static EmbeddedStore openForMore(Path store) {
    return EmbeddedStore.open(config(store).withJournal(2 << 20, 4 << 20), Runnable::run);
  }

  /// Appends events that replace none, and notes them once they are acknowledged.
  private void write(EmbeddedStore store, long from, int count) {
    List<Long> numbers = new ArrayList<>();
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long number = from; number < from + count; number++) {
        if (!NumberedEvents.isOwn(number)) {
          NumberedEvents.add(batch, number);
          numbers.add(number);
        }
      }
      int lane = (int) (from % store.lanes());
      Appends.all(store.lane(lane), batch, from);
      store.lane(lane).commit(Durability.DISK);
    }
    acknowledged.addAll(numbers);
  }

  private void check(EmbeddedStore store, String what) {
    assertEquals(acknowledged.stream().sorted().toList(), StoreFaultTest.shown(store), () -> what);
  }

  /// Leaves some bytes free, or as near to that as the file system goes: another file has them
  /// while the disk is filled.
  private void leave(long bytes) {
    Path gap = root.resolve("gap");
    try {
      Files.write(gap, new byte[(int) bytes]);
      FaultDisk.fill(filler());
      Files.delete(gap);
      mounted().force();
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private Path filler() {
    return root.resolve("filler");
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static void delete(Path tree) {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.toList().reversed()) {
        Files.delete(file);
      }
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /// The kind of a refusal: what it names, without its numbers.
  private static String kind(String reason) {
    return reason.replaceAll("[0-9a-f]{8,}|\\d+", "");
  }

  private interface Level {
    /// @return why something was refused for lack of room; empty when nothing was
    String run(long bytes);
  }

  /// Runs a test with every amount of room on a grid, and page by page where the next point of the
  /// grid was refused for another reason.
  private void sweep(Level level) {
    Set<String> reasons = new TreeSet<>();
    String before = kind(level.run(0));
    levels++;
    for (int pages = STEP; pages <= PAGES; pages += STEP) {
      String now = kind(level.run((long) pages * PAGE_BYTES));
      levels++;
      if (!now.equals(before)) {
        for (int between = pages - STEP + 1; between < pages; between++) {
          reasons.add(kind(level.run((long) between * PAGE_BYTES)));
          levels++;
        }
      }
      reasons.add(before);
      before = now;
    }
    assertTrue(reasons.size() > 1, "refused for one reason: " + reasons);
    assertEquals("", before, "room for everything");
  }

  @ParameterizedTest
  @EnumSource(names = "TMPFS")
  void aKilledStoreOpensWithAnyRoomInMemory(FaultDisk.Kind kind) throws IOException {
    on(kind, this::opensWithAnyRoom);
  }

  @Tag("faults")
  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS"})
  void aKilledStoreOpensWithAnyRoom(FaultDisk.Kind kind) throws IOException {
    on(kind, this::opensWithAnyRoom);
  }

  private void opensWithAnyRoom(Path path) {
    Path killed = directory.resolve("killed");
    Path template = directory.resolve("template");
    try (EmbeddedStore store = open(template)) {
      for (int batch = 0; batch < 12; batch++) {
        write(store, batch * 1_001L, 300);
      }
      store.sealAll();
      for (int batch = 12; batch < 20; batch++) {
        write(store, batch * 1_001L, 300);
      }
      copy(template, killed); // as a kill leaves it
    }
    List<Long> before = List.copyOf(acknowledged);
    sweep(bytes -> {
      String what = bytes + " bytes of room";
      acknowledged.clear();
      acknowledged.addAll(before);
      delete(filler());
      delete(path);
      copy(killed, path);
      leave(bytes);
      String refused;
      try (EmbeddedStore store = openForMore(path)) {
        check(store, what);
        refused = String.valueOf(store.full());
        if (store.full() == null) {
          write(store, 50_050, 10);
          refused = "";
        } else {
          assertThrows(StorageException.DiskFull.class, () -> write(store, 50_050, 10), what);
        }
        check(store, what);
      }
      try (EmbeddedStore store = openForMore(path)) {
        check(store, what + ", opened again");
        delete(filler());
        store.maintain();
        assertNull(store.full(), what);
        write(store, 60_060, 300);
        check(store, what + ", with room");
      }
      try (EmbeddedStore store = openForMore(path)) {
        check(store, what + ", with room, opened again");
      }
      return refused;
    });
  }

  @ParameterizedTest
  @EnumSource(names = "TMPFS")
  void aNewStoreIsMadeOrRefusedInMemory(FaultDisk.Kind kind) throws IOException {
    on(kind, this::newStoreWithAnyRoom);
  }

  @Tag("faults")
  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "QUOTA"})
  void aNewStoreIsMadeOrRefused(FaultDisk.Kind kind) throws IOException {
    on(kind, this::newStoreWithAnyRoom);
  }

  private void newStoreWithAnyRoom(Path path) {
    sweep(bytes -> {
      String what = bytes + " bytes of room";
      acknowledged.clear();
      delete(filler());
      delete(path);
      leave(bytes);
      String refused = "";
      try (EmbeddedStore store = open(path)) {
        refused = store.full() == null ? "" : String.valueOf(store.full());
        check(store, what);
      } catch (StorageException.DiskFull full) {
        refused = String.valueOf(full.getMessage());
        assertTrue(refused.contains(path.toString()), refused);
      }
      delete(filler());
      try (EmbeddedStore store = open(path)) {
        write(store, 7, 10);
        check(store, what + ", with room");
      }
      return refused;
    });
  }

  @ParameterizedTest
  @EnumSource(names = "TMPFS")
  void aJournalGoesOnOrRefusesInMemory(FaultDisk.Kind kind) throws IOException {
    on(kind, this::rollsWithAnyRoom);
  }

  @Tag("faults")
  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS"})
  void aJournalGoesOnOrRefuses(FaultDisk.Kind kind) throws IOException {
    on(kind, this::rollsWithAnyRoom);
  }

  /// The disk gets full while a store takes events, and it takes them through several journal
  /// files.
  private void rollsWithAnyRoom(Path path) {
    for (int pages = 0; pages <= PAGES; pages += STEP) {
      String what = pages + " pages of room";
      acknowledged.clear();
      delete(filler());
      delete(path);
      long number = 0;
      try (EmbeddedStore store = open(path)) {
        write(store, number, 100);
        leave((long) pages * PAGE_BYTES);
        levels++;
        boolean refused = false;
        for (int batch = 0; batch < 800 && !refused; batch++) {
          number += 1_001;
          long from = number;
          try {
            write(store, from, 1_000);
          } catch (StorageException.DiskFull full) {
            refused = true;
          }
        }
        assertTrue(refused, what + ": the disk was never full");
        check(store, what);
        assertThrows(
            StorageException.DiskFull.class,
            () -> store.snapshot(root.resolve("snapshot")),
            what + ": a snapshot");
        delete(root.resolve("snapshot"));
        delete(filler());
        store.maintain();
        write(store, number + 1_001, 1_000);
        check(store, what + ", with room");
      }
      try (EmbeddedStore store = open(path)) {
        check(store, what + ", opened again");
      }
    }
  }

  /// A snapshot on a disk with some room is whole or refused, and disturbs nothing.
  @Test
  void aSnapshotIsWholeOrRefused() throws IOException {
    on(
        FaultDisk.Kind.TMPFS,
        path -> {
          Path snapshot = root.resolve("snapshot");
          try (EmbeddedStore store = open(path)) {
            for (int batch = 0; batch < 8; batch++) {
              write(store, batch * 1_001L, 300);
            }
            sweep(bytes -> {
              delete(snapshot);
              delete(filler());
              leave(bytes);
              String refused = "";
              try {
                assertNotNull(store.snapshot(snapshot));
              } catch (StorageException.DiskFull full) {
                refused = String.valueOf(full.getMessage());
              }
              check(store, bytes + " bytes of room");
              if (refused.isEmpty()) {
                delete(filler());
                try (EmbeddedStore copy = EmbeddedStore.openForReading(snapshot)) {
                  check(copy, "snapshot in " + bytes + " bytes of room");
                }
              }
              return refused;
            });
          }
        });
  }
}
