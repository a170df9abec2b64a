package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.rollup.RollupRequest;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Combines stored aggregates whose events are gone. Each event was counted in one file, so all
/// that lie in a step are added up. Steps that they do not cover are missing from the result, and
/// the scan's watch knows how much that is: ends of the range that are no whole steps, steps of too
/// many groups, and types of which no rollup that is kept answers.
///
/// - Threads: one.
public final class KeptCount {
  private final List<LiveFigures> files;
  private final AggregateHorizon horizon;
  private final Scan scan;
  private final ReadDeadline deadline;

  /// @param files the caller holds a lease on them
  public KeptCount(
      List<LiveFigures> files, AggregateHorizon horizon, Scan scan, ReadDeadline deadline) {
    this.files = files;
    this.horizon = horizon;
    this.scan = scan;
    this.deadline = deadline;
  }

  /// The source for a type: counts by minute, or cells of rollups with steps of some width.
  private record Source(String type, int minutes, boolean counts) implements Comparable<Source> {
    @Override
    public int compareTo(Source other) {
      return Comparator.comparing(Source::type)
          .thenComparingInt(Source::minutes)
          .thenComparing(Source::counts)
          .compare(this, other);
    }
  }

  /// @throws StorageException.Corrupt when a file that it needs is damaged, and the scan does not
  ///   pass over it
  public EventCursor open(Predicate<String> types) {
    Map<Source, List<CellSource.Piece>> pieces = new TreeMap<>();
    for (LiveFigures each : files) {
      if (EventId.leastOf(each.untilNanos()).compareTo(scan.from()) > 0
          && EventId.leastOf(each.fromNanos()).compareTo(scan.until()) < 0) {
        Segment file = each.fileFor(scan.watch());
        for (int number = 0; file != null && number < file.partitions().size(); number++) {
          add(each, file, number, types, pieces);
        }
      }
    }
    List<EventCursor> cursors = new ArrayList<>();
    pieces.forEach(
        (source, of) -> cursors.add(new LazyCursor(scan.from(), () -> open(source, of))));
    return new ChainCursor(cursors);
  }

  private void add(
      LiveFigures figures,
      Segment file,
      int number,
      Predicate<String> types,
      Map<Source, List<CellSource.Piece>> pieces) {
    SegmentSummary.Partition partition = file.partitions().get(number);
    String type = partition.key().type();
    if (!types.test(type) || !Filters.mayKeepType(scan.filter(), type) || !overlaps(partition)) {
      return;
    }
    Source source = source(file, number, partition);
    if (source == null) {
      if (!horizon.isOver(type, partition.key().untilNanos(), figures.keepNanos())) {
        scan.watch().kept(0, minutes(file, number));
      }
      return;
    }
    long ticks = source.minutes * Cells.MINUTE_TICKS;
    long first = partition.least().time() / ticks;
    long last = partition.greatest().time() / ticks;
    pieces
        .computeIfAbsent(source, _ -> new ArrayList<>())
        .add(new CellSource.Piece(file, number, partition, first, first, last, true));
  }

  /// True when the cells of a partition may lie in the range: the minutes of its first and last
  /// event count as a whole.
  private boolean overlaps(SegmentSummary.Partition partition) {
    return partition.least().compareTo(scan.until()) < 0
        && partition.greatest().compareTo(scan.from()) >= 0;
  }

  /// Null when nothing that is kept of the partition answers.
  private @Nullable Source source(Segment file, int number, SegmentSummary.Partition partition) {
    RollupChoice choice = horizon.choice();
    String type = partition.key().type();
    if (choice == null || !horizon.hasFigures(type, partition.key().untilNanos())) {
      return null;
    }
    Filter filter = Filters.ofType(horizon.filter(), type);
    if (choice.question().isOfMinutes() && filter instanceof Filter.Everything) {
      return new Source(type, 1, true);
    }
    Set<AttributeName> columns = Filters.groupColumns(filter);
    if (columns == null) {
      return null;
    }
    for (int minutes : new int[] {1, RollupShape.MINUTES_AN_HOUR}) {
      if (file.rollups().answering(number, choice.question(), columns, minutes) >= 0) {
        return new Source(type, minutes, false);
      }
    }
    return null;
  }

  /// Minutes in the range that have events of a partition.
  private long minutes(Segment file, int number) {
    Cells cells;
    try {
      cells = new SegmentCells.Reader(file, deadline, false).read(number, number + 1);
    } catch (StorageException.Corrupt damaged) {
      CellSource.passOver(damaged, file.partitions().get(number), scan.watch());
      return 0;
    }
    long minutes = 0;
    for (int cell = 0; cell < cells.size(); cell++) {
      long from = cells.minute(cell) * Cells.MINUTE_TICKS;
      minutes +=
          startOf(from + Cells.MINUTE_TICKS).compareTo(scan.from()) > 0
                  && startOf(from).compareTo(scan.until()) < 0
              ? 1
              : 0;
    }
    return minutes;
  }

  private static EventId startOf(long ticks) {
    return new EventId(ticks, TimeUuid.tailLeast());
  }

  private EventCursor open(Source of, List<CellSource.Piece> pieces) {
    long ticks = of.minutes * Cells.MINUTE_TICKS;
    long first = pieces.stream().mapToLong(CellSource.Piece::firstStep).min().orElseThrow();
    long last = pieces.stream().mapToLong(CellSource.Piece::lastStep).max().orElseThrow();
    long from = Math.max(first, scan.from().time() / ticks);
    long until = scan.until().time() / ticks;
    boolean cutAtEnd = !startOf(until * ticks).equals(scan.until());
    long end = Math.min(last + 1, cutAtEnd ? until + 1 : until);
    CellSource source = source(of);
    CellPlan plan = source.plan(from, (int) Math.max(0, end - from)).ofGone();
    pieces.sort(
        Comparator.comparingLong((CellSource.Piece piece) -> piece.segment().segmentId())
            .thenComparingInt(CellSource.Piece::number));
    for (int i = 0, next; i < pieces.size(); i = next) {
      long segment = pieces.get(i).segment().segmentId();
      next = i + 1;
      while (next < pieces.size() && pieces.get(next).segment().segmentId() == segment) {
        next++;
      }
      source.read(pieces.subList(i, next), plan);
    }
    if (!startOf(scan.from().time() / ticks * ticks).equals(scan.from())) {
      plan.addUnknown(scan.from().time() / ticks, scan.from().time() / ticks);
    }
    if (cutAtEnd) {
      plan.addUnknown(until, until);
    }
    scan.watch().kept((long) plan.cells() * of.minutes, (long) plan.missing() * of.minutes);
    return source.open(plan);
  }

  private CellSource source(Source of) {
    RollupRequest question = question();
    if (of.counts) {
      Grouping steps = new Grouping(List.of(), question.stepNanos());
      var readers = new MinuteCells.Readers(deadline, false);
      return new MinuteCells(of.type, scan, steps, question.bytes(), readers);
    }
    Filter filter = Filters.ofType(horizon.filter(), of.type);
    return new GroupCellSource(
        of.type, scan, filter, question, RollupChoice.columns(filter), of.minutes, deadline);
  }

  private RollupRequest question() {
    RollupChoice choice = horizon.choice();
    if (choice == null) {
      throw new IllegalStateException("no question");
    }
    return choice.question();
  }
}
