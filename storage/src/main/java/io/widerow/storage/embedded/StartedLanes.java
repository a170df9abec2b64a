package io.widerow.storage.embedded;

import io.widerow.storage.LaneWriter;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The lanes of a store that accepts events.
///
/// @param now none in a store that is only read
record StartedLanes(List<EmbeddedLane> now) implements OpenedLanes {
  static final StartedLanes NONE = new StartedLanes(List.of());

  /// Gives each lane a new journal. The manifest counts the journals when all are there: until then
  /// none of them is missed. The witness names them before that.
  ///
  /// @param lsn the last one that was used before
  static StartedLanes start(LaneContext shared, OpenedFiles files, long lsn) {
    UUID storeId = shared.contents().storeId();
    int count = shared.contents().config().lanes();
    List<Journal> made = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        shared.notes().fold(count);
        made.add(files.journals().create(i, lsn + 1));
      }
      files
          .witnessFile()
          .write(made.stream().map(journal -> Witness.Lane.of(lsn, journal)).toList());
      shared.contents().journalsStarted();
    } catch (Throwable failure) {
      made.forEach(Journal::close);
      throw failure;
    }
    List<EmbeddedLane> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      var encoder = new FrameEncoder(storeId, i, true);
      lanes.add(new EmbeddedLane(i, shared, made.get(i), encoder, lsn));
    }
    return new StartedLanes(List.copyOf(lanes));
  }

  @Override
  public LaneWriter writer(int lane) {
    return now.get(lane);
  }
}
