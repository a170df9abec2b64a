package io.widerow.storage;

import java.util.List;

/// Rows to seal, and the notes that must outlive the journal they are sealed from.
///
/// @param rows with nothing in them that is not committed
/// @param notes of the groups that ended since the rows before were sealed, oldest first
/// @param notesNeeded the least LSN of a note of the lane that must be kept
/// @param breather lets others run while they are sealed
record SealJob(OpenRows rows, List<Note> notes, long notesNeeded, Breather breather) {}
