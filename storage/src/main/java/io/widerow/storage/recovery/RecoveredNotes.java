package io.widerow.storage.recovery;

import io.widerow.storage.journal.Note;
import io.widerow.storage.journal.NotesFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The notes of a stopped store that are not in its notes files yet, or not for sure: those of the
/// frames that are replayed. They come into the files with the rows of their frames.
///
/// - Threads: the one that opens the store.
public final class RecoveredNotes {
  private final NotesFiles files;
  private final Map<Integer, List<Note>> lanes = new TreeMap<>();

  public RecoveredNotes(NotesFiles files) {
    this.files = files;
  }

  void add(int lane, Note note) {
    lanes.computeIfAbsent(lane, _ -> new ArrayList<>()).add(note);
  }

  /// Those of a lane's frames since the last call, for its files.
  List<Note> take(int lane) {
    List<Note> notes = lanes.remove(lane);
    return notes == null ? List.of() : notes;
  }

  /// Puts those into the files that no rows took with them: of frames whose events are lost.
  void finish() {
    lanes.forEach((lane, notes) -> files.append(lane, notes, 0));
    lanes.clear();
  }
}
