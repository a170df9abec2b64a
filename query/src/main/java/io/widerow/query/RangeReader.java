package io.widerow.query;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The events of a [RangeQuery] in order. Opens one group of its [RangePlan] when it gets there and
/// closes it when it is through, so a limit that is met early opens nothing more.
///
/// A budget of events or of time ends a query at most a few thousand looked-at events too late,
/// whatever the filter keeps; so does [#cancel].
///
/// - Threads: one; any may call [#cancel].
/// - Memory: one block per partition of the current group. Does not own the view.
/// - Order: id, then type.
public final class RangeReader implements EventCursor {
  private final StoreView view;
  private final RangeQuery query;
  private final QueryBudget budget;
  private final RangePlan plan;
  private final Scan scan;
  private final long startNanos = System.nanoTime();
  private volatile boolean cancelled;
  private int group;
  private long left;
  private boolean closed;
  private final ScanWatch watch = new ScanWatch(this::check);
  private Runnable progress = () -> {};
  private @Nullable Token skip;
  private @Nullable EventCursor cursor;
  private ScanStatistics finished = ScanStatistics.NONE;

  private RangeReader(StoreView view, RangeQuery query, QueryBudget budget) {
    this.view = view;
    this.query = query;
    this.budget = budget;
    this.plan = RangePlan.of(view, query);
    this.scan = query.toScan().withWatch(watch);
    this.left = query.limit();
    this.skip = query.after();
  }

  /// @param view stays the caller's, and must be closed after the reader
  public static RangeReader open(StoreView view, RangeQuery query, QueryBudget budget) {
    return new RangeReader(view, query, budget);
  }

  @Override
  public Step next() {
    while (true) {
      if (left == 0) {
        close();
        return Step.END;
      }
      EventCursor open = cursor;
      if (open == null) {
        if (closed || group == plan.groups().size()) {
          return Step.END;
        }
        open = openGroup();
      }
      switch (open.next()) {
        case EVENT -> {
          if (isWanted(open.event())) {
            left--;
            return Step.EVENT;
          }
        }
        case PENDING -> {
          return Step.PENDING;
        }
        case END -> {
          closeGroup();
          check();
        }
      }
    }
  }

  /// False for the few events at the token's own id that were shown before it. The first event
  /// behind it ends the question.
  private boolean isWanted(EventView event) {
    Token token = skip;
    if (token == null) {
      return true;
    }
    if (!token.isBefore(event, query.descending())) {
      return false;
    }
    skip = null;
    return true;
  }

  private EventCursor openGroup() {
    check();
    List<PartitionKey> keys = plan.keys(group);
    if (keys.size() > budget.partitionsMax()) {
      throw new QueryException.OverBudget(
          "partitions open at once",
          budget.partitionsMax(),
          keys.size(),
          "ask for fewer types or a shorter range");
    }
    EventCursor opened = view.open(keys, scan);
    cursor = opened;
    group++;
    return opened;
  }

  private void closeGroup() {
    EventCursor open = cursor;
    if (open != null) {
      finished = finished.plus(open.statistics());
      cursor = null;
      open.close();
    }
  }

  /// Called by the scan every few thousand events, and between groups.
  private void check() {
    if (cancelled) {
      throw new QueryException.Stopped("the query was cancelled");
    }
    if (System.nanoTime() - startNanos > budget.time().toNanos()) {
      throw new QueryException.Stopped(
          "the query ran longer than its budget of %d s; ask for less or go on from the last token"
              .formatted(budget.time().toSeconds()));
    }
    if (watch.events() > budget.eventsScannedMax()) {
      throw new QueryException.OverBudget(
          "events scanned", budget.eventsScannedMax(), watch.events(), "ask for a shorter range");
    }
    progress.run();
  }

  /// Has something called from time to time while events are looked at, on the reader's thread.
  void onProgress(Runnable call) {
    progress = call;
  }

  /// Events looked at so far.
  long eventsScanned() {
    return watch.events();
  }

  /// Makes the query end with [QueryException.Stopped] soon. What it holds is freed by [#close], on
  /// the reader's own thread.
  public void cancel() {
    cancelled = true;
  }

  RangePlan plan() {
    return plan;
  }

  /// How many groups of the plan were opened.
  int groupsOpened() {
    return group;
  }

  @Override
  public CompletableFuture<Void> ready() {
    EventCursor open = cursor;
    return open == null ? CompletableFuture.completedFuture(null) : open.ready();
  }

  @Override
  public EventView event() {
    EventCursor open = cursor;
    if (open == null) {
      throw new IllegalStateException("no current event");
    }
    return open.event();
  }

  @Override
  public ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? finished : finished.plus(open.statistics());
  }

  @Override
  public void close() {
    closeGroup();
    closed = true;
  }
}
