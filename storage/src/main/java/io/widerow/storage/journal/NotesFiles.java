package io.widerow.storage.journal;

import io.widerow.storage.Damage;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;

/// Notes that outlive the journals. When a lane's rows are sealed (flushed) and their journal may
/// be trimmed, their notes go to a new immutable file. Each new file takes in the newest earlier
/// files while those are small, so there are few files. A note is rewritten about as often as the
/// notes of one seal must double to reach [#FILE_BYTES]. A file is deleted when none of its notes
/// is needed.
///
/// ```
///   0000-..1   |=================|                       taken in: the small files
///   0000-..8f                     |================|     with the new notes
///   0000-..d2                                       |=====|
///   0000-..f0                                              |==|<- new
/// ```
///
/// After a crash a note may be in two files; it is reported once. Each lane gets the notes of all
/// lanes, since the next run may hand a batch to another lane. The files of a lane hold only the
/// notes of that lane.
///
/// A file is written before the manifest lists the segments of its rows. If power fails between the
/// two, a group that was not forced yet has a note but no events. So a note counts only if its LSN
/// is at most that of its lane's last valid frame. The others are dropped before new frames reach
/// their LSNs, see [#cut].
///
/// - Threads: one at a time for each lane; [#link] from any.
/// - Memory: the notes of the files taken in; while notes are reported, the notes of one file of
///   each lane.
public final class NotesFiles {
  public static final String DIRECTORY = "notes";

  /// Size from which a file is left as it is.
  static final long FILE_BYTES = 1 << 20;

  /// A file is taken in if it is at most this many times as large as the new notes.
  private static final int TAKEN_SHARE = 2;

  private static final Comparator<Note> BY_LSN = Comparator.comparingLong(Note::lsn);

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final Map<Integer, List<NotesFile>> lanes = new ConcurrentHashMap<>(); // oldest first

  /// Number of callers that are linking now. A note may move into a file that already has its link,
  /// from a file that still waits for one, so no file is deleted until they are done.
  private int holders; // guarded by this

  private final Set<Path> held = new LinkedHashSet<>(); // to delete then; guarded by this

  public NotesFiles(Disk disk, Path storeDirectory, UUID storeId) {
    this.disk = disk;
    this.directory = storeDirectory.resolve(DIRECTORY);
    this.storeId = storeId;
  }

  public void createDirectory() {
    disk.createDirectory(directory);
  }

  /// Reads the existing files. Changes nothing.
  ///
  /// @throws StorageException.Corrupt when a file is damaged
  public void read() {
    for (Path path : files()) {
      NotesFile file = NotesFile.read(disk, path, storeId).file();
      of(file.lane()).add(file);
    }
    lanes.values().forEach(files -> files.sort(Comparator.comparingLong(NotesFile::last)));
  }

  /// Drops notes that do not count, and unfinished files that a crash left. Durable on return.
  ///
  /// @param last by lane, the greatest LSN whose note counts
  public void cut(IntToLongFunction last) {
    deleteUnfinished();
    lanes.forEach((lane, files) -> {
      long limit = last.applyAsLong(lane);
      List<NotesFile> stale = files.stream().filter(file -> file.last() > limit).toList();
      if (!stale.isEmpty()) {
        List<Note> kept = notes(stale);
        kept.removeIf(note -> note.lsn() > limit);
        replace(lane, stale, kept);
      }
    });
    disk.forceDirectory(directory);
  }

  /// Deletes files that a crash left unfinished.
  public void deleteUnfinished() {
    if (disk.exists(directory)) {
      disk.list(directory).stream()
          .filter(path -> path.toString().endsWith(NotesFile.TEMPORARY))
          .forEach(disk::delete);
    }
  }

