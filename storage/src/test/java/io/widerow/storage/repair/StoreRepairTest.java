package io.widerow.storage.repair;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: verify names every damage and changes nothing. Repair loses only unreadable data, reports
/// exactly this loss, deletes nothing, and has the same result when it is killed midway. Method: a
/// store with segments and a journal on the simulated disk, damaged in every kind of way; repaired,
/// verified again, and compared with the model.
class StoreRepairTest {
  private static final Path STORE = Path.of("/store");
  private static final long START_NANOS = 1_700_000_000_000_000_000L;

  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreModel model = new StoreModel();

  private static StoreConfig config() {
    return StoreConfig.at(STORE)
        .withLanes(2, 2)
        .withMemory(4 << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  private EmbeddedStore open(SimDisk disk) {
    return new EmbeddedStore(opener(disk).open(_ -> new FileJournal.Factory(disk, config())));
  }

  private StoreOpener opener(SimDisk disk) {
    return new StoreOpener(config(), disk, clock, Runnable::run);
  }

  private static StoreVerifier.Verification verify(SimDisk disk) {
    return new StoreVerifier(disk, STORE, _ -> new FileJournal.Factory(disk, config())).verify();
  }

  private static StoreRepair.Repair repair(SimDisk disk, boolean acceptLoss) {
    return new StoreRepair(disk, STORE, acceptLoss, _ -> new FileJournal.Factory(disk, config()))
        .repair();
  }

  /// Two generations of segments, notes, and groups that are only in the journals.
  private SimDisk store(long seed) {
    var disk = new SimDisk(seed);
    try (var driver = new StoreDriver(new SplittableRandom(seed))) {
      EmbeddedStore store = open(disk);
      for (int round = 0; round < 2; round++) {
        append(store, driver, 4);
        store.sealAll();
      }
      append(store, driver, 4);
      model.putAll(driver.acknowledged.all());
      return disk.restart();
    }
  }

  private void append(EmbeddedStore store, StoreDriver driver, int groups) {
    for (int group = 0; group < groups; group++) {
      for (int batch = 0; batch < 8; batch++) {
        driver.append(store, clock.wallNanos(), 6);
      }
      store.lane(0).note(new byte[] {(byte) group});
      store.lane(1).note(new byte[] {(byte) group});
      driver.commit(store, Durability.DISK);
    }
  }

  private static List<Path> segments(SimDisk disk) {
    return disk.files().stream()
        .filter(file -> file.startsWith("/store/segments") && file.toString().endsWith(".seg"))
        .toList();
  }

  private static Map<Path, byte[]> contents(SimDisk disk) {
    Map<Path, byte[]> contents = new HashMap<>();
    disk.files().stream()
        .filter(file -> !file.endsWith("LOCK"))
        .forEach(file -> contents.put(file, disk.bytesOf(file)));
    return contents;
  }

  private static void assertSame(Map<Path, byte[]> before, Map<Path, byte[]> after, String what) {
    assertEquals(before.keySet(), after.keySet(), what);
    before.forEach((file, bytes) -> assertArrayEquals(bytes, after.get(file), what + ": " + file));
  }

  /// Events by partition, each read on its own.
  private Map<PartitionKey, List<Long>> events(SimDisk disk) {
    Map<PartitionKey, List<Long>> events = new HashMap<>();
    try (EmbeddedStore store = open(disk);
        StoreView view = store.view()) {
      for (PartitionInfo info : view.partitions(_ -> true, 0, Long.MAX_VALUE / 2)) {
        events.put(
            info.key(),
            StoreReading.readKeys(view, List.of(info.key()), Scan.all()).stream()
                .map(StoreModel.Shown::number)
                .toList());
      }
    }
    return events;
  }

  private record Wrong(SimDisk disk, Path file, String what) {}

  private static List<Wrong> wrongs(SimDisk good) {
    List<Wrong> wrongs = new ArrayList<>();
    for (Path file : segments(good)) {
      SimDisk removed = good.restart();
      removed.delete(file);
      wrongs.add(new Wrong(removed, file, file + " removed"));
      for (long size = 1; size < good.sizeOf(file); size += good.sizeOf(file) / 5) {
        SimDisk cut = good.restart();
        cut.openForWriting(file).truncate(size);
        wrongs.add(new Wrong(cut, file, file + " cut to " + size));
      }
      for (long at = 5; at < good.sizeOf(file); at += good.sizeOf(file) / 15) {
        SimDisk flipped = good.restart();
        flipped.flip(file, 8 * at);
        wrongs.add(new Wrong(flipped, file, file + " flipped at " + at));
      }
    }
    return wrongs;
  }

  /// Compares a repaired store with the repair's report and with the original content.
  private void check(
      Map<PartitionKey, List<Long>> whole, SimDisk disk, List<Damage> lost, String what) {
    assertEquals(List.of(), verify(disk).damage(), what);
    Set<PartitionKey> touched = new HashSet<>();
    lost.forEach(one -> one.partitions().forEach(info -> touched.add(info.key())));
    long lostMost = lost.stream().mapToLong(Damage::events).sum();
    Map<PartitionKey, List<Long>> left = events(disk);
    long missing = 0;
    for (var partition : whole.entrySet()) {
      List<Long> there = left.getOrDefault(partition.getKey(), List.of());
      if (!touched.contains(partition.getKey())) {
        assertEquals(partition.getValue(), there, what + ": " + partition.getKey());
      }
      missing += partition.getValue().stream().filter(n -> !there.contains(n)).count();
    }
    assertTrue(missing <= lostMost, what + ": lost " + missing + ", told " + lostMost);
  }

  @Test
  void repairLosesOnlyWhatCannotBeRead() {
    SimDisk good = store(1);
    assertEquals(List.of(), verify(good.restart()).damage());
    assertEquals(List.of(), repair(good.restart(), false).done(), "nothing to do");
    Map<PartitionKey, List<Long>> whole = events(good.restart());
    int salvaged = 0;
    for (Wrong wrong : wrongs(good)) {
      Map<Path, byte[]> before = contents(wrong.disk);
      List<Damage> found = verify(wrong.disk).damage();
      assertSame(before, contents(wrong.disk), "verify changed it: " + wrong.what);
      assertFalse(found.isEmpty(), wrong.what);
      found.forEach(one -> assertEquals(wrong.file, one.file(), wrong.what));

      StoreRepair.Repair repair = repair(wrong.disk, false);
      assertEquals(List.of(), repair.left(), wrong.what);
      Map<Path, byte[]> after = contents(wrong.disk);
      before.forEach((file, bytes) -> {
        Path kept = Path.of("/store/quarantine", file.getFileName().toString());
        if (file.equals(wrong.file)) {
          assertArrayEquals(bytes, after.get(kept), wrong.what + ": kept as it was");
        } else if (!file.endsWith("manifest")) {
          assertArrayEquals(bytes, after.get(file), wrong.what + ": " + file);
        }
      });
      check(whole, wrong.disk, repair.lost(), wrong.what);
      salvaged += repair.lost().isEmpty() ? 1 : 0;
    }
    assertTrue(salvaged > 0, "a damaged footer loses nothing");
  }

  @Test
  void aRepairThatIsKilledGoesOn() {
    SimDisk good = store(2);
    Map<PartitionKey, List<Long>> whole = events(good.restart());
    Path file = segments(good).getFirst();
    for (long at : List.of(70L, good.sizeOf(file) - 70)) {
      SimDisk bad = good.restart();
      bad.flip(file, 8 * at);
      SimDisk straight = bad.restart();
      List<Damage> lost = repair(straight, false).lost();
      long operations = straight.operations();
      assertTrue(operations > 5, operations + " operations");
      for (long operation = 1; operation <= operations; operation++) {
        SimDisk cut = bad.restart();
        cut.cutPowerAt(operation);
        assertThrows(SimDisk.PowerCut.class, () -> repair(cut, false));
        for (SimDisk after : List.of(cut.restart(), cut.crash(false), cut.crash(true))) {
          assertEquals(List.of(), repair(after, false).left());
          check(whole, after, lost, "killed at operation " + operation);
        }
      }
    }
  }

  private static Path journalOf(SimDisk disk, int lane) {
    return disk.files().stream()
        .filter(file -> file.startsWith("/store/journal"))
        .filter(file -> file.getFileName().toString().startsWith("%04x".formatted(lane)))
        .filter(file -> disk.sizeOf(file) > 0)
        .findFirst()
        .orElseThrow();
  }

  private static long frameBeforeLast(byte[] journal) {
    List<Integer> frames = new ArrayList<>();
    byte[] magic = "WIDEROWJ".getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at + magic.length <= journal.length; at += 8) {
      if (Arrays.equals(journal, at, at + magic.length, magic, 0, magic.length)) {
        frames.add(at);
      }
    }
    return frames.get(frames.size() - 2);
  }

  @Test
  void aLostGroupIsRefusedReadAroundAndAccepted() {
    SimDisk good = store(3);
    Map<PartitionKey, List<Long>> whole = events(good.restart());
    Path file = journalOf(good, 0);
    long frame = frameBeforeLast(good.bytesOf(file));
    for (long at : List.of(3L, 20L, 90L)) { // magic, header, body
      SimDisk bad = good.restart();
      bad.flip(file, 8 * (frame + at));
      Map<Path, byte[]> before = contents(bad);
      var told = assertThrows(StorageException.AcknowledgedDataDamaged.class, () -> open(bad));
      String message = String.valueOf(told.getMessage());
      assertTrue(message.contains(file.toString()), message);
      assertTrue(message.contains("partitions: unknown"), message);
      assertTrue(message.contains("hold times from 2023-11-14T"), message);
      assertEquals(told.lsnFirst, told.lsnLast);
      assertEquals(told.damage, verify(bad).damage());
      assertEquals(told.damage, repair(bad, false).left());
      assertSame(before, contents(bad), "refused");

      List<Long> shown = new ArrayList<>();
      try (EmbeddedStore reading =
              new EmbeddedStore(
                  opener(bad).openForReading(_ -> new FileJournal.Factory(bad, config())));
          StoreView view = reading.view()) {
        assertEquals(told.damage, reading.recovery().damage());
        assertEquals(told.damage, reading.statistics().damage());
        StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())
            .forEach(event -> shown.add(event.number()));
      }
      assertSame(before, contents(bad), "read");
      List<Long> all = whole.values().stream().flatMap(List::stream).sorted().toList();
      assertTrue(all.containsAll(shown), "nothing is made up");
      assertTrue(shown.size() < all.size(), "one group is lost");
      assertTrue(shown.size() > all.size() / 2, shown.size() + " of " + all.size());

      StoreRepair.Repair repair = repair(bad, true);
      assertEquals(told.damage, repair.lost());
      assertArrayEquals(
          before.get(file), bad.bytesOf(Path.of("/store/quarantine").resolve(file.getFileName())));
      assertEquals(List.of(), verify(bad).damage());
      List<Long> left = events(bad).values().stream().flatMap(List::stream).sorted().toList();
      assertEquals(shown.stream().sorted().toList(), left);
    }
  }

