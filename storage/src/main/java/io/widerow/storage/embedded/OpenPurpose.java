package io.widerow.storage.embedded;

import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import java.util.List;

/// The purpose of an opening, and its treatment of groups that the journal lost.
enum OpenPurpose {
  /// Refuses to open.
  WRITING,
  /// Refuses to open. Otherwise it touches nothing yet: the disk is full.
  WRITING_LATER,
  /// Continues without them, and changes nothing.
  READING,
  /// Continues without them, and keeps the old journals.
  ACCEPTING_LOSS;

  boolean writesNow() {
    return this == WRITING || this == ACCEPTING_LOSS;
  }

  /// @throws StorageException.AcknowledgedDataDamaged when the journal lost groups and may not have
  void requireWhole(List<JournalLoss> losses) {
    if (this != READING && this != ACCEPTING_LOSS && !losses.isEmpty()) {
      throw new StorageException.AcknowledgedDataDamaged(losses);
    }
  }
}
