package io.widerow.storage.embedded;

import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.rows.RowMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The parts of an [EmbeddedStore]. All of it belongs to the store from now on.
///
/// @param lanes none in a store that is only read, or that was opened on a full disk
/// @param start gives the store its lanes when there is room; null when it has them
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
    List<EmbeddedLane> lanes,
    WitnessFile witness,
    @Nullable DelayedStart start,
    RecoveryReport recovery) {
  /// One of them, to be closed.
  interface Part extends AutoCloseable {
    @Override
    void close();
  }
}
