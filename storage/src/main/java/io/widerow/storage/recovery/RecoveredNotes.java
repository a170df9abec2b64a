package io.widerow.storage.recovery;

import io.widerow.storage.journal.Note;
import io.widerow.storage.journal.NotesFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Notes of the replayed frames, which may not be in the store's notes files yet. They enter the
/// files together with the rows of their frames.
///
/// - Threads: the opening thread.
public final class RecoveredNotes {
  private final NotesFiles files;
  private final Map<Integer, List<Note>> lanes = new TreeMap<>();

  public RecoveredNotes(NotesFiles files) {
    this.files = files;
  }

  void add(int lane, Note note) {
    lanes.computeIfAbsent(lane, _ -> new ArrayList<>()).add(note);
  }

  /// Takes the notes of a lane's frames since the last call, for its files.
  List<Note> take(int lane) {
    List<Note> notes = lanes.remove(lane);
    return notes == null ? List.of() : notes;
  }

  /// The notes that no rows took along: their frames' events are lost.
  public List<Note> left() {
    return lanes.values().stream().flatMap(List::stream).toList();
  }

  /// Writes the remaining notes. After a failure it can be called again.
  public void finish() {
    lanes.forEach((lane, notes) -> files.append(lane, notes, 0));
    lanes.clear();
  }
}
