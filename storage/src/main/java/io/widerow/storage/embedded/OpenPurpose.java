package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.table.TableContext;
import io.widerow.storage.table.Tables;

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

  /// Looks at the tables of a store, and changes nothing.
  Tables open(TableContext context) {
    return Tables.open(context, this == READING, this == ACCEPTING_LOSS);
  }

  /// Begins to write tables, if there are some. On a full disk they begin when there is room.
  void begin(Tables tables, StoreContents contents) {
    if (writesNow()) {
      try {
        tables.begin();
      } catch (StorageException.DiskFull full) {
        contents.backgroundFailed(full);
      }
    }
  }

  boolean writesNow() {
    return this == WRITING || this == ACCEPTING_LOSS;
  }
}
