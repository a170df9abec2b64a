package io.widerow.storage.embedded;

/// What an opening is for, and what it does about groups that are lost from the journal.
enum OpenPurpose {
  /// Refuses to open.
  WRITING,
  /// Refuses to open. Otherwise it touches nothing yet: the disk is full.
  WRITING_LATER,
  /// Goes on without them, and touches nothing.
  READING,
  /// Goes on without them, and keeps the old journals.
  ACCEPTING_LOSS;

  boolean writesNow() {
    return this == WRITING || this == ACCEPTING_LOSS;
  }
}
