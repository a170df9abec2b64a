package io.widerow.storage.embedded;

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
}
