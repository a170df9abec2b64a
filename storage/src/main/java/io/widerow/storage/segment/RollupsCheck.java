package io.widerow.storage.segment;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.rollup.GroupCells;

/// Reads the cells of a segment's rollups and compares how many events their steps have with the
/// counts by minute, which were compared with the events.
///
/// - Threads: one.
public final class RollupsCheck {
  private final Segment segment;
  private final SegmentRollups.Reader reader;
  private final SegmentCells.Reader cells;

  public RollupsCheck(Segment segment) {
    this.segment = segment;
    this.reader = new SegmentRollups.Reader(segment, ReadDeadline.NONE);
    this.cells = new SegmentCells.Reader(segment, ReadDeadline.NONE, true);
  }

  /// Checks all partitions.
  ///
  /// @throws StorageException.Corrupt names the first piece that is wrong
  public void verify() {
    for (int partition = 0; partition < segment.partitions().size(); partition++) {
      verify(partition);
    }
  }

  /// Checks a partition.
  ///
  /// @param partition its number in the segment
  /// @throws StorageException.Corrupt names the first piece that is wrong
  private void verify(int partition) {
    SegmentRollups rollups = segment.rollups();
    for (int piece = 0; piece < rollups.pieces(partition); piece++) {
      if (!rollups.isKept(partition, piece)) {
        continue;
      }
      Cells minutes = cells.read(partition, partition + 1);
      GroupCells groups = reader.read(partition, piece);
      groups.verify();
      if (!counts(minutes, groups, rollups.shape(partition, piece).minutes())) {
        throw new StorageException.Corrupt(
            segment.path(),
            rollups.offset(partition, piece),
            "cells of a rollup that do not count the events of "
                + segment.partitions().get(partition).key());
      }
    }
  }

  private static boolean counts(Cells minutes, GroupCells groups, int width) {
    int cell = 0;
    for (int at = 0; at < groups.size(); at++) {
      long events = 0;
      long ownIds = 0;
      while (cell < minutes.size() && minutes.minute(cell) / width == groups.step(at)) {
        events += minutes.events(cell);
        ownIds += minutes.ownIds(cell);
        cell++;
      }
      if (events != groups.events(at) || ownIds != groups.ownIds(at)) {
        return false;
      }
    }
    return cell == minutes.size();
  }
}
