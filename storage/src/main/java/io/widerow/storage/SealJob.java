package io.widerow.storage;

import java.util.List;

/// Rows to seal, and the notes that must outlive the journal they are sealed from.
///
/// @param rows with nothing in them that is not committed
/// @param notes all live notes of the lane, oldest first
/// @param breather lets others run while they are sealed
record SealJob(OpenRows rows, List<Note> notes, Breather breather) {}