  /// Adds notes of a lane. Durable on return.
  ///
  /// @param added notes, some of which may be stored already
  /// @param needed the least LSN of a note that must be kept
  public void append(int lane, Collection<Note> added, long needed) {
    List<NotesFile> files = of(lane);
    List<NotesFile> replaced = added.isEmpty() ? new ArrayList<>() : taken(files, added);
    List<Note> notes = notes(replaced);
    notes.addAll(added);
    notes.removeIf(note -> note.lsn() < needed);
    files.stream()
        .filter(file -> file.last() < needed && !replaced.contains(file))
        .forEach(replaced::add);
    replace(lane, replaced, notes);
  }

  /// The files to rewrite together with the added notes: the newest ones, while they are small.
  private static List<NotesFile> taken(List<NotesFile> files, Collection<Note> added) {
    long bytes = added.stream().mapToLong(NotesFile::bytes).sum();
    List<NotesFile> taken = new ArrayList<>();
    for (NotesFile file : files.reversed()) {
      if (file.bytes() >= FILE_BYTES || file.bytes() > TAKEN_SHARE * bytes) {
        return taken;
      }
      taken.add(file);
      bytes += file.bytes();
    }
    return taken;
  }

  /// Replaces files by new ones with the given notes. A crash leaves every note in an old file or a
  /// new one, some in both.
  private void replace(int lane, List<NotesFile> old, List<Note> notes) {
    if (old.isEmpty() && notes.isEmpty()) {
      return;
    }
    List<NotesFile> gone = new ArrayList<>(old);
    List<Note> sorted = new ArrayList<>(notes);
    addOverlapping(lane, gone, sorted);
    sorted = new ArrayList<>(new LinkedHashSet<>(sorted));
    sorted.sort(BY_LSN);
    synchronized (this) {
      List<NotesFile> written = write(lane, sorted);
      List<NotesFile> files = of(lane);
      files.removeAll(gone);
      files.addAll(written);
      files.sort(Comparator.comparingLong(NotesFile::last));
      gone.forEach(file -> held.add(file.path()));
      deleteHeld();
    }
  }

  /// Deletes replaced files, except one whose name a newer file has taken.
  private synchronized void deleteHeld() {
    if (holders > 0) {
      return;
    }
    lanes.values().forEach(files -> files.forEach(file -> held.remove(file.path())));
    for (Path path : List.copyOf(held)) {
      disk.delete(path);
      held.remove(path);
    }
  }

  /// Adds the files, and their notes, that may already hold some of these notes after a failure or
  /// a crash. A new file could get the name of such a file.
  private void addOverlapping(int lane, List<NotesFile> gone, List<Note> notes) {
    boolean found = !notes.isEmpty();
    while (found) {
      LongSummaryStatistics lsns = notes.stream().mapToLong(Note::lsn).summaryStatistics();
      List<NotesFile> overlapping =
          of(lane).stream()
              .filter(file -> !gone.contains(file))
              .filter(file -> file.last() >= lsns.getMin() && file.first() <= lsns.getMax())
              .toList();
      gone.addAll(overlapping);
      notes.addAll(notes(overlapping));
      found = !overlapping.isEmpty();
    }
  }

  /// Writes files of about [#FILE_BYTES]; notes of one LSN stay together. The newest file comes
  /// first, because a new file may replace an old one of which it holds only the first notes.
  private List<NotesFile> write(int lane, List<Note> sorted) {
    List<NotesFile> written = new ArrayList<>();
    int limit = sorted.size();
    long bytes = 0;
    for (int i = limit - 1; i >= 0; i--) {
      bytes += NotesFile.bytes(sorted.get(i));
      boolean first = i == 0;
      if (first || (bytes >= FILE_BYTES && sorted.get(i - 1).lsn() < sorted.get(i).lsn())) {
        List<Note> part = sorted.subList(i, limit);
        written.add(NotesFile.write(disk, directory, storeId, lane, part));
        disk.forceDirectory(directory);
        limit = i;
        bytes = 0;
      }
    }
    return written;
  }