  @Test
  void aJournalThatIsGoneIsALoss() {
    SimDisk bad = store(4);
    Path file = journalOf(bad, 1);
    bad.files().stream()
        .filter(one -> one.toString().startsWith("/store/journal/0001"))
        .forEach(bad::delete);
    var told = assertThrows(StorageException.AcknowledgedDataDamaged.class, () -> open(bad));
    assertTrue(
        String.valueOf(told.getMessage()).contains("journal of lane 1 is gone"), file::toString);
    assertEquals(1, repair(bad, true).lost().size());
    open(bad).close();
  }

  @Test
  void damagedNotesAreMovedOnlyWhenThatIsAccepted() {
    SimDisk bad = store(5);
    Path notes = bad.list(Path.of("/store/notes")).getFirst();
    bad.flip(notes, 80);
    assertThrows(StorageException.Corrupt.class, () -> open(bad));
    new EmbeddedStore(opener(bad).openForReading(_ -> new FileJournal.Factory(bad, config())))
        .close();
    StoreRepair.Repair refused = repair(bad, false);
    assertEquals(List.of(Damage.Kind.NOTES), refused.left().stream().map(Damage::kind).toList());
    assertTrue(bad.exists(notes));
    assertEquals(1, repair(bad, true).lost().size());
    assertFalse(bad.exists(notes));
    open(bad).close();
    Path kept = Path.of("/store/quarantine").resolve(notes.getFileName());
    assertTrue(bad.exists(kept), "nothing is deleted");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedWitnessIsWrittenAnew(boolean gone) {
    Path witness = STORE.resolve("witness");
    SimDisk bad = store(8);
    if (gone) {
      bad.delete(witness);
    } else {
      bad.replace(witness, new byte[8_192]);
    }
    try (var read =
        new EmbeddedStore(
            opener(bad).openForReading(_ -> new FileJournal.Factory(bad, config())))) {
      assertEquals(
          List.of(Damage.Kind.WITNESS),
          read.recovery().damage().stream().map(Damage::kind).toList());
    }
    assertEquals(
        List.of(Damage.Kind.WITNESS), verify(bad).damage().stream().map(Damage::kind).toList());
    StoreRepair.Repair repair = repair(bad, false);
    assertEquals(List.of(), repair.left());
    assertEquals(List.of(), repair.lost());
    assertTrue(repair.done().getFirst().startsWith(witness.toString()), repair::toString);
    assertEquals(List.of(), verify(bad).damage());
    assertEquals(List.of(), verify(bad).remarks());
    open(bad);
    assertEquals(List.of(), verify(bad.restart()).remarks());
  }

  @Test
  void whatNamesTheRestIsNotRepaired() {
    for (String name : List.of("FORMAT", "manifest")) {
      SimDisk bad = store(6);
      bad.flip(STORE.resolve(name), 8 * 20);
      Map<Path, byte[]> before = contents(bad);
      Damage.Kind kind = name.equals("FORMAT") ? Damage.Kind.FORMAT : Damage.Kind.MANIFEST;
      assertEquals(List.of(kind), verify(bad).damage().stream().map(Damage::kind).toList());
      assertEquals(List.of(kind), repair(bad, true).left().stream().map(Damage::kind).toList());
      assertSame(before, contents(bad), name);
    }
  }

  @Test
  void aStoreThatIsNotToBeTouchedIsRefused() {
    SimDisk disk = store(7);
    EmbeddedStore used = open(disk);
    assertThrows(StorageException.Locked.class, () -> verify(disk));
    assertThrows(StorageException.Locked.class, () -> repair(disk, true));
    used.close();
    assertEquals(List.of(), verify(disk).damage());

    Path format = STORE.resolve("FORMAT");
    String text = new String(disk.bytesOf(format), StandardCharsets.UTF_8);
    disk.replace(format, text.replace("store 1", "store 2").getBytes(StandardCharsets.UTF_8));
    assertThrows(StorageException.Incompatible.class, () -> verify(disk));
    assertThrows(StorageException.Incompatible.class, () -> repair(disk, true));
    disk.delete(format);
    assertThrows(StorageException.Incompatible.class, () -> verify(disk));
    assertThrows(StorageException.Incompatible.class, () -> repair(disk, true));
  }
}
