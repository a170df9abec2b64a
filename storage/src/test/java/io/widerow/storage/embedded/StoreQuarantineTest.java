package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Damage;
import io.widerow.storage.Durability;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.SegmentFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a damaged segment is contained: the store names it and its content, serves every other
/// partition, reports the loss to readers of the damaged ones, and never deletes or rewrites the
/// segment as if it were intact. Method: a store with several segments on the simulated disk; each
/// segment is removed, cut, swapped, and flipped in header, blocks, index and footer; every
/// partition is read on its own.
class StoreQuarantineTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;

  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreModel model = new StoreModel();

  private EmbeddedStore open(SimDisk disk) {
    return FileJournal.openStore(StoreDamageTest.config(), disk, clock);
  }

  /// Writes three generations of segments, of several buckets each, none of them merged yet.
  static void fill(EmbeddedStore store, StoreDriver driver, TestClock clock) {
    for (int round = 0; round < 3; round++) {
      for (int batch = 0; batch < 12; batch++) {
        driver.append(store, clock.wallNanos(), 6);
      }
      driver.commit(store, Durability.DISK);
      store.sealAll();
      clock.advance(Duration.ofMinutes(2).toNanos());
    }
  }

  private SimDisk store(long seed) {
    var disk = new SimDisk(seed);
    try (var driver = new StoreDriver(new SplittableRandom(seed));
        EmbeddedStore store = open(disk)) {
      fill(store, driver, clock);
      model.putAll(driver.acknowledged.all());
    }
    return disk.restart();
  }

  private static List<Path> segments(SimDisk disk) {
    return disk.files().stream().filter(file -> file.toString().endsWith(".seg")).toList();
  }

  private static List<Long> read(StoreView view, PartitionKey key, boolean descending) {
    return StoreReading.readKeys(view, List.of(key), Scan.all().withDescending(descending)).stream()
        .map(StoreModel.Shown::number)
        .sorted()
        .toList();
  }

  /// Reads each partition on its own.
  ///
  /// @return number of unreadable partitions
  private static int readAll(EmbeddedStore good, EmbeddedStore bad, Path file, String what) {
    int refused = 0;
    try (StoreView all = good.view();
        StoreView left = bad.view()) {
      List<PartitionInfo> known = all.partitions(_ -> true, 0, Long.MAX_VALUE / 2);
      assertEquals(known, left.partitions(_ -> true, 0, Long.MAX_VALUE / 2), what);
      for (PartitionInfo info : known) {
        for (boolean descending : List.of(false, true)) {
          List<Long> shown;
          try {
            shown = read(left, info.key(), descending);
          } catch (StorageException.Corrupt told) {
            assertEquals(file, told.file, what);
            assertEquals(info.key(), told.partition, what);
            assertTrue(
                told.toString().contains(file.toString())
                    && told.toString().contains(info.key().toString()),
                told::toString);
            refused++;
            continue;
          }
          assertEquals(read(all, info.key(), descending), shown, what + ": " + info.key());
        }
      }
    }
    return refused;
  }

  /// A damaged disk: the damaged file and a description.
  private record Wrong(SimDisk disk, Path file, String what) {}

  private void contained(SimDisk good, Wrong wrong, boolean named) {
    SimDisk bad = wrong.disk;
    Path file = wrong.file;
    boolean there = bad.exists(file);
    byte[] before = there ? bad.bytesOf(file) : new byte[0];
    try (EmbeddedStore whole = open(good.restart());
        EmbeddedStore store = open(bad);
        var driver = new StoreDriver(new SplittableRandom(1))) {
      int refused = readAll(whole, store, file, wrong.what);
      assertTrue(!named || refused > 0, wrong.what + ": it was never reported");
      List<Damage> damage = store.statistics().damage();
      assertEquals(refused > 0 ? 1 : 0, damage.size(), wrong.what);
      for (Damage one : damage) {
        assertEquals(file, one.file(), wrong.what);
        assertTrue(one.events() > 0, wrong.what + ": what it held is not known");
      }
      // Writing goes on, sealing and merging too; the damaged file stays as it is.
      driver.append(store, clock.wallNanos(), 6);
      driver.commit(store, Durability.DISK);
      clock.advance(Duration.ofHours(3).toNanos());
      store.sealAll();
      store.maintain();
      clock.advance(-Duration.ofHours(3).toNanos());
      if (refused > 0) {
        assertEquals(there, bad.exists(file), wrong.what + ": " + file);
        assertArrayEquals(before, there ? bad.bytesOf(file) : before, wrong.what);
      }
    }
    if (named) {
      try (EmbeddedStore again = open(bad)) {
        assertEquals(1, again.statistics().damage().size(), wrong.what + ", opened again");
        assertEquals(there, bad.exists(file), wrong.what + ", opened again");
      }
    }
  }

  @Test
  void anUnreadableSegmentIsQuarantined() {
    SimDisk good = store(1);
    List<Path> segments = segments(good);
    assertTrue(segments.size() > 4, segments::toString);
    for (Path file : segments) {
      SimDisk removed = good.restart();
      removed.delete(file);
      contained(good, new Wrong(removed, file, file + " removed"), true);
      for (long size : List.of(0L, 40L, good.sizeOf(file) / 2, good.sizeOf(file) - 1)) {
        SimDisk cut = good.restart();
        cut.openForWriting(file).truncate(size);
        contained(good, new Wrong(cut, file, file + " cut to " + size), true);
      }
      SimDisk other = good.restart();
      Path next = segments.get((segments.indexOf(file) + 1) % segments.size());
      other.replace(file, good.bytesOf(next));
      contained(good, new Wrong(other, file, file + " replaced by " + next), true);
      for (long at : List.of(20L, good.sizeOf(file) - 70, good.sizeOf(file) - 20)) {
        SimDisk flipped = good.restart();
        flipped.flip(file, 8 * at);
        contained(good, new Wrong(flipped, file, file + " flipped at " + at), true);
      }
    }
  }

  @Test
  void aDamagedBlockEndsTheReadingOfItsPartitionOnly() {
    SimDisk good = store(2);
    Path file = segments(good).getFirst();
    int told = 0;
    for (long at = SegmentFormat.HEADER_BYTES; at < good.sizeOf(file) - 64; at += 7) {
      SimDisk bad = good.restart();
      bad.flip(file, 8 * at + at % 8);
      contained(good, new Wrong(bad, file, file + " flipped at " + at), false);
      told++;
    }
    assertTrue(told > 20, told + " flips");
  }

  /// If a block of a merge's input is damaged, that merge writes no segment. The other segments of
  /// the bucket are merged without the damaged one.
  @Test
  void othersAreMergedWithoutIt() {
    SimDisk good = store(3);
    Path file = segments(good).getFirst();
    SimDisk bad = good.restart();
    bad.flip(file, 8L * (SegmentFormat.HEADER_BYTES + 2));
    byte[] before = bad.bytesOf(file);
    clock.advance(Duration.ofHours(8).toNanos());
    try (EmbeddedStore store = open(bad)) {
      store.maintain(); // meets the damage
      store.maintain();
      assertTrue(store.statistics().merged() > 0, "nothing was merged");
      assertEquals(1, store.statistics().damage().size());
      assertTrue(store.statistics().backgroundFailure().contains(file.toString()));
      assertArrayEquals(before, bad.bytesOf(file));
      try (EmbeddedStore whole = open(good.restart())) {
        assertTrue(readAll(whole, store, file, "merged") > 0);
      }
    }
  }

  /// Segments past retention are dropped, damaged or not, because the manifest knows their content.
  @Test
  void retentionDropsIt() {
    SimDisk bad = store(4);
    Path file = segments(bad).getFirst();
    bad.openForWriting(file).truncate(100);
    try (EmbeddedStore store = open(bad)) {
      assertEquals(1, store.statistics().damage().size());
      store.retain(null, Duration.ofDays(1));
      clock.advance(Duration.ofDays(3).toNanos());
      store.maintain();
      assertEquals(List.of(), store.statistics().damage());
      assertEquals(List.of(), segments(bad));
    }
  }

  /// Only segments are quarantined. With a damaged manifest the store is refused.
  @Test
  void aDamagedManifestIsStillRefused() {
    SimDisk bad = store(5);
    bad.flip(Path.of("/store/manifest"), 8 * 40);
    var told = assertThrows(StorageException.Corrupt.class, () -> open(bad));
    assertNotNull(told.getMessage());
    assertEquals(Path.of("/store/manifest"), told.file);
  }
}
