package io.widerow.storage.maintenance;

import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Note;
import io.widerow.storage.rows.OpenRows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Rows to seal, and what follows: notes that must outlive the journal, and the journal that is
/// trimmed.
///
/// @param rows with nothing in them that is not committed
/// @param notes of the groups that ended since the rows before were sealed, oldest first
/// @param notesNeeded the least LSN of a note of the lane that must be kept
/// @param throttle lets others run while they are sealed
/// @param journal of the lane; null while the store is being opened, which deletes old journals
///   itself
public record SealJob(
    OpenRows rows,
    List<Note> notes,
    long notesNeeded,
    Throttle throttle,
    @Nullable Journal journal) {
  /// The same, and a journal is trimmed afterwards.
  public SealJob in(Journal trimmed) {
    return new SealJob(rows, notes, notesNeeded, throttle, trimmed);
  }

  /// The same for notes that outlive the journal already.
  public SealJob withoutNotes() {
    return new SealJob(rows, List.of(), notesNeeded, throttle, journal);
  }
}
