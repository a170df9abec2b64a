package io.widerow.storage.rows;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.event.WrappedEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Cursor over one run of an open row, in either direction. It skips events at or above a watermark
/// in the rows' memory, and events that the scan excludes by their arrival. Of adjacent events with
/// the same id it shows only the last to arrive; or all of them, the last first. For a scan that
/// only counts events by steps of time, one event stands for all of its step.
///
/// - Threads: one. With a filter, other threads evaluate entries ahead, see [RunPrefilters].
/// - Memory: borrows the rows' memory from their view, until [#close].
final class RunCursor implements EventCursor {
  private final Entries entries;
  private final MemorySegment memory;
  private final long watermark;
  private final Run run;
  private final Scan scan;
  private final ScanWatch watch;
  private final long arrivedFrom;
  private final long arrivedUntil;
  private final @Nullable RunPrefilters prefilters; // null when there is no filter
  private final boolean ownIds;
  private final boolean everyWrite;
  private final RecordView view = new RecordView();
  private final @Nullable Grouping steps; // null when each event is shown
  private final Counted counted = new Counted();
  private int weight; // of the step that is shown
  private final int from; // entries of the range: [from, until)
  private final int until;
  private int next;
  private int groupFrom; // entries with one id, when every write is shown: [groupFrom, next]
  private int groupLimit;
  private long scanned;
  private long kept;

  /// Entries of a run.
  ///
  /// @param watermark offset in memory; later events are not shown
  /// @param from the first entry to look at
  /// @param until after the last one
  record Entries(MemorySegment memory, long watermark, Run run, int from, int until) {
    /// Those of a run from one on.
    static Entries from(MemorySegment memory, long watermark, Run run, int from) {
      return new Entries(memory, watermark, run, from, Integer.MAX_VALUE);
    }

