package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.LevelAttribute;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Crowded;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.SegmentFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: a scan that skips damage shows everything outside the times that it names, and names the
/// missing parts; without damage it names nothing. Method: a store with several segments on the
/// simulated disk, also of events that replace others; each segment is removed, cut and flipped in
/// its blocks; it is read in order, grouped by another thread's help, and compared with the whole
/// store.
class PassedOverDamageTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Scan ALL = Scan.all();

  /// Leaves texts to the reader of the level; no text here has a level.
  private static final Scan LEVELS =
      ALL.withColumns(
          Stream.concat(
                  LevelAttribute.READ.stream(), Stream.of("n", "value").map(AttributeName::of))
              .collect(Collectors.toSet()));

  private final TestClock clock = new TestClock(START_NANOS);

  private EmbeddedStore open(SimDisk disk) {
    EmbeddedStore store = FileJournal.openStore(StoreDamageTest.config(), disk, clock);
    store.readWith(new ReadingThreads(null, ForkJoinPool.commonPool()));
    return store;
  }

  private SimDisk store(long seed) {
    var disk = new SimDisk(seed);
    try (var driver = new StoreDriver(new SplittableRandom(seed)).withLevels();
        EmbeddedStore store = open(disk)) {
      StoreQuarantineTest.fill(store, driver, clock);
    }
    return disk.restart();
  }

  private static List<Path> segments(SimDisk disk) {
    return disk.files().stream().filter(file -> file.toString().endsWith(".seg")).toList();
  }

  private static ScanWatch passingOver() {
    ScanWatch watch = new ScanWatch(() -> {});
    watch.passOverDamage();
    return watch;
  }

  private static List<PartitionKey> keys(StoreView view) {
    return view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
        .map(PartitionInfo::key)
        .toList();
  }

  private static List<StoreModel.Shown> outside(
      List<StoreModel.Shown> shown, List<ScanWatch.Unread> unread) {
    return shown.stream()
        .filter(event ->
            unread.stream()
                .noneMatch(part ->
                    event.timeNanos() >= part.firstNanos()
                        && event.timeNanos() <= part.lastNanos()))
        .toList();
  }

  /// Returns what the scan has named.
  private static List<ScanWatch.Unread> compare(StoreView whole, StoreView hurt, String what) {
    List<StoreModel.Shown> all = StoreReading.readKeys(whole, keys(whole), ALL);
    List<ScanWatch.Unread> named = List.of();
    for (Scan scan : List.of(LEVELS, ALL)) {
      for (boolean descending : List.of(false, true)) {
        List<StoreModel.Shown> expected = descending ? all.reversed() : all;
        named = compare(expected, hurt, scan.withDescending(descending), what);
      }
    }
    for (PartitionKey key : keys(whole)) {
      grouped(whole, hurt, key, what);
    }
    return named;
  }

  private static List<ScanWatch.Unread> compare(
      List<StoreModel.Shown> all, StoreView hurt, Scan scan, String what) {
    ScanWatch watch = passingOver();
    List<StoreModel.Shown> left = StoreReading.readKeys(hurt, keys(hurt), scan.withWatch(watch));
    List<ScanWatch.Unread> named = watch.unread();
    ScanWatch crowded = new ScanWatch(() -> {}, new Crowded(all.size(), 4));
    crowded.passOverDamage();
    assertEquals(
        left,
        StoreReading.readKeys(hurt, keys(hurt), scan.withWatch(crowded)),
        what + ": in slices");
    assertEquals(Set.copyOf(named), Set.copyOf(crowded.unread()), what + ": in slices");
    assertEquals(outside(all, named), outside(left, named), what + " " + named);
    long lacks = named.stream().mapToLong(ScanWatch.Unread::events).sum();
    assertTrue(all.size() - left.size() <= lacks, what + ": more is lost than " + named);
    return named;
  }

  /// A partition of its own, grouped; exact when no event of it may replace another.
  private static void grouped(StoreView whole, StoreView hurt, PartitionKey key, String what) {
    Grouping byValue = new Grouping(List.of(AttributeName.of("value")), 0);
    ScanWatch watch = passingOver();
    long before = weights(whole, key, ALL.withFold(byValue));
    long after = weights(hurt, key, ALL.withFold(byValue).withWatch(watch));
    long lacks = watch.unread().stream().mapToLong(ScanWatch.Unread::events).sum();
    assertTrue(after <= before && before - after <= lacks, what + ": " + key);
    for (ScanWatch.Unread part : watch.unread()) {
      assertEquals(key, part.partition(), what);
    }
  }

  private static long weights(StoreView view, PartitionKey key, Scan scan) {
    long sum = 0;
    try (EventCursor cursor = view.openUnordered(List.of(key), scan)) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        sum += cursor.event().weight();
      }
    }
    return sum;
  }

  private List<ScanWatch.Unread> hurt(SimDisk good, Consumer<SimDisk> damage, String what) {
    SimDisk bad = good.restart();
    damage.accept(bad);
    try (EmbeddedStore whole = open(good.restart());
        EmbeddedStore store = open(bad);
        StoreView all = whole.view();
        StoreView left = store.view()) {
      return compare(all, left, what);
    }
  }

  @Test
  void nothingIsNamedWithoutDamage() {
    assertEquals(List.of(), hurt(store(1), _ -> {}, "intact"));
  }

  @Test
  void aSegmentThatCannotBeReadIsNamedByPartition() {
    SimDisk good = store(2);
    for (Path file : segments(good)) {
      List<ScanWatch.Unread> gone = hurt(good, disk -> disk.delete(file), file + " removed");
      assertTrue(!gone.isEmpty(), file.toString());
      for (ScanWatch.Unread part : gone) {
        assertEquals(Damage.Kind.SEGMENT, part.kind());
        assertEquals(String.valueOf(file.getFileName()), part.name());
      }
      assertEquals(
          gone.size(),
          hurt(good, disk -> disk.openForWriting(file).truncate(40), file + " cut").size());
    }
    List<Path> all = segments(good);
    List<ScanWatch.Unread> every = hurt(good, disk -> all.forEach(disk::delete), "all removed");
    assertEquals(
        all.size(), every.stream().map(ScanWatch.Unread::name).distinct().count(), "each is named");
  }

  @Test
  void aBlockThatCannotBeReadIsNamedAndOthersAreShown() {
    SimDisk good = store(3);
    int named = 0;
    int flips = 0;
    for (Path file : segments(good).subList(0, 2)) {
      for (long at = SegmentFormat.HEADER_BYTES; at < good.sizeOf(file) - 64; at += 11) {
        long bit = 8 * at + at % 8;
        String what = file + " flipped at " + at;
        List<ScanWatch.Unread> parts = hurt(good, disk -> disk.flip(file, bit), what);
        assertTrue(parts.size() <= 1 || parts.getFirst().kind() != Damage.Kind.BLOCK, what);
        named += parts.isEmpty() ? 0 : 1;
        flips++;
      }
    }
    assertTrue(flips > 40 && named > flips / 4, named + " of " + flips + " were named");
  }

  @Test
  void severalAreNamedEach() {
    SimDisk good = store(4);
    List<Path> all = segments(good);
    List<ScanWatch.Unread> parts =
        hurt(
            good,
            disk -> {
              disk.delete(all.get(0));
              disk.flip(all.get(1), 8L * (SegmentFormat.HEADER_BYTES + 2));
              disk.flip(all.get(2), 8L * (SegmentFormat.HEADER_BYTES + 2));
            },
            "three");
    assertEquals(3, parts.stream().map(ScanWatch.Unread::name).distinct().count(), parts::toString);
  }

  /// Damage outside the range of a scan is not reported to it.
  @Test
  void damageOutsideOfTheRangeIsNotNamed() {
    SimDisk good = store(5);
    SimDisk bad = good.restart();
    segments(good).forEach(bad::delete);
    long end = START_NANOS - Duration.ofDays(1).toNanos();
    try (EmbeddedStore store = open(bad);
        StoreView view = store.view()) {
      ScanWatch watch = passingOver();
      Scan before = Scan.ofTime(0, end).withWatch(watch);
      assertEquals(List.of(), StoreReading.readKeys(view, keys(view), before));
      assertEquals(List.of(), watch.unread());
    }
  }

  /// The watch reports the memory of the named parts, and a refusal ends the scan.
  @Test
  void whatIsNamedIsCounted() {
    SimDisk good = store(6);
    SimDisk bad = good.restart();
    segments(good).forEach(bad::delete);
    List<Long> told = new ArrayList<>();
    ScanWatch watch = new ScanWatch(() -> {}, told::add);
    watch.passOverDamage();
    try (EmbeddedStore store = open(bad);
        StoreView view = store.view()) {
      StoreReading.readKeys(view, keys(view), ALL.withWatch(watch));
    }
    assertEquals(watch.unreadBytes(), told.stream().mapToLong(each -> each).sum());
    assertTrue(watch.unreadBytes() > 0);
  }

  /// Without being asked, a scan ends with the damage.
  @Test
  void damageIsNotPassedOverUnasked() {
    SimDisk good = store(7);
    SimDisk bad = good.restart();
    segments(good).forEach(bad::delete);
    try (EmbeddedStore store = open(bad);
        StoreView view = store.view()) {
      assertThrows(
          StorageException.Corrupt.class, () -> StoreReading.readKeys(view, keys(view), ALL));
    }
  }
}
