package io.widerow.storage.aggregate;

import io.widerow.storage.EventCursor;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The counts by minute that every segment has, and the bytes.
///
/// - Threads: one.
final class MinuteCells implements CellSource {
  private final String type;
  private final Scan scan;
  private final Grouping fold;
  private final boolean withBytes;
  private final Readers readers;
  private long bytesRead;

  /// @param fold with steps of whole minutes
  /// @param withBytes true to show the bytes of events too
  MinuteCells(String type, Scan scan, Grouping fold, boolean withBytes, Readers readers) {
    this.withBytes = withBytes;
    this.type = type;
    this.scan = scan;
    this.fold = fold;
    this.readers = readers;
  }

  @Override
  public int minutes() {
    return 1;
  }

  @Override
  public CellPlan plan(long first, int count) {
    return new CellPlan(first, count, withBytes, fold.startsAfterMinutes());
  }

  /// Reads runs of neighbours at once.
  @Override
  public void read(List<Piece> pieces, CellPlan plan) {
    for (int i = 0, end; i < pieces.size(); i = end) {
      Segment segment = pieces.get(i).segment();
      int number = pieces.get(i).number();
      end = i + 1;
      while (end < pieces.size() && pieces.get(end).number() == number + end - i) {
        end++;
      }
      scan.watch().block();
      SegmentCells.Reader reader = readers.of(segment);
      long before = reader.bytesRead();
      for (Piece piece : pieces.subList(i, end)) {
        add(piece, read(piece, reader, number + end - i), plan);
      }
      bytesRead += reader.bytesRead() - before;
    }
  }

  private static void add(Piece piece, @Nullable Cells cells, CellPlan plan) {
    if (cells != null) {
      plan.add(cells, piece.from());
    }
    piece.mark(plan, cells != null);
  }

  /// The cells of a piece; null when it has none, or they are damaged: its events can be read.
  private @Nullable Cells read(Piece piece, SegmentCells.Reader reader, int until) {
    if (!piece.segment().cells().isThere()) {
      return null;
    }
    try {
      return reader.read(piece.number(), until);
    } catch (StorageException.Corrupt damaged) {
      piece.damaged(damaged, scan.watch());
      return null;
    }
  }

  @Override
  public EventCursor open(CellPlan plan) {
    return new CellCursor(type, plan, fold, scan.watch(), bytesRead);
  }

  /// Readers of cells, one a segment: those of the next type follow those of this one.
  ///
  /// - Threads: one.
  static final class Readers {
    private final Map<Long, SegmentCells.Reader> bySegment = new HashMap<>();
    private final ReadDeadline deadline;
    private final boolean ahead;

    Readers(ReadDeadline deadline, boolean ahead) {
      this.deadline = deadline;
      this.ahead = ahead;
    }

    SegmentCells.Reader of(Segment segment) {
      return bySegment.computeIfAbsent(
          segment.segmentId(), _ -> new SegmentCells.Reader(segment, deadline, ahead));
    }
  }
}