  /// Moves the notes of lanes that no longer exist to lane 0. Call it only after [#cut]: from then
  /// on a note counts whichever lane's file holds it.
  public void fold(int lanesNow) {
    List<Integer> gone = lanes.keySet().stream().filter(lane -> lane >= lanesNow).toList();
    for (int lane : gone) {
      List<NotesFile> files = List.copyOf(of(lane));
      append(0, notes(files), 0);
      replace(lane, files, List.of());
      lanes.remove(lane);
    }
  }

  /// Reports the notes of all lanes, oldest first, each once. Call it before anything is added.
  public void tell(LaneWriter.NoteReader reader) {
    tell(reader, _ -> Long.MAX_VALUE, List.of());
  }

  /// The same before [#cut]: without notes that do not count, and with those of the journals.
  ///
  /// @param last by lane, the greatest LSN whose note counts
  /// @param journaled notes of all lanes, some of which may be in files already
  public void tell(
      LaneWriter.NoteReader reader, IntToLongFunction last, Collection<Note> journaled) {
    var telling = new PriorityQueue<NotesCursor>(Comparator.comparingLong(NotesCursor::lsn));
    lanes.values().stream()
        .flatMap(List::stream)
        .filter(file -> file.last() > 0 && file.first() <= last.applyAsLong(file.lane()))
        .forEach(file ->
            telling.add(
                new NotesCursor(file, from -> counted(from, last.applyAsLong(from.lane())))));
    if (!journaled.isEmpty()) {
      List<Note> oldestFirst = journaled.stream().sorted(BY_LSN).toList();
      long first = oldestFirst.getFirst().lsn();
      var none = new NotesFile(directory, 0, first, oldestFirst.getLast().lsn(), 0);
      telling.add(new NotesCursor(none, _ -> oldestFirst));
    }
    Set<Note> told = new HashSet<>(); // of one LSN
    long lsn = 0;
    while (!telling.isEmpty()) {
      NotesCursor oldest = telling.remove();
      Note note = oldest.take();
      if (note.lsn() != lsn) {
        told.clear();
        lsn = note.lsn();
      }
      if (told.add(note)) {
        reader.read(lsn, note.bytes());
      }
      if (oldest.hasNext()) {
        telling.add(oldest);
      }
    }
  }

  /// Runs `making`, which links all files. No file is deleted while it runs.
  public void link(Runnable making) {
    synchronized (this) {
      holders++;
    }
    try {
      making.run();
    } finally {
      synchronized (this) {
        holders--;
      }
    }
    deleteHeld();
  }

  /// Damage of the files that [#read] would refuse.
  public List<Damage> damage() {
    List<Damage> damage = new ArrayList<>();
    for (Path path : files()) {
      try {
        var _ = NotesFile.read(disk, path, storeId);
      } catch (StorageException.Corrupt damaged) {
        String found = damaged.found + "; retries of earlier batches may not be recognized";
        damage.add(new Damage(Damage.Kind.NOTES, path, damaged.offset, found, List.of()));
      }
    }
    return damage;
  }

  private List<NotesFile> of(int lane) {
    return lanes.computeIfAbsent(lane, _ -> new ArrayList<>());
  }

  private List<Note> counted(NotesFile file, long last) {
    return NotesFile.read(disk, file.path(), storeId).notes().stream()
        .filter(note -> note.lsn() <= last)
        .sorted(BY_LSN)
        .toList();
  }

  private List<Note> notes(List<NotesFile> files) {
    List<Note> notes = new ArrayList<>();
    for (NotesFile file : files) {
      notes.addAll(NotesFile.read(disk, file.path(), storeId).notes());
    }
    return notes;
  }

  private List<Path> files() {
    if (!disk.exists(directory)) {
      return List.of();
    }
    return disk.list(directory).stream()
        .filter(path -> path.getFileName().toString().endsWith(NotesFile.SUFFIX))
        .toList();
  }
}
