package io.widerow.storage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;

/// The notes of a stopped store, lane by lane: those of the notes files and those of the frames
/// that are replayed.
///
/// A notes file is written before the manifest says that its rows are in segments. When the power
/// goes between the two, and a group was not forced yet, its note is there and its events are not:
/// a note counts only when the last frame of its lane that counts is not before it. Files with
/// others are written anew before new frames pass their numbers.
///
/// Each lane is told the notes of all, since the next run may hand a batch to another lane; its
/// file gets its own.
///
/// - Threads: the one that opens the store.
final class RecoveredNotes {
  private static final Comparator<Note> BY_LSN = Comparator.comparingLong(Note::lsn);

  private final NotesFiles files;
  private final Map<Integer, Set<Note>> lanes = new TreeMap<>();
  private final Set<Integer> stale =
      new TreeSet<>(); // lanes whose file has notes that do not count

  private RecoveredNotes(NotesFiles files) {
    this.files = files;
  }

  /// Reads the files.
  ///
  /// @param lsnCounted the last frame of a lane that counts
  /// @throws StorageException.Corrupt when a file is not what was written
  static RecoveredNotes read(NotesFiles files, IntToLongFunction lsnCounted) {
    var notes = new RecoveredNotes(files);
    files
        .read()
        .forEach((lane, found) -> {
          long last = lsnCounted.applyAsLong(lane);
          Set<Note> kept = notes.lane(lane);
          found.stream().filter(note -> note.lsn() <= last).forEach(kept::add);
          if (kept.size() < found.size()) {
            notes.stale.add(lane);
          }
        });
    return notes;
  }

  /// None: whoever only reads is told nothing.
  static RecoveredNotes none(NotesFiles files) {
    return new RecoveredNotes(files);
  }

  private Set<Note> lane(int lane) {
    return lanes.computeIfAbsent(lane, _ -> new LinkedHashSet<>());
  }

  void add(int lane, Note note) {
    lane(lane).add(note);
  }

  /// A lane's own, oldest first.
  List<Note> of(int lane) {
    return sorted(lane(lane));
  }

  /// Those of all lanes but one, oldest first.
  List<Note> ofOthers(int lane) {
    List<Note> others = new ArrayList<>();
    lanes.forEach((other, notes) -> {
      if (other != lane) {
        others.addAll(notes);
      }
    });
    return sorted(others);
  }

  private static List<Note> sorted(Collection<Note> notes) {
    return notes.stream().sorted(BY_LSN).toList();
  }

  /// Writes the files anew that have notes which do not count.
  void rewriteStale() {
    stale.forEach(lane -> files.write(lane, of(lane)));
    stale.clear();
  }

  /// Hands the notes of lanes that are no more to lane 0. Only when the manifest says that all
  /// frames so far are sealed, of every lane: then a note counts in any file.
  void fold(int lanesNow) {
    List<Integer> gone = lanes.keySet().stream().filter(lane -> lane >= lanesNow).toList();
    if (gone.isEmpty()) {
      return;
    }
    gone.forEach(lane -> lane(0).addAll(lane(lane)));
    files.write(0, of(0));
    gone.forEach(lane -> {
      lanes.remove(lane);
      files.delete(lane);
    });
  }
}
