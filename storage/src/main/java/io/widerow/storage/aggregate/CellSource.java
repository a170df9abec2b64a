package io.widerow.storage.aggregate;

import io.widerow.storage.EventCursor;
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
      boolean gone) {}

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
