package io.widerow.storage.aggregate;

import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;

/// Stored aggregates of one kind, which [CellCount] uses instead of events.
///
/// - Threads: one.
interface CellSource {
  /// A segment's part of a partition.
  ///
  /// @param number of the partition in the segment
  /// @param from the first step of it that is shown whole
  /// @param firstStep the steps of its first and last event
  /// @param gone true when the events are gone: nothing replaces damaged cells
  record Piece(
      Segment segment,
      int number,
      SegmentSummary.Partition partition,
      long from,
      long firstStep,
      long lastStep,
      boolean gone) {
    /// Marks the steps of which no cells are known, and the one that may be shown in part.
    ///
    /// @param counted true when the cells of the piece are in the plan
    void mark(CellPlan plan, boolean counted) {
      if (!counted) {
        plan.addUnknown(Math.max(firstStep, from - 1), lastStep);
      } else if (!gone) {
        plan.addUnknown(from - 1, from - 1);
      }
    }

    /// Damaged cells: the events can be read. Where these are gone, the scan passes over the cells,
    /// or ends with the damage.
    void damaged(StorageException.Corrupt damaged, ScanWatch watch) {
      segment.cellsDamaged(damaged);
      if (gone) {
        passOver(damaged, partition, watch);
      }
    }
  }

  /// Cells whose events are gone cannot be counted from them: the scan passes over the cells, or
  /// ends with the damage.
  static void passOver(
      StorageException.Corrupt damaged, SegmentSummary.Partition part, ScanWatch watch) {
    ScanWatch.Unread unread =
        ScanWatch.Unread.of(damaged.in(part.key()), Damage.Kind.CELLS, part.info());
    if (!watch.passesOver(unread)) {
      throw damaged;
    }
  }

  /// Width of a step in minutes.
  int minutes();

  /// An empty plan for its steps.
  default CellPlan plan(long first, int count) {
    return new CellPlan(first, count);
  }

  /// Adds the cells of some pieces to a plan, and marks steps without cells.
  ///
  /// @param pieces of one segment, with rising numbers
  void read(List<Piece> pieces, CellPlan plan);

  /// Shows the aggregates of a plan into which all pieces were read.
  EventCursor open(CellPlan plan);
}
