package io.widerow.storage.embedded;

import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.rows.RowMemory;

/// The parts of an [EmbeddedStore]. All of it belongs to the store from now on.
///
/// @param recovery findings and actions of the opening
record StoreParts(
    StoreConfig config,
    Disk disk,
    Disk.Lock lock,
    SegmentFiles files,
    RowMemory memory,
    Journal.Factory journals,
    JournalPin trims,
    LaneContext shared,
    OpenedExtension extension,
    OpenedLanes lanes,
    WitnessFile witness,
    RecoveryReport recovery) {
  /// One of them, to be closed.
  interface Part extends AutoCloseable {
    @Override
    void close();
  }
}
