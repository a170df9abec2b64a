package io.widerow.storage.embedded;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Counts the events of one type in a view by steps of whole minutes: from the cells of its
/// segments where that is right, from the events elsewhere, see [CellPlan]. Those are the events of
/// open rows, the ends of the range that are no whole minutes, and what segments without cells
/// hold.
///
/// - Threads: one.
final class CellCount {
  /// Minutes of a plan that is always worth its memory.
  private static final long MINUTES_FEW = 1 << 12;

  /// Minutes for each event of a longer plan. Thinner ones are counted from events, which are few.
  private static final long MINUTES_AN_EVENT = 8;

  /// Most minutes of a plan: ten years.
  private static final long MINUTES_MAX = 10 * 366 * 1_440L;

  private final EmbeddedView view;
  private final Scan scan;
  private final Grouping fold;
  private final Readers readers;
  private final String type;
  private final List<PartitionKey> keys;
  private final List<Piece> pieces = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<EventCursor> cursors = new ArrayList<>();
  private long first = Long.MAX_VALUE; // minute that may have events
  private long last = Long.MIN_VALUE;
  private long events; // an upper bound

  private CellCount(
      EmbeddedView view,
      Scan scan,
      Grouping fold,
      Readers readers,
      String type,
      List<PartitionKey> keys) {
    this.view = view;
    this.scan = scan;
    this.fold = fold;
    this.readers = readers;
    this.type = type;
    this.keys = keys;
  }

  /// A cursor over partitions of a view whose events may stand for others.
  ///
  /// @param scan of all arrivals
  /// @param fold its grouping, which takes cells
  static EventCursor open(EmbeddedView view, List<PartitionKey> keys, Scan scan, Grouping fold) {
    Map<String, List<PartitionKey>> byType = new LinkedHashMap<>();
    keys.forEach(key -> byType.computeIfAbsent(key.type(), _ -> new ArrayList<>()).add(key));
    Readers readers = new Readers(view.readers().deadline(), byType.size() > 1);
    List<EventCursor> types = new ArrayList<>();
    byType.forEach((type, partitions) ->
        types.add(
            new LazyCursor(
                scan.from(),
                () -> new CellCount(view, scan, fold, readers, type, partitions).open())));
    return new ChainCursor(types);
  }

  /// A segment's part of a partition.
  ///
  /// @param number of the partition in the segment
  /// @param from the first minute of it that is shown whole
  private record Piece(Segment segment, int number, SegmentSummary.Partition partition, long from) {
    long firstMinute() {
      return Cells.minuteOf(partition.least().time());
    }

    long lastMinute() {
      return Cells.minuteOf(partition.greatest().time());
    }
  }

  /// An open row that has events.
  private record Row(OpenRows.View view, OpenRow row, PartitionInfo info) {
    boolean overlaps(Scan scan) {
      return scan.from().compareTo(scan.until()) < 0
          && EventId.leastOf(info.timeFirstNanos()).compareTo(scan.until()) < 0
          && EventId.greatestOf(info.timeLastNanos()).compareTo(scan.from()) >= 0;
    }
  }

  private static long minuteOf(long epochNanos) {
    return Cells.minuteOf(TimeUuid.timeOfNanos(epochNanos));
  }

  private static EventId startOf(long minute) {
    return new EventId(minute * Cells.MINUTE_TICKS, TimeUuid.tailLeast());
  }

  /// The first minute that starts at an id or after it.
  private static long wholeFrom(EventId id) {
    long minute = Cells.minuteOf(id.time());
    return startOf(minute).equals(id) ? minute : minute + 1;
  }

  private EventCursor open() {
    boolean known = Filters.ofType(scan.filter(), type) instanceof Filter.Everything && find();
    long from = Math.max(first, wholeFrom(scan.from()));
    long until = Math.min(last + 1, Cells.minuteOf(scan.until().time()));
    long worth = Math.clamp(events * MINUTES_AN_EVENT, MINUTES_FEW, MINUTES_MAX);
    if (!known || pieces.isEmpty() || from >= until || until - from > worth) {
      return view.unordered(keys, scan);
    }
    CellPlan plan = new CellPlan(from, (int) (until - from));
    long bytesRead = read(plan);
    rows.forEach(row ->
        plan.addRow(
            minuteOf(row.info.timeFirstNanos()),
            minuteOf(row.info.timeLastNanos()),
            row.row.hasOwnIds()));
    cursors.add(new CellCursor(type, plan, fold, scan.watch(), bytesRead));
    int edges = 0;
    edges += openEvents(scan.withRange(scan.from(), startOf(from)));
    edges += openEvents(scan.withRange(startOf(until), scan.until()));
    openRuns(plan);
    scan.watch().counted(plan.cells(), plan.minutesFromEvents() + edges);
    return new ChainCursor(cursors);
  }

