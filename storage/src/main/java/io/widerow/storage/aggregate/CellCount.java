package io.widerow.storage.aggregate;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.FilterCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Aggregates the events of one type in a view by steps of whole minutes: from the cells of its
/// segments where that is right, from the events elsewhere, see [CellPlan]. Those are the events of
/// open rows, the ends of the range that are no whole steps, and what segments without cells hold.
///
/// - Threads: one.
public final class CellCount {
  /// Steps of a plan that is always worth its memory.
  private static final long STEPS_FEW = 1 << 12;

  /// Steps for each event of a longer plan. Thinner ones are counted from events, which are few.
  private static final long STEPS_AN_EVENT = 8;

  /// Most steps of a plan: ten years of minutes.
  private static final long STEPS_MAX = 10 * 366 * 1_440L;

  private final CellView view;
  private final Scan scan;
  private final List<PartitionKey> keys;
  private final CellSource source;
  private final long stepTicks;
  private final List<CellSource.Piece> pieces = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<Hidden> hidden = new ArrayList<>();
  private final List<EventCursor> cursors = new ArrayList<>();
  private long first = Long.MAX_VALUE; // step that may have events
  private long last = Long.MIN_VALUE;
  private long events; // an upper bound

  private CellCount(CellView view, Scan scan, List<PartitionKey> keys, CellSource source) {
    this.view = view;
    this.scan = scan;
    this.keys = keys;
    this.source = source;
    this.stepTicks = source.minutes() * Cells.MINUTE_TICKS;
  }

  /// A cursor over partitions of a view whose events may stand for others.
  ///
  /// @param scan of all arrivals
  /// @param fold its grouping, which takes cells
  public static EventCursor open(CellView view, List<PartitionKey> keys, Scan scan, Grouping fold) {
    Map<String, List<PartitionKey>> byType = byType(keys);
    var readers = new MinuteCells.Readers(view.readers().deadline(), byType.size() > 1);
    List<EventCursor> types = new ArrayList<>();
    byType.forEach((type, partitions) -> {
      if (Filters.ofType(scan.filter(), type) instanceof Filter.Everything) {
        var source = new MinuteCells(type, scan, fold, false, readers);
        types.add(lazily(view, partitions, scan, source));
      } else {
        types.add(new LazyCursor(scan.from(), () -> view.unordered(partitions, scan)));
      }
    });
    return new ChainCursor(types);
  }

  /// The same for one type, from cells of a rollup.
  static EventCursor lazily(CellView view, List<PartitionKey> keys, Scan scan, CellSource source) {
    return new LazyCursor(scan.from(), () -> new CellCount(view, scan, keys, source).open());
  }

  static Map<String, List<PartitionKey>> byType(List<PartitionKey> keys) {
    Map<String, List<PartitionKey>> byType = new LinkedHashMap<>();
    keys.forEach(key -> byType.computeIfAbsent(key.type(), _ -> new ArrayList<>()).add(key));
    return byType;
  }

  /// Steps in which a retention policy may hide events that cells count.
  private record Hidden(long first, long last) {}

  /// An open row that has events.
  private record Row(OpenRows.View view, OpenRow row, PartitionInfo info) {
    boolean overlaps(Scan scan) {
      return scan.from().compareTo(scan.until()) < 0
          && EventId.leastOf(info.timeFirstNanos()).compareTo(scan.until()) < 0
          && EventId.greatestOf(info.timeLastNanos()).compareTo(scan.from()) >= 0;
    }
  }

  private long stepOf(long idTime) {
    return idTime / stepTicks;
  }

  private long stepOfNanos(long epochNanos) {
    return stepOf(TimeUuid.timeOfNanos(epochNanos));
  }

  private EventId startOf(long step) {
    return new EventId(step * stepTicks, TimeUuid.tailLeast());
  }

  /// The first step that starts at an id or after it.
  private long wholeFrom(EventId id) {
    long step = stepOf(id.time());
    return startOf(step).equals(id) ? step : step + 1;
  }

