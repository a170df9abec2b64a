package io.widerow.storage.embedded;

import io.widerow.storage.LaneWriter;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.maintenance.SealJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

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
    Journal.Factory journals = files.journals();
    return start(shared, files, _ -> lsn, lane -> journals.create(lane, lsn + 1), List.of());
  }

  /// Lets each lane go on in its journal, and hands the replayed rows over for sealing.
  static StartedLanes goOn(LaneContext shared, OpenedFiles files, Collection<SealJob> replayed) {
    IntToLongFunction lsns = files.recovery()::lsnCounted;
    Journal.Factory journals = files.journals();
    Map<Integer, Long> sealed = new TreeMap<>();
    for (int lane = 0; lane < shared.contents().config().lanes(); lane++) {
      sealed.put(lane, lsns.applyAsLong(lane));
    }
    replayed.forEach(job -> sealed.remove(job.rows().lane));
    shared.contents().recovered(sealed);
    return start(
        shared, files, lsns, lane -> journals.goOn(lane, lsns.applyAsLong(lane) + 1), replayed);
  }

  private static StartedLanes start(
      LaneContext shared,
      OpenedFiles files,
      IntToLongFunction lsns,
      IntFunction<Journal> journals,
      Collection<SealJob> replayed) {
    UUID storeId = shared.contents().storeId();
    int count = shared.contents().config().lanes();
    List<Journal> made = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        shared.notes().fold(count);
        made.add(journals.apply(i));
      }
      files
          .witnessFile()
          .write(
              IntStream.range(0, count)
                  .mapToObj(lane -> Witness.Lane.of(lsns.applyAsLong(lane), made.get(lane)))
                  .toList());
      shared.contents().journalsStarted();
    } catch (Throwable failure) {
      made.forEach(Journal::close);
      throw failure;
    }
    Map<Integer, Long> sealed = files.manifest().sealedLsns();
    for (int i = 0; i < count; i++) {
      Journal journal = made.get(i);
      long lsn = sealed.getOrDefault(i, 0L);
      shared.contents().tidy(() -> journal.trim(lsn)); // files that it goes on from
    }
    replayed.forEach(job -> shared.sealer().submit(job.in(made.get(job.rows().lane))));
    List<EmbeddedLane> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      var encoder = new FrameEncoder(storeId, i, true);
      lanes.add(new EmbeddedLane(i, shared, made.get(i), encoder, lsns.applyAsLong(i)));
    }
    return new StartedLanes(List.copyOf(lanes));
  }

  @Override
  public LaneWriter writer(int lane) {
    return now.get(lane);
  }
}