  /// Finds the pieces and rows. False when a segment cannot be read at all: reading its events says
  /// what is wrong.
  private boolean find() {
    for (PartitionKey key : keys) {
      Scan kept = view.kept(key, scan);
      for (LiveSegment live : view.segmentsOf(key)) {
        SegmentSummary.Partition partition = view.wanted(live, key, kept);
        Segment file = live.file();
        if (partition != null && file == null) {
          return false;
        }
        if (partition != null && file != null) {
          int number = file.partitions().find(key);
          Piece piece = new Piece(file, number, partition, wholeFrom(kept.from()));
          pieces.add(piece);
          events += partition.events();
          first = Math.min(first, piece.firstMinute());
          last = Math.max(last, piece.lastMinute());
        }
      }
      for (OpenRows.View open : view.rows()) {
        OpenRow row = open.row(key);
        PartitionInfo info = row == null ? null : open.info(row);
        if (row != null && info != null && info.events() > 0) {
          rows.add(new Row(open, row, info));
          events += info.events();
          first = Math.min(first, minuteOf(info.timeFirstNanos()));
          last = Math.max(last, minuteOf(info.timeLastNanos()));
        }
      }
    }
    return true;
  }

  /// Has all events of a range read. Returns 1 when there may be any, else 0.
  private int openEvents(Scan within) {
    boolean any =
        pieces.stream().anyMatch(piece -> EmbeddedView.overlaps(piece.partition, within))
            || rows.stream().anyMatch(row -> row.overlaps(within));
    if (any) {
      cursors.add(new LazyCursor(within.from(), () -> view.unordered(keys, within)));
    }
    return any ? 1 : 0;
  }

  private void openRuns(CellPlan plan) {
    for (int at = 0, end; at < plan.size(); at = end) {
      end = plan.runEnd(at);
      Scan within = scan.withRange(startOf(plan.first() + at), startOf(plan.first() + end));
      if (plan.isFromEvents(at)) {
        cursors.add(new LazyCursor(within.from(), () -> view.unordered(keys, within)));
      } else if (rows.stream().anyMatch(row -> row.overlaps(within))) {
        cursors.add(new LazyCursor(within.from(), () -> ofRows(within)));
      }
    }
  }

  /// The events of open rows alone, each once.
  private EventCursor ofRows(Scan within) {
    boolean ownIds = rows.stream().anyMatch(row -> row.row.hasOwnIds());
    Scan all = ownIds ? within.withFold(null) : within;
    List<EventCursor> inputs = new ArrayList<>();
    for (Row row : rows) {
      Scan kept = view.kept(row.row.key, all);
      inputs.addAll(
          row.view.open(row.row, kept, new Filter.Everything(), view.readers().searchers()));
    }
    return ownIds ? MergeCursor.of(inputs, false) : new ChainCursor(inputs);
  }

  /// Reads the cells into the plan, in the order of files. Returns how many bytes were read.
  private long read(CellPlan plan) {
    pieces.sort(
        Comparator.comparingLong((Piece piece) -> piece.segment.segmentId())
            .thenComparingInt(piece -> piece.number));
    long bytes = 0;
    for (int i = 0, end; i < pieces.size(); i = end) {
      Segment segment = pieces.get(i).segment;
      int number = pieces.get(i).number;
      end = i + 1;
      while (end < pieces.size()
          && pieces.get(end).segment.segmentId() == segment.segmentId()
          && pieces.get(end).number == number + end - i) {
        end++;
      }
      scan.watch().block();
      SegmentCells.Reader reader = readers.of(segment);
      long before = reader.bytesRead();
      for (Piece piece : pieces.subList(i, end)) {
        add(piece, read(piece, reader, number + end - i), plan);
      }
      bytes += reader.bytesRead() - before;
    }
    return bytes;
  }

  private static void add(Piece piece, @Nullable Cells cells, CellPlan plan) {
    if (cells == null) {
      plan.addUnknown(Math.max(piece.firstMinute(), piece.from - 1), piece.lastMinute());
    } else {
      plan.add(cells, piece.from);
      plan.addUnknown(piece.from - 1, piece.from - 1); // it may be shown in part
    }
  }

  /// The cells of a piece; null when it has none, or they are damaged: its events can be read.
  private static @Nullable Cells read(Piece piece, SegmentCells.Reader reader, int until) {
    if (!piece.segment.cells().isThere()) {
      return null;
    }
    try {
      return reader.read(piece.number, until);
    } catch (StorageException.Corrupt damaged) {
      piece.segment.cellsDamaged(damaged);
      return null;
    }
  }

  /// Readers of cells, one a segment: those of the next type follow those of this one.
  ///
  /// - Threads: one.
  private static final class Readers {
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