  private EventCursor open() {
    boolean known = find();
    long from = Math.max(first, wholeFrom(scan.from()));
    long until = Math.min(last + 1, stepOf(scan.until().time()));
    long worth = Math.clamp(events * STEPS_AN_EVENT, STEPS_FEW, STEPS_MAX);
    if (!known || pieces.isEmpty() || from >= until || until - from > worth) {
      return view.unordered(keys, scan);
    }
    CellPlan plan = source.plan(from, (int) (until - from));
    read(plan);
    hidden.forEach(steps -> plan.addUnknown(steps.first, steps.last));
    rows.forEach(row ->
        plan.addRow(
            stepOfNanos(row.info.timeFirstNanos()),
            stepOfNanos(row.info.timeLastNanos()),
            row.row.hasOwnIds()));
    cursors.add(source.open(plan));
    int edges = 0;
    edges += openEvents(scan.withRange(scan.from(), startOf(from)));
    edges += openEvents(scan.withRange(startOf(until), scan.until()));
    openRuns(plan);
    scan.watch().counted(plan.cells(), (plan.minutesFromEvents() + edges) * source.minutes());
    return new ChainCursor(cursors);
  }

  /// Reads the cells into the plan, in the order of files.
  private void read(CellPlan plan) {
    pieces.sort(
        Comparator.comparingLong((CellSource.Piece piece) -> piece.segment().segmentId())
            .thenComparingInt(CellSource.Piece::number));
    for (int i = 0, end; i < pieces.size(); i = end) {
      long segment = pieces.get(i).segment().segmentId();
      end = i + 1;
      while (end < pieces.size() && pieces.get(end).segment().segmentId() == segment) {
        end++;
      }
      source.read(pieces.subList(i, end), plan);
    }
  }

  /// Finds the pieces and rows. False when a segment cannot be read at all: reading its events then
  /// reports the damage.
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
          CellSource.Piece piece =
              new CellSource.Piece(
                  file,
                  file.partitions().find(key),
                  partition,
                  wholeFrom(kept.from()),
                  stepOf(partition.least().time()),
                  stepOf(partition.greatest().time()),
                  false);
          pieces.add(piece);
          long shownFrom = view.shownFromNanos(key);
          if (shownFrom > key.fromNanos()) {
            hidden.add(new Hidden(piece.firstStep(), stepOfNanos(shownFrom - 1)));
          }
          events += partition.events();
          first = Math.min(first, piece.firstStep());
          last = Math.max(last, piece.lastStep());
        }
      }
      for (OpenRows.View open : view.rows()) {
        OpenRow row = open.row(key);
        PartitionInfo info = row == null ? null : open.info(row);
        if (row != null && info != null && info.events() > 0) {
          rows.add(new Row(open, row, info));
          events += info.events();
          first = Math.min(first, stepOfNanos(info.timeFirstNanos()));
          last = Math.max(last, stepOfNanos(info.timeLastNanos()));
        }
      }
    }
    return true;
  }

  /// Has all events of a range read. Returns 1 when there may be any, else 0.
  private int openEvents(Scan within) {
    boolean any =
        pieces.stream().anyMatch(piece -> CellView.overlaps(piece.partition(), within))
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
    Filter shown = CellView.and(scan, view.shownOf(keys)).filter();
    Filter filter = Filters.ofType(shown, keys.getFirst().type());
    List<EventCursor> inputs = new ArrayList<>();
    for (Row row : rows) {
      Filter below = ownIds ? new Filter.Everything() : filter;
      Scan kept = view.kept(row.row.key, all).withFilter(below);
      inputs.addAll(row.view.open(row.row, kept, below, view.readers().searchers()));
    }
    return ownIds
        ? new FilterCursor(MergeCursor.of(inputs, false), filter)
        : new ChainCursor(inputs);
  }
}
