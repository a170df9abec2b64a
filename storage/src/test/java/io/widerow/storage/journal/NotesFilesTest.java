package io.widerow.storage.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.SimDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: after a power cut the lanes' notes are complete, in order, each once; and writing them is
/// cheap however many there are. Method: random additions on a simulated disk with power cuts,
/// compared with a map by lane; bytes and files are counted.
class NotesFilesTest {
  private static final Path STORE = Path.of("/store");
  private static final UUID ID = new UUID(3, 4);
  private static final int LANES = 2;

  /// Notes that the next open must report, by lane, oldest first.
  private final Map<Integer, List<Note>> needed = new TreeMap<>();

  private final Map<Integer, Long> neededFrom = new LinkedHashMap<>();
  private long lsn;

  private static NotesFiles opened(SimDisk disk) {
    NotesFiles files = new NotesFiles(disk, STORE, ID);
    files.createDirectory();
    files.read();
    return files;
  }

  private static SimDisk disk(long seed) {
    SimDisk disk = new SimDisk(seed);
    disk.createDirectory(STORE);
    disk.forceDirectory(Path.of("/"));
    return disk;
  }

  private static List<Note> told(NotesFiles files) {
    List<Note> told = new ArrayList<>();
    files.tell((group, bytes) -> told.add(new Note(group, bytes)));
    return told;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void allThatIsNeededIsToldInOrderAfterPowerCuts(long seed) {
    var random = new SplittableRandom(seed);
    SimDisk disk = disk(seed);
    NotesFiles files = opened(disk);
    disk.forceDirectory(STORE);
    for (int step = 0; step < 120; step++) {
      int lane = random.nextInt(LANES);
      List<Note> added = notes(random);
      if (random.nextInt(4) == 0) {
        forget(lane, random);
      }
      boolean cut = random.nextInt(4) == 0;
      if (cut) {
        disk.cutPowerAt(disk.operations() + random.nextInt(12));
      }
      boolean done = append(files, lane, added);
      if (done) {
        needed.computeIfAbsent(lane, _ -> new ArrayList<>()).addAll(added);
      }
      if (cut) {
        disk = disk.crash(true);
        files = opened(disk);
        List<Note> told = told(files);
        check(told);
        long last = told.isEmpty() ? 0 : told.getLast().lsn();
        if (!done) { // any part of it may be there, and does not count
          long counted = added.isEmpty() ? last : added.getFirst().lsn() - 1;
          files.cut(_ -> counted);
          disk = disk.crash(true);
          files = opened(disk);
          assertTrue(told(files).stream().noneMatch(added::contains), "dropped");
        }
        check(told(files));
      }
    }
    files = opened(disk.crash(true));
    check(told(files));
    assertTrue(needed.values().stream().mapToInt(List::size).sum() > 100, "little was left");
    files.fold(1);
    check(told(files));
  }

  private static boolean append(NotesFiles files, int lane, List<Note> added, long from) {
    try {
      files.append(lane, added, from);
      return true;
    } catch (SimDisk.PowerCut off) {
      return false;
    }
  }

  private boolean append(NotesFiles files, int lane, List<Note> added) {
    return append(files, lane, added, neededFrom.getOrDefault(lane, 0L));
  }

  /// Up to 40 groups of up to three notes; some large, so that files become large too.
  private List<Note> notes(SplittableRandom random) {
    List<Note> notes = new ArrayList<>();
    int bytes = random.nextInt(8) == 0 ? 20_000 : 60;
    for (int groups = random.nextInt(40); groups > 0; groups--) {
      lsn++;
      for (int count = random.nextInt(1, 4); count > 0; count--) {
        byte[] note = new byte[random.nextInt(8, bytes)];
        random.nextBytes(note);
        notes.add(new Note(lsn, note));
      }
    }
    return notes;
  }

  private void forget(int lane, SplittableRandom random) {
    List<Note> there = needed.getOrDefault(lane, List.of());
    if (there.size() > 200) {
      long from = there.get(random.nextInt(there.size() / 2)).lsn();
      neededFrom.put(lane, from);
      there.removeIf(note -> note.lsn() < from);
    }
  }

  private void check(List<Note> told) {
    assertEquals(new HashSet<>(told).size(), told.size(), "each once");
    List<Long> order = told.stream().map(Note::lsn).toList();
    assertEquals(order.stream().sorted().toList(), order, "oldest first");
    Set<Note> there = new HashSet<>(told);
    needed.forEach((lane, notes) ->
        notes.forEach(note ->
            assertTrue(there.contains(note), "lane %d, group %d".formatted(lane, note.lsn()))));
  }

  /// The load of a lane with a thousand small batches a second: the notes of one seal at a time,
  /// kept for a quarter of an hour. Rewriting a single file would cost 45 MB each time.
  @Test
  void writingIsCheapHoweverMuchIsKept() {
    SimDisk disk = disk(1);
    NotesFiles files = opened(disk);
    long added = 0;
    long written = 0;
    int filesMax = 0;
    Map<Path, Long> before = Map.of();
    for (int seal = 1; seal <= 300; seal++) {
      List<Note> notes = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        notes.add(new Note(1_000L * seal + i, new byte[41]));
      }
      added += notes.stream().mapToLong(NotesFile::bytes).sum();
      files.append(0, notes, 1_000L * (seal - 200));
      Map<Path, Long> now = sizes(disk);
      for (Map.Entry<Path, Long> file : now.entrySet()) {
        written += file.getValue().equals(before.get(file.getKey())) ? 0 : file.getValue();
      }
      before = now;
      filesMax = Math.max(filesMax, now.size());
    }
    assertTrue(written < 8 * added, "%d bytes written for %d".formatted(written, added));
    assertTrue(filesMax <= 16, filesMax + " files");
    List<Note> told = told(opened(disk.restart()));
    assertEquals(300_499, told.getLast().lsn());
    long surplus = 100_000 - told.getFirst().lsn();
    assertTrue(told.getFirst().lsn() <= 100_000, "needed notes were dropped");
    assertTrue(surplus <= 100_000, surplus + " groups that are not needed");
    assertEquals(
        told.stream().sorted(Comparator.comparingLong(Note::lsn)).toList(), told, "oldest first");
  }

