package io.widerow.storage.embedded;

import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.rows.RowMemory;

/// The parts of an [EmbeddedStore]. All of it belongs to the store from now on.
///
/// @param memory of open rows
/// @param recovery findings and actions of the opening
record StoreParts(
    StoreConfig config,
    OpenedFiles files,
    RowMemory memory,
    JournalPin trims,
    LaneContext shared,
    OpenedExtension extension,
    OpenedLanes lanes,
    RecoveryReport recovery) {
  /// One of them, to be closed.
  interface Part extends AutoCloseable {
    @Override
    void close();
  }
}
