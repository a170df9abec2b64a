package io.widerow.storage.repair;

import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.sketch.GroupCells;
import io.widerow.storage.sketch.GroupCellsWriter;
import io.widerow.storage.sketch.RollupIndex;
import java.util.ArrayList;
import java.util.List;

/// Computes the aggregates of a segment's rollups again from its events, as when it was written,
/// and compares them: groups, numbers of events, sums, extremes, percentiles, distinct values.
///
/// - Threads: one.
/// - Memory: the cells of one partition twice, see [GroupCellsWriter].
final class RollupRecount {
  private final Segment segment;
  private final SegmentCells.GroupReader told;

  private RollupRecount(Segment segment) {
    this.segment = segment;
    this.told = new SegmentCells.GroupReader(segment, ReadDeadline.NONE);
  }

  /// @param segment whose blocks and cells are readable
  /// @throws StorageException.Corrupt names the first piece with different aggregates
  static void check(Segment segment) {
    var recount = new RollupRecount(segment);
    for (int partition = 0; partition < segment.partitions().size(); partition++) {
      recount.check(partition);
    }
  }

  private void check(int partition) {
    RollupIndex rollups = segment.rollups();
    List<Integer> pieces = new ArrayList<>();
    List<GroupCellsWriter> writers = new ArrayList<>();
    PartitionKey key = segment.partitions().get(partition).key();
    long fromTicks = TimeUuid.timeOfNanos(key.fromNanos());
    for (int piece = 0; piece < rollups.pieces(partition); piece++) {
      if (rollups.isKept(partition, piece)) {
        pieces.add(piece);
        var writer = new GroupCellsWriter(rollups.shape(partition, piece));
        writer.begin(fromTicks);
        writers.add(writer);
      }
    }
    if (pieces.isEmpty()) {
      return;
    }
    try (EventCursor events = SegmentCursor.open(segment, key, Scan.all())) {
      while (EventCursor.nextLocal(events)) {
        writers.forEach(writer -> writer.add(events.event()));
      }
    }
    for (int i = 0; i < pieces.size(); i++) {
      compare(partition, pieces.get(i), writers.get(i));
    }
  }

  private void compare(int partition, int piece, GroupCellsWriter writer) {
    RollupShape shape = writer.shape();
    ByteSink bytes = new ByteSink();
    writer.end(bytes);
    GroupCells counted =
        GroupCells.read(
            new ByteSource(segment.path()).over(bytes.bytes(), 0, bytes.length(), 0),
            shape,
            TimeUuid.timeOfNanos(segment.partitions().get(partition).key().fromNanos()),
            segment.partitions().get(partition).events());
    GroupCells written = told.read(partition, piece);
    if (!isSame(written, counted)) {
      throw new StorageException.Corrupt(
          segment.path(),
          segment.rollups().offset(partition, piece),
          "cells of a rollup with aggregates that its events do not have, of "
              + segment.partitions().get(partition).key());
    }
  }

  /// A step without aggregates on either side, because it had too many groups, is compared only by
  /// its counts.
  private static boolean isSame(GroupCells written, GroupCells counted) {
    if (written.size() != counted.size()) {
      return false;
    }
    for (int at = 0; at < written.size(); at++) {
      boolean kept = written.isKept(at) && counted.isKept(at);
      if (written.step(at) != counted.step(at)
          || written.events(at) != counted.events(at)
          || written.ownIds(at) != counted.ownIds(at)
          || (kept && !written.isSame(at, counted, at))) {
        return false;
      }
    }
    return true;
  }
}