  private static Map<Path, Long> sizes(SimDisk disk) {
    Map<Path, Long> sizes = new TreeMap<>();
    disk.list(STORE.resolve(NotesFiles.DIRECTORY))
        .forEach(file -> sizes.put(file, disk.sizeOf(file)));
    return sizes;
  }

  /// A snapshot links files one by one. No note may move into a file that already has its link
  /// while the note's own file is deleted.
  @Test
  void linksHaveEveryNote() {
    SimDisk disk = disk(2);
    NotesFiles files = opened(disk);
    append(files, 1, 20);
    List<Note> before = told(files);
    Path copy = Path.of("/copy");
    Path copiedTo = copy.resolve(NotesFiles.DIRECTORY);
    disk.createDirectory(copy);
    disk.createDirectory(copiedTo);
    files.link(() -> {
      int seal = 21;
      for (Path file : disk.list(STORE.resolve(NotesFiles.DIRECTORY))) {
        disk.link(file, copiedTo.resolve(file.getFileName()));
        append(files, seal, seal + 6);
        seal += 7;
      }
    });
    NotesFiles copied = new NotesFiles(disk, copy, ID);
    copied.read();
    assertTrue(told(copied).containsAll(before));
    List<Note> all = told(files);
    assertTrue(all.size() > before.size() && all.containsAll(before));
    assertTrue(sizes(disk).size() < 8, "files that were replaced go afterwards");
    assertEquals(all, told(opened(disk.restart())));
  }

  private static void append(NotesFiles files, int from, int to) {
    for (int seal = from; seal <= to; seal++) {
      files.append(0, List.of(new Note(seal, new byte[100])), 0);
    }
  }
}