    /// The first of some entries whose id is not below one.
    ///
    /// @param visible how many they are
    int firstNotBelow(EventId id, int visible) {
      int low = 0;
      int high = visible;
      while (low < high) {
        int middle = (low + high) >>> 1;
        long event = run.eventOffset(middle);
        int order =
            TimeUuid.compare(
                EventLayout.idTime(memory, event),
                EventLayout.idTail(memory, event),
                id.time(),
                id.tail());
        if (order < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  /// All events of entries none of which replaces another.
  RunCursor(Entries of) {
    this(of, false, false, Scan.all(), 0, new Filter.Everything(), null);
  }

  /// @param ownIds whether an event of the row may replace another
  /// @param everyWrite whether writes that others replace are shown too, of each id the last one
  ///   first; only without a filter, ascending
  /// @param shard of the row
  /// @param threads help to evaluate the filter; null for none
  RunCursor(
      Entries of,
      boolean ownIds,
      boolean everyWrite,
      Scan scan,
      int shard,
      Filter filter,
      @Nullable Executor threads) {
    this.entries = of;
    this.memory = of.memory;
    this.watermark = of.watermark;
    this.run = of.run;
    this.ownIds = ownIds;
    this.scan = scan;
    this.watch = scan.watch();
    this.everyWrite = everyWrite && ownIds;
    this.arrivedFrom = scan.arrivedFrom(shard);
    this.arrivedUntil = scan.arrivedUntil(shard);
    int visible = Math.min(of.until, visible(run, watermark));
    int least = Math.max(of.firstNotBelow(scan.from(), visible), firstArrived(visible));
    this.from = Math.min(Math.max(of.from, least), Math.max(of.from, visible));
    this.until = Math.max(from, of.firstNotBelow(scan.until(), visible));
    this.next = scan.descending() ? until - 1 : from;
    this.groupFrom = from;
    this.groupLimit = from;
    this.prefilters =
        filter instanceof Filter.Everything
            ? null
            : new RunPrefilters(memory, run, scan, filter, from, until, threads);
    Grouping fold = scan.fold();
    boolean counts =
        fold != null
            && fold.isOfCounts()
            && prefilters == null
            && !ownIds
            && !run.isMerged()
            && arrivedFrom == 0
            && arrivedUntil == Long.MAX_VALUE;
    this.steps = counts ? fold : null;
    if (counts) {
      this.next = from;
    }
  }

  /// Number of entries to check. In a run in order of arrival, the entries below the watermark are
  /// a prefix. In a merged run they may be anywhere.
  static int visible(Run run, long watermark) {
    int size = run.size();
    if (run.isMerged()) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (run.eventOffset(middle) < watermark) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// The first entry that may have arrived at `arrivedFrom` or later. A run in order of arrival is
  /// sorted by id and by arrival alike.
  private int firstArrived(int visible) {
    int low = 0;
    int high = arrivedFrom == 0 || run.isMerged() ? 0 : visible;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (arrival(run.eventOffset(middle)) < arrivedFrom) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long arrival(long event) {
    return EventLayout.arrival(
        EventLayout.version(memory, event), EventLayout.idTail(memory, event));
  }

  private boolean isShown(long event) {
    if (event >= watermark) {
      return false;
    }
    if (arrivedFrom == 0 && arrivedUntil == Long.MAX_VALUE) {
      return true;
    }
    long arrival = arrival(event);
    return arrival >= arrivedFrom && arrival < arrivedUntil;
  }

  boolean isEmpty() {
    for (int i = from; i < until; i++) {
      if (isShown(run.eventOffset(i))) {
        return false;
      }
    }
    return true;
  }

  /// Entries in the range. In a merged run some may be above the watermark.
  int entries() {
    return until - from;
  }

  EventId first() {
    return idAt(from);
  }

  EventId last() {
    return idAt(until - 1);
  }

  private EventId idAt(int entry) {
    long event = run.eventOffset(entry);
    return new EventId(EventLayout.idTime(memory, event), EventLayout.idTail(memory, event));
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  /// A piece is one of the filter's.
  @Override
  public @Nullable Step search() {
    Grouping fold = steps;
    if (fold != null) {
      return next < until ? count(fold) : Step.END;
    }
    while (passToKept()) {
      long event = run.eventOffset(everyWrite ? nextOfGroup() : next);
      next += scan.descending() ? -1 : 1;
      if (!isShown(event) || isReplaced(event)) {
        continue;
      }
      kept++;
      view.show(memory, event);
      return Step.EVENT;
    }
    return prefilters != null && next == RunPrefilters.PASSED ? null : Step.END;
  }

  /// Counts the events of the next step.
  private Step count(Grouping fold) {
    long event = run.eventOffset(next);
    view.show(memory, event);
    long limit = fold.stepLimit(view.timeNanos());
    int end =
        limit == Long.MAX_VALUE
            ? until
            : Math.min(until, entries.firstNotBelow(EventId.leastOf(limit), until));
    weight = end - next;
    next = end;
    scanned += weight;
    kept += weight;
    watch.passed(weight);
    return Step.EVENT;
  }

  @Override
  public EventId bound() {
    return idAt(Objects.requireNonNull(prefilters).nextEntry());
  }

  /// The entry that comes at the place of `next` when each group of equal ids is turned around.
  private int nextOfGroup() {
    if (next == groupLimit) {
      groupFrom = next;
      groupLimit++;
      long first = run.eventOffset(groupFrom);
      while (groupLimit < until && sameId(first, run.eventOffset(groupLimit))) {
        groupLimit++;
      }
    }
    return groupFrom + groupLimit - 1 - next;
  }

  /// Skips entries that the filter drops. Returns false when no entry is left, or none of the
  /// piece.
  private boolean passToKept() {
    if (prefilters != null) {
      next = prefilters.search();
      return next >= 0;
    }
    if (next < from || next >= until) {
      return false;
    }
    watch.event();
    scanned++;
    return true;
  }

  /// True when a later arrival among its neighbours has the same id.
  private boolean isReplaced(long event) {
    if (!ownIds || everyWrite) {
      return false;
    }
    // `next` has moved already: when descending, the neighbour, shown before, is at next + 2.
    int later = scan.descending() ? next + 2 : next;
    for (int i = later; i < until; i++) {
      long other = run.eventOffset(i);
      if (!sameId(event, other)) {
        return false;
      }
      if (isShown(other)) {
        return true;
      }
    }
    return false;
  }

  private boolean sameId(long a, long b) {
    return EventLayout.idTime(memory, a) == EventLayout.idTime(memory, b)
        && EventLayout.idTail(memory, a) == EventLayout.idTail(memory, b);
  }

  @Override
  public EventView event() {
    return steps == null ? view : counted;
  }

  /// An event that stands for all of its step.
  private final class Counted extends WrappedEvent {
    Counted() {
      wrap(view);
    }

    @Override
    public long weight() {
      return weight;
    }
  }

  @Override
  public ScanStatistics statistics() {
    return new ScanStatistics(0, 0, 0, prefilters == null ? scanned : prefilters.passed(), kept);
  }

  @Override
  public void close() {
    if (prefilters != null) {
      prefilters.close();
    }
  }
}
