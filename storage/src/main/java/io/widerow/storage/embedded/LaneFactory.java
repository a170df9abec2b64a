package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.StoreContents;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Creates the lanes of a store that begins to accept events.
final class LaneFactory {
  private LaneFactory() {}

  /// Gives each lane a new journal. The manifest counts the journals when all are there: until then
  /// none of them is missed. The witness names them before that.
  static List<EmbeddedLane> start(
      LaneContext shared, Journal.Factory journals, WitnessFile witness, long lsn) {
    UUID storeId = shared.contents().storeId();
    int count = shared.contents().config().lanes();
    List<Journal> made = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        shared.notes().fold(count);
        made.add(journals.create(i, lsn + 1));
      }
      witness.write(made.stream().map(journal -> Witness.Lane.of(lsn, journal)).toList());
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
    return List.copyOf(lanes);
  }

  /// Writes the durable end of each lane's journal into the store's witness.
  static void tell(WitnessFile witness, List<EmbeddedLane> lanes, StoreContents contents) {
    try {
      witness.write(
          lanes.stream().map(lane -> Witness.Lane.of(lane.forcedLsn(), lane.journal())).toList());
    } catch (StorageException left) {
      contents.backgroundFailed(left); // its earlier message stays true
    }
  }
}
