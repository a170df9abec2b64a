package io.widerow.storage.journal;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Cursor over the notes of one file. It reads the file with the first note and releases it with
/// the last.
///
/// - Threads: one.
final class NotesCursor {
  private final NotesFile file;
  private final Function<NotesFile, List<Note>> read;
  private @Nullable List<Note> notes;
  private int next;

  /// @param file with at least one note
  /// @param read gives its notes, oldest first
  NotesCursor(NotesFile file, Function<NotesFile, List<Note>> read) {
    this.file = file;
    this.read = read;
  }

  /// LSN of the next note.
  long lsn() {
    List<Note> there = notes;
    return there == null ? file.first() : there.get(next).lsn();
  }

  boolean hasNext() {
    List<Note> there = notes;
    return there == null || next < there.size();
  }

  Note take() {
    List<Note> there = notes;
    if (there == null) {
      there = read.apply(file);
      notes = there;
    }
    return there.get(next++);
  }
}
