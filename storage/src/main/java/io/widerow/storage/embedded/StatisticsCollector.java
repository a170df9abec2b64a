package io.widerow.storage.embedded;

import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.rows.OpenRows;
import java.util.List;
import java.util.stream.Stream;

/// Collects the statistics of an open store.
final class StatisticsCollector {
  private StatisticsCollector() {}

  /// @param memoryBytes native memory of open rows
  /// @param foundAtOpening damage that the opening found
  static StoreStatistics of(
      StoreContents contents,
      List<EmbeddedLane> lanes,
      long memoryBytes,
      SegmentFiles files,
      Sealer sealer,
      Merger merger,
      List<Damage> foundAtOpening) {
    StoreState now = contents.state();
    List<LiveSegment> segments = now.segments().all();
    StorageException end = contents.failure();
    StorageException background = contents.backgroundFailure();
    return new StoreStatistics(
        lanes.stream().mapToLong(lane -> lane.counters().events()).sum(),
        lanes.stream().mapToLong(lane -> lane.counters().bytes()).sum(),
        now.rows().stream().mapToLong(OpenRows::committedEvents).sum(),
        now.rows().stream().mapToLong(OpenRows::filledBytes).sum(),
        memoryBytes,
        segments.size(),
        segments.stream().mapToLong(segment -> segment.entry().events()).sum(),
        segments.stream().mapToLong(segment -> segment.entry().bytes()).sum(),
        lanes.stream().mapToLong(lane -> lane.journal().bytes()).sum(),
        lanes.stream().mapToLong(lane -> lane.counters().journalBytes()).sum(),
        files.bytesWritten(),
        sealer.sealedCount(),
        merger.merges(),
        end == null ? "" : String.valueOf(end.getMessage()),
        background == null ? "" : String.valueOf(background.getMessage()),
        Stream.concat(foundAtOpening.stream(), now.segments().damage()).toList());
  }
}
