package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FaultRecords;
import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Damage;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: a damaged store names the damaged file or shows exactly what it acknowledged, and nothing
/// else. A refused open changes nothing. Method: a small store with every kind of file on the
/// simulated disk; flip every byte of every file, cut, remove and swap files, and open copies. One
/// byte in eight, chosen by a seed, unless `-Dstride=1` selects all.
///
/// The last groups of a journal are promised by the store's witness alone. Groups that came after
/// it was written look like a power cut before their acknowledgement when they are damaged, and
/// only those. Damage to the last edit of the manifest is found through the first LSN of a journal
/// file.
class StoreDamageTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Path LOCK = Path.of("/store/LOCK");
  private static final Path WITNESS = Path.of("/store/witness");

  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreModel model = new StoreModel();
  private final StoreModel withoutLast = new StoreModel(); // without the last group of each lane
  private final Set<ByteBuffer> noted = new HashSet<>();
  private boolean unwitnessed; // the witness of the store is gone

  static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(2, 2)
        .withMemory(4 << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  private EmbeddedStore open(SimDisk disk) {
    return FileJournal.openStore(config(), disk, clock);
  }

  /// The suite for a store that has lost its witness, its ballast and its versions: further damage
  /// to the last groups of a journal may go unnoticed, and nothing else.
  static StoreDamageTest ofUnwitnessedStore() {
    var suite = new StoreDamageTest();
    suite.unwitnessed = true;
    return suite;
  }

  /// A killed store with sealed segments, edits of the manifest, notes, and journals with groups.
  private SimDisk store(long seed) {
    SimDisk disk = store(seed, true).restart();
    removeWitness(disk);
    return disk;
  }

  private void removeWitness(SimDisk disk) {
    if (unwitnessed) {
      List.of(WITNESS, Path.of("/store/ballast"), Path.of("/store/VERSIONS")).forEach(disk::delete);
    }
  }

  /// The same, with its process still running.
  ///
  /// @param isWitnessed whether the witness was written after the last groups
  private SimDisk store(long seed, boolean isWitnessed) {
    var disk = new SimDisk(seed);
    noted.clear();
    model.clear();
    withoutLast.clear();
    try (var driver = new StoreDriver(new SplittableRandom(seed))) {
      EmbeddedStore store = open(disk);
      for (int round = 0; round < 3; round++) {
        append(store, driver, 3);
        clock.advance(Duration.ofMinutes(2).toNanos());
        store.maintain();
        driver.commit(store, Durability.DISK);
      }
      append(store, driver, 3);
      store.maintain();
      withoutLast.putAll(driver.acknowledged.all());
      append(store, driver, 1);
      if (isWitnessed) {
        store.maintain();
      }
      model.putAll(driver.acknowledged.all());
      driver.noted.keySet().forEach(number -> noted.add(StoreDriver.note(number)));
      return disk;
    }
  }

  private void append(EmbeddedStore store, StoreDriver driver, int groups) {
    for (int group = 0; group < groups; group++) {
      for (int batch = 0; batch < 3; batch++) {
        driver.append(store, clock.wallNanos(), 4);
      }
      driver.commit(store, Durability.DISK);
    }
  }

  private static Map<Path, byte[]> contents(SimDisk disk) {
    Map<Path, byte[]> contents = new HashMap<>();
    for (Path file : disk.files()) {
      if (!file.equals(LOCK)) {
        contents.put(file, disk.bytesOf(file));
      }
    }
    return contents;
  }

  private static void assertUnchanged(Map<Path, byte[]> before, SimDisk disk, String what) {
    Map<Path, byte[]> after = contents(disk);
    assertEquals(before.keySet(), after.keySet(), what);
    before.forEach((file, bytes) ->
        assertTrue(Arrays.equals(bytes, after.get(file)), () -> what + " changed " + file));
  }

  /// Opens a damaged disk and reads all of it.
  ///
  /// @param mayLoseLast whether the last groups may be missing
  /// @return the reported damage, empty when it shows everything
  private String look(SimDisk disk, String what, boolean mayLoseLast) {
    removeWitness(disk);
    return look(what, mayLoseLast || unwitnessed, disk);
  }

  private String look(String what, boolean mayLoseLast, SimDisk disk) {
    Map<Path, byte[]> before = contents(disk);
    EmbeddedStore store;
    try {
      store = open(disk);
    } catch (StorageException told) {
      assertUnchanged(before, disk, what);
      return String.valueOf(told.getMessage());
    } catch (RuntimeException | Error untyped) {
      throw new AssertionError(what, untyped);
    }
    try (store;
        StoreView view = store.view()) {
      List<Long> shown =
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
              .map(StoreModel.Shown::number)
              .sorted()
              .toList();
      List<Long> all = model.numbers(_ -> true, 0, Long.MAX_VALUE / 2);
      if (mayLoseLast && !shown.equals(all)) {
        List<Long> lost = all.stream().filter(number -> !shown.contains(number)).toList();
        List<Long> lastOnes = withoutLast.numbers(_ -> true, 0, Long.MAX_VALUE / 2);
        assertTrue(lost.stream().noneMatch(lastOnes::contains), () -> what + " lost " + lost);
        assertTrue(lastOnes.containsAll(shown) || all.containsAll(shown), what);
        return "";
      }
      String told =
          store.recovery().damage().stream()
              .filter(damage -> !unwitnessed || damage.kind() != Damage.Kind.WITNESS)
              .map(Damage::sentence)
              .collect(Collectors.joining("; "));
      if (!told.isEmpty() && !shown.equals(all)) { // two faults, one of them to the witness
        assertTrue(all.containsAll(shown), what);
        return told;
      }
      assertEquals(all, shown, what);
      checkNotes(store, what, mayLoseLast);
      return told;
    } catch (StorageException told) {
      return String.valueOf(told.getMessage());
    } catch (RuntimeException untyped) {
      throw new AssertionError(what, untyped);
    }
  }

  private void checkNotes(EmbeddedStore store, String what, boolean mayLoseLast) {
    Set<ByteBuffer> told = new HashSet<>();
    store.lane(0).notes((_, note) -> told.add(ByteBuffer.wrap(note)));
    assertTrue(noted.containsAll(told), () -> what + ": a note that was never written");
    assertTrue(mayLoseLast || told.containsAll(noted), () -> what + ": a note is missing");
  }

  private static boolean isJournal(Path file) {
    return file.toString().contains("/journal/");
  }

  @Test
  void everyFlippedByteIsToldOrHarmless() throws IOException {
    int stride = Slice.of("stride", 80, 16);
    int start = Math.floorMod(Seeds.one(), stride);
    String what = "a bit of one byte in %d of all files of a small store".formatted(stride);
    record(what, flip(stride, start));
  }

  /// Number of damaged stores, and how many of them still showed everything.
  record Looks(long times, long whole) {}

  private static void record(String damage, Looks looks) throws IOException {
    FaultRecords.add(
        FaultRecords.Table.DAMAGE,
        damage,
        looks.times,
        looks.times - looks.whole,
        looks.whole,
        0,
        0);
  }

  /// Flips a bit of every so many bytes.
  Looks flip(int stride, int start) {
    SimDisk good = store(1);
    assertEquals("", look(good.restart(), "undamaged", false));
    long flips = 0;
    long whole = 0;
    for (Path file : good.files()) {
      for (long at = start; at < good.sizeOf(file); at += stride) {
        SimDisk bad = good.restart();
        bad.flip(file, 8 * at + at % 8);
        String told = look(bad, file + " byte " + at, false);
        assertTrue(
            told.isEmpty() || told.contains("/store/"), () -> file + " is not named in: " + told);
        assertTrue(told.isEmpty() || !file.equals(WITNESS), "its other copy counts");
        flips++;
        whole += told.isEmpty() ? 1 : 0;
      }
    }
    assertTrue(flips * stride > 10_000, flips + " flips from " + start);
    return new Looks(flips, whole);
  }

  @Test
  void everyCutIsToldOrHarmless() throws IOException {
    int stride = Slice.of("stride", 80, 16);
    int start = Math.floorMod(Seeds.one(), stride);
    SimDisk good = store(2);
    long cuts = 0;
    long whole = 0;
    for (Path file : good.files()) {
      if (file.equals(LOCK)) {
        continue;
      }
      for (long size = start; size < good.sizeOf(file); size += stride) {
        SimDisk bad = good.restart();
        bad.openForWriting(file).truncate(size);
        String told = look(bad, file + " cut to " + size, false);
        cuts++;
        whole += told.isEmpty() ? 1 : 0;
      }
    }
    record(
        "a file of a small store cut at one byte in %d".formatted(stride), new Looks(cuts, whole));
  }

  /// For a store that was reopened without writes, only the names of its journal files show that
  /// the manifest held more.
  @Test
  void aManifestWithoutItsLastEditsIsTold() {
    Path manifest = Path.of("/store/manifest");
    SimDisk good = store(9);
    EmbeddedStore idle = open(good);
    assertTrue(idle.recovery().groupsReplayed() > 0);
    for (long size = good.sizeOf(manifest) - 1; size > 0; size -= 8) {
      SimDisk bad = good.restart();
      bad.openForWriting(manifest).truncate(size);
      look(bad, "manifest cut to " + size, false);
    }
    idle.close();
  }

  /// True for a file that no opening needs: damage of it is none of the store.
  private static boolean isIdle(Path file) {
    return file.endsWith("ballast") || file.endsWith("VERSIONS");
  }

  @Test
  void everyRemovedFileIsNamed() {
    SimDisk good = store(3);
    for (Path file : good.files()) {
      if (!file.equals(LOCK) && !file.toString().contains("/notes/")) {
        SimDisk bad = good.restart();
        bad.delete(file);
        String told = look(bad, file + " removed", false);
        String ours = isJournal(file) ? "journal" : file.endsWith("FORMAT") ? "FORMAT" : file + "";
        String named = isIdle(file) ? "" : ours;
        assertTrue(told.contains(named), () -> file + " removed: " + told);
      }
    }
  }

  /// A loss of the end of a file.
  ///
  /// @param from the first byte that is lost
  /// @param cut whether the file ends there; it goes on with zeros otherwise
  private record Loss(int from, boolean cut) {
    byte[] of(byte[] file) {
      byte[] left = Arrays.copyOf(file, from);
      return cut ? left : Arrays.copyOf(left, file.length);
    }
  }

  /// Every way to lose the end of a file: it is emptied, cut, or zeros from some byte on.
  private static List<Loss> losses(SimDisk disk, Path file) {
    List<Loss> losses = new ArrayList<>();
    for (int from = 0; isJournal(file) && from < disk.sizeOf(file); from += 16) {
      losses.add(new Loss(from, true));
      losses.add(new Loss(from, false));
    }
    return losses;
  }

  @Test
  void everyLostEndOfAJournalIsNamed() throws IOException {
    SimDisk running = store(10, true);
    long looks = 0;
    long whole = 0;
    for (SimDisk good : List.of(running.restart(), running.crash(false), running.crash(true))) {
      assertEquals("", look(good.restart(), "undamaged", false));
      for (Path file : good.files()) {
        for (Loss loss : losses(good, file)) {
          SimDisk bad = good.restart();
          bad.replace(file, loss.of(good.bytesOf(file)));
          String told = look(bad, file + " " + loss, false);
          assertTrue(
              told.isEmpty() || told.contains("/store/journal"),
              () -> file + " " + loss + " is not named in: " + told);
          looks++;
          whole += told.isEmpty() ? 1 : 0;
        }
      }
    }
    assertTrue(looks > 100 && whole < looks / 4, whole + " of " + looks);
    record("the end of a journal cut or zeroed, at every 16th byte", new Looks(looks, whole));
  }

  /// What no witness can prove: groups that were acknowledged after it was written.
  @Test
  void anEndThatNobodyWitnessedHoldsTheLastGroupsOnly() {
    SimDisk good = store(11, false).restart();
    for (Path file : good.files()) {
      for (Loss loss : losses(good, file)) {
        SimDisk bad = good.restart();
        bad.replace(file, loss.of(good.bytesOf(file)));
        String told = look(bad, file + " " + loss, true);
        assertTrue(
            !loss.cut() || loss.from() >= 256 || told.contains("/store/journal"),
            () -> file + " " + loss + " is shorter than it was reserved: " + told);
      }
    }
  }

  /// No LSN is witnessed yet, but the size of the file is.
  @Test
  void aJournalThatWasCutInTheFirstSecondIsNamed() {
    var disk = new SimDisk(14);
    try (var driver = new StoreDriver(new SplittableRandom(14))) {
      append(open(disk), driver, 4);
    }
    SimDisk good = disk.restart();
    for (Path file : good.files()) {
      for (int bytes = 0; isJournal(file) && bytes < 256; bytes++) {
        SimDisk bad = good.restart();
        bad.openForWriting(file).truncate(bytes);
        String what = file + " cut to " + bytes;
        var told = assertThrows(StorageException.class, () -> open(bad), what);
        assertTrue(String.valueOf(told.getMessage()).contains(file.toString()), told::toString);
      }
    }
  }

  /// Two faults: a store without its witness says so before anything is missed.
  @Test
  void aLostEndAndALostWitnessAreNamed() {
    SimDisk good = store(12);
    for (int left : new int[] {0, 8_192, 100, -1}) {
      SimDisk bad = good.restart();
      if (left < 0) {
        bad.delete(WITNESS);
      } else {
        bad.replace(WITNESS, new byte[left]);
      }
      assertTrue(look(bad.restart(), "witness", false).contains(WITNESS.toString()));
      for (Path file : bad.files()) {
        if (isJournal(file)) {
          SimDisk worse = bad.restart();
          worse.replace(file, new byte[0]);
          EmbeddedStore store;
          try {
            store = open(worse);
          } catch (StorageException told) {
            assertTrue(String.valueOf(told.getMessage()).contains("journal"), told::toString);
            continue;
          }
          assertTrue(store.recovery().damage().toString().contains(WITNESS.toString()));
          store.close();
          assertEquals(List.of(), damage(worse), "it was replaced");
        }
      }
    }
  }

  private List<Damage> damage(SimDisk disk) {
    try (EmbeddedStore again = open(disk)) {
      return again.recovery().damage();
    }
  }

  /// A witness that is older than the journal, as one of a program that did not write it, proves
  /// less and nothing false.
  @Test
  void anOlderWitnessIsNoDamage() {
    SimDisk running = store(13, false);
    SimDisk older = running.restart();
    byte[] left = older.bytesOf(WITNESS);
    for (int opened = 0; opened < 3; opened++) {
      older.replace(WITNESS, left);
      assertEquals("", look(older, "an older witness", false));
    }
  }

  @Test
  void filesThatChangedPlacesAreTold() {
    SimDisk good = store(4);
    SimDisk other = new SimDisk(5);
    try (var driver = new StoreDriver(new SplittableRandom(5))) {
      append(open(other), driver, 20);
    }
    List<Path> files = good.files();
    for (Path one : files) {
      for (Path two : files) {
        boolean needed = !isIdle(one) || !isIdle(two);
        if (one.compareTo(two) < 0 && needed && !one.equals(LOCK) && !two.equals(LOCK)) {
          SimDisk bad = good.restart();
          bad.replace(one, good.bytesOf(two));
          bad.replace(two, good.bytesOf(one));
          String told = look(bad, one + " and " + two + " changed places", false);
          assertTrue(told.contains("/store"), () -> one + " and " + two + ": " + told);
        }
      }
    }
    for (Path file : files) {
      if (other.exists(file) && !file.equals(LOCK) && !isIdle(file)) {
        SimDisk bad = good.restart();
        bad.replace(file, other.bytesOf(file));
        String told = look(bad, file + " of another store", false);
        assertTrue(told.contains("/store"), () -> file + " of another store: " + told);
      }
    }
  }

  /// A file system reuses blocks, so another manifest's bytes may follow the end of this one.
  @Test
  void anEditOfAnotherStoreIsNone() {
    Path manifest = Path.of("/store/manifest");
    byte[] others = store(8).bytesOf(manifest);
    model.clear();
    SimDisk good = store(7);
    byte[] ours = good.bytesOf(manifest);
    List<Integer> edits = new ArrayList<>();
    for (int at = 28; at < others.length; at += 8 + ByteBuffer.wrap(others).getInt(at)) {
      edits.add(at);
    }
    assertTrue(edits.size() > 3, edits::toString);
    for (int from : edits) {
      byte[] left = Arrays.copyOf(ours, ours.length + others.length - from);
      System.arraycopy(others, from, left, ours.length, others.length - from);
      SimDisk bad = good.restart();
      bad.replace(manifest, left);
      assertEquals("", look(bad, "what another store had at " + from, false));
    }
  }

  @Test
  void aNewerFormatIsRefusedAndNothingIsTouched() {
    SimDisk good = store(6);
    Path format = Path.of("/store/FORMAT");
    String text = new String(good.bytesOf(format), StandardCharsets.UTF_8);
    for (String changed : List.of(text.replace(" 1", " 2"), "", "else", text + text)) {
      good.replace(format, changed.getBytes(StandardCharsets.UTF_8));
      Map<Path, byte[]> before = contents(good);
      var told = assertThrows(StorageException.class, () -> open(good));
      assertTrue(String.valueOf(told.getMessage()).contains(format.toString()), told::toString);
      assertUnchanged(before, good, changed);
    }
  }
}
