package io.widerow.storage.rows;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Reads one run of an open row, in either direction, up to a watermark: events that lie at or
/// above it in the rows' memory are not shown. Of neighbours with one id only the one that arrived
/// last is.
///
/// - Threads: one; others look through its entries meanwhile, where there is a filter, see
///   [RunPrefilters].
/// - Memory: borrows that of the rows' view, until [#close].
final class RunCursor implements EventCursor {
  private final MemorySegment memory;
  private final long watermark;
  private final Run run;
  private final Scan scan;
  private final ScanWatch watch;
  private final long arrivedFrom;
  private final @Nullable RunPrefilters prefilters; // null when there is no filter
  private final boolean ownIds;
  private final RecordView view = new RecordView();
  private final int from; // entries of the range: [from, until)
  private final int until;
  private int next;
  private long scanned;
  private long kept;

  /// @param ownIds whether one event of the row may replace another
  /// @param arrivedFrom the first arrival that is shown
  /// @param threads help to look for what the filter keeps; null for none
  RunCursor(
      MemorySegment memory,
      long watermark,
      Run run,
      boolean ownIds,
      Scan scan,
      long arrivedFrom,
      Filter filter,
      @Nullable Executor threads) {
    this.memory = memory;
    this.watermark = watermark;
    this.run = run;
    this.ownIds = ownIds;
    this.scan = scan;
    this.watch = scan.watch();
    this.arrivedFrom = arrivedFrom;
    int visible = visible();
    this.from = Math.max(firstNotBelow(scan.from(), visible), firstArrived(visible));
    this.until = Math.max(from, firstNotBelow(scan.until(), visible));
    this.next = scan.descending() ? until - 1 : from;
    this.prefilters =
        filter instanceof Filter.Everything
            ? null
            : new RunPrefilters(memory, run, scan, filter, from, until, threads);
  }

  /// Entries to look at. In a run in order of arrival those below the watermark are a prefix; in a
  /// merged run they are strewn over all of it.
  private int visible() {
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

  private int firstNotBelow(EventId id, int visible) {
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

  /// The first entry that may have come as late as wanted. A run in order of arrival is in order of
  /// both.
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
    return event < watermark && (arrivedFrom == 0 || arrival(event) >= arrivedFrom);
  }

  boolean isEmpty() {
    for (int i = from; i < until; i++) {
      if (isShown(run.eventOffset(i))) {
        return false;
      }
    }
    return true;
  }

  /// Entries in the range; in a merged run some may be above the watermark.
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
    while (passToKept()) {
      long event = run.eventOffset(next);
      next += scan.descending() ? -1 : 1;
      if (!isShown(event) || isReplaced(event)) {
        continue;
      }
      kept++;
      view.show(memory, event);
      return Step.EVENT;
    }
    return Step.END;
  }

  /// Passes over entries that the filter does not keep. False when there is no other.
  private boolean passToKept() {
    if (prefilters != null) {
      next = prefilters.next();
      return next != RunPrefilters.NONE;
    }
    if (next < from || next >= until) {
      return false;
    }
    watch.event();
    scanned++;
    return true;
  }

  /// True when a later neighbour writes the same id.
  private boolean isReplaced(long event) {
    if (!ownIds) {
      return false;
    }
    // Read downwards, a neighbour that was shown already is at next + 2, upwards at next.
    int later = scan.descending() ? next + 2 : next;
    for (int i = later; i < until; i++) {
      long other = run.eventOffset(i);
      if (!sameId(event, other)) {
        return false;
      }
      if (other < watermark) {
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
    return view;
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
