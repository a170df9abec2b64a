package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.sketch.GroupCells;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The cells of defined rollups. Any rollup that can serve the query is used, also one that was
/// defined otherwise when a segment was written.
///
/// - Threads: one.
final class GroupCellSource implements CellSource {
  private final String type;
  private final Scan scan;
  private final Filter filter;
  private final RollupRequest question;
  private final Set<AttributeName> columns;
  private final int minutes;
  private final ReadDeadline deadline;
  private final List<Found> found = new ArrayList<>(); // in the order in which they are shown
  private long bytesRead;

  /// A piece that has cells.
  private record Found(Piece piece, int rollup) {}

  /// @param filter the scan's filter for the type
  /// @param columns attributes that it examines
  /// @param minutes width of a step
  GroupCellSource(
      String type,
      Scan scan,
      Filter filter,
      RollupRequest question,
      Set<AttributeName> columns,
      int minutes,
      ReadDeadline deadline) {
    this.type = type;
    this.scan = scan;
    this.filter = filter;
    this.question = question;
    this.columns = columns;
    this.minutes = minutes;
    this.deadline = deadline;
  }

  @Override
  public int minutes() {
    return minutes;
  }

  @Override
  public void read(List<Piece> pieces, CellPlan plan) {
    SegmentCells.GroupReader reader =
        new SegmentCells.GroupReader(pieces.getFirst().segment(), deadline);
    for (Piece piece : pieces) {
      scan.watch().block();
      int rollup = piece.segment().rollups().answering(piece.number(), question, columns, minutes);
      GroupCells cells = rollup < 0 ? null : read(piece, rollup, reader);
      if (cells != null) {
        plan.add(cells, piece.from());
        found.add(new Found(piece, rollup));
      }
      piece.mark(plan, cells != null);
    }
    bytesRead += reader.bytesRead();
  }

  /// Null when they are damaged: the events can be read.
  private @Nullable GroupCells read(Piece piece, int rollup, SegmentCells.GroupReader reader) {
    try {
      return reader.read(piece.number(), rollup);
    } catch (StorageException.Corrupt damaged) {
      piece.damaged(damaged, scan.watch());
      return null;
    }
  }

  @Override
  public EventCursor open(CellPlan plan) {
    return new Cursor(plan);
  }

  /// Shows each group of each step that a plan counts from cells, piece by piece.
  private final class Cursor implements EventCursor {
    private final CellPlan plan;
    private final AttributeValue scratch = new AttributeValue();
    private SegmentCells.@Nullable GroupReader reader;
    private @Nullable GroupCells cells;
    private GroupCells.@Nullable Groups groups;
    private long segmentId; // of the reader
    private int next; // in `found`
    private int step; // the next one in `cells`
    private long from; // of the piece
    private long kept;
    private long held;

    Cursor(CellPlan plan) {
      this.plan = plan;
    }

    @Override
    public Step next() {
      hold(plan.bytes());
      while (true) {
        GroupCells.Groups open = groups;
        if (open != null && open.next()) {
          if (FilterEvaluation.keeps(filter, open, scratch)) {
            kept += open.weight();
            return Step.EVENT;
          }
        } else if (!nextStep() && !nextPiece()) {
          return Step.END;
        }
      }
    }

    /// Opens the next step of the piece; false when there is none left.
    private boolean nextStep() {
      groups = null;
      GroupCells of = cells;
      while (of != null && step < of.size()) {
        int at = step++;
        if (of.step(at) >= from && plan.isCounted(of.step(at))) {
          scan.watch().block();
          groups = of.groups(at, type);
          return true;
        }
      }
      return false;
    }

    private boolean nextPiece() {
      if (next == found.size()) {
        return false;
      }
      Found one = found.get(next++);
      SegmentCells.GroupReader open = reader;
      if (open == null || segmentId != one.piece.segment().segmentId()) {
        bytesRead += open == null ? 0 : open.bytesRead();
        open = new SegmentCells.GroupReader(one.piece.segment(), deadline);
        reader = open;
        segmentId = one.piece.segment().segmentId();
      }
      cells = open.read(one.piece.number(), one.rollup);
      step = 0;
      from = one.piece.from();
      hold(plan.bytes() + open.heldBytes());
      return true;
    }

    private void hold(long bytes) {
      if (bytes > held) {
        scan.watch().holds(bytes - held);
        held = bytes;
      }
    }

    @Override
    public EventView event() {
      GroupCells.Groups open = groups;
      if (open == null) {
        throw new IllegalStateException("no current event");
      }
      return open;
    }

    @Override
    public ScanStatistics statistics() {
      SegmentCells.GroupReader open = reader;
      return new ScanStatistics(0, 0, bytesRead + (open == null ? 0 : open.bytesRead()), 0, kept);
    }

    @Override
    public void close() {
      next = found.size();
      cells = null;
      groups = null;
      scan.watch().holds(-held);
      held = 0;
    }
  }
}
