package io.widerow.query;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The events of a [RangeQuery] in order. It has one group of the [RangePlan] open at a time, so a
/// query that reaches its limit early opens no more groups. Aggregates in any order take several
/// groups together.
///
/// With [RangeQuery#since] the result has two parts from one view: first the late events, those at
/// or before the token that arrived since, each with [LateEvent#FLAG]; then the events after the
/// token. The limit applies to the second part.
///
/// A group of more partitions than may be open at once is read in rounds, see [RoundCursor], or set
/// by set when the order does not matter. It is read in smaller sets when memory is short.
///
/// Budgets and [#cancel] are checked every few thousand scanned events, whether or not the filter
/// keeps any, so a query may exceed its budget by that many events.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: the cursors of the current group, and a block of each partition whose turn has come
///   or, where these do not fit the budget, some of its events. Does not own the view.
/// - Order: id, then type, in each part.
public final class RangeReader implements EventCursor {
  /// Approximate memory of the closed cursors of a partition, in bytes.
  private static final long CURSOR_BYTES = 1 << 10;

  /// Approximate memory of a partition in the plan of a group, in bytes.
  private static final long PLANNED_BYTES = 160;

  /// Partitions that are open at once however little memory there is.
  private static final int OPEN_MIN = 256;

  /// Partitions of several groups that are aggregated together.
  private static final int TOGETHER_MAX = 1 << 10;

  private final StoreView view;
  private final RangeQuery query;
  private final ReadMode mode;
  private final QueryBudget budget;
  private final ScanWatch watch;
  private final Queue<ReadPart> parts; // after the current one
  private @Nullable ReadPart part; // null after the last one
  private @Nullable Scan keptScan; // of aggregates that outlive their events, until they are read
  private final LateEvent late = new LateEvent();
  private final DerivedFields.@Nullable Making making; // null when no fields are made
  private @Nullable EventView shown;
  private final long startNanos = System.nanoTime();
  private volatile boolean cancelled;
  private final CompletableFuture<Void> end = new CompletableFuture<>(); // when cancelled
  private boolean waited; // the last step was PENDING
  private int groupsOpened;
  private long groupBytes; // reported for the plan and the cursors of the current group
  private final Queue<ReadPart.Read> reads = new ArrayDeque<>(); // left of the group
  private final Queue<ReadPart.Read> sets = new ArrayDeque<>(); // left of the current one of these
  private long left;
  private boolean closed;
  private Runnable progress = () -> {};
  private Consumer<RangeReader> whenClosed = _ -> {};
  private @Nullable Token skip;
  private @Nullable EventCursor cursor;
  private ScanStatistics finished = ScanStatistics.NONE;

  private RangeReader(
      StoreView view, RangeQuery query, ReadMode mode, QueryBudget budget, QueryMemory memory) {
    this.watch = new ScanWatch(this::check, memory);
    this.query = query;
    this.mode = mode.of(query);
    this.budget = budget;
    ReadMode.Kept kept = this.mode.kept();
    this.view = kept == null ? view : view.ofFigures(kept.asked(), query.filter());
    budget.limitFetches(this.view, memory, () -> planSize().elsewhere());
    this.parts = ReadPart.of(this.view, query, this.mode, watch);
    ReadPart first = parts.remove();
    this.part = first;
    this.keptScan = kept == null ? null : first.scan();
    DerivedFields derived = query.derived();
    this.making = derived == null ? null : derived.begin();
    this.left = query.limit();
    this.skip = query.after();
    if (mode.skipsDamage()) {
      watch.passOverDamage();
    }
  }

  /// @param view remains the caller's, who closes it after the reader
  /// @throws QueryException.Refused when [RangeQuery#since] is a position of another kind of store
  /// @throws QueryException.Expired when events directly after the query's position are past their
  ///   retention
  public static RangeReader open(StoreView view, RangeQuery query, QueryBudget budget) {
    return open(view, query, budget, QueryMemory.unlimited());
  }

  /// The same, with a memory budget that it shares with other queries.
  public static RangeReader open(
      StoreView view, RangeQuery query, QueryBudget budget, QueryMemory memory) {
    return open(view, query, ReadMode.IN_ORDER, budget, memory);
  }

  /// The same in another mode than in order.
  public static RangeReader open(
      StoreView view, RangeQuery query, ReadMode mode, QueryBudget budget, QueryMemory memory) {
    requireKind(view, query.since());
    Token after = query.after();
    if (after != null && !query.descending() && view.isExpired(after.type(), after.tickNanos())) {
      Token first = firstLeft(view, query, budget, memory);
      throw new QueryException.Expired(
          after.type(), after.toString(), first == null ? null : first.toString());
    }
    return new RangeReader(view, query, mode, budget, memory);
  }

  /// Refuses a position that another kind of store gave.
  private static void requireKind(StoreView view, @Nullable Arrivals since) {
    if (since != null) {
      try {
        view.arrivals().requireKindOf(since);
      } catch (IllegalArgumentException other) {
        throw new QueryException.Refused("arrived", String.valueOf(other.getMessage()));
      }
    }
  }

  /// The position before the first remaining event; null when there is none.
  private static @Nullable Token firstLeft(
      StoreView view, RangeQuery query, QueryBudget budget, QueryMemory memory) {
    RangeQuery first =
        query
            .withSince(null)
            .withAfter(null)
            .withLimit(1)
            .withRange(query.plannedFromNanos(), query.untilNanos());
    try (RangeReader reader = new RangeReader(view, first, ReadMode.IN_ORDER, budget, memory)) {
      return reader.nextWhenReady() == Step.EVENT ? Token.before(reader.event().timeNanos()) : null;
    }
  }

  /// The view's position in the order of arrival, for [RangeQuery#since] of a later query.
  public Arrivals arrivals() {
    return view.arrivals();
  }

  @Override
  public Step next() {
    while (true) {
      if (left == 0) {
        close();
        return Step.END;
      }
      EventCursor open = cursor == null ? openGroup() : cursor;
      if (open == null) {
        return Step.END;
      }
      if (waited) {
        waited = false;
        check(); // the wait may have ended because of it
      }
      switch (open.next()) {
        case EVENT -> {
          if (isWanted(open.event()) && isMade(open.event())) {
            left -= isLate() ? 0 : 1;
            return Step.EVENT;
          }
        }
        case PENDING -> {
          waited = true;
          return Step.PENDING;
        }
        case END -> {
          closeCursor();
          check();
        }
      }
    }
  }

  /// Shows the event, with the fields made of it. False when a condition on them does not keep it.
  private boolean isMade(EventView event) {
    EventView whole = isLate() ? late.show(event) : event;
    DerivedFields.Making fields = making;
    shown = fields == null ? whole : fields.of(whole);
    return shown != null;
  }

  private boolean isWanted(EventView event) {
    ReadPart of = part;
    if (of == null) {
      return true;
    }
    return (of.isLate() || isAfterToken(event)) && of.contains(event);
  }

  private boolean isLate() {
    ReadPart of = part;
    return of != null && of.isLate();
  }

  /// False for the few events with the token's id that come at or before the token. All events
  /// after the first such one come after it, so the test ends there.
  private boolean isAfterToken(EventView event) {
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

  /// Opens the next group; null when there is none left.
  private @Nullable EventCursor openGroup() {
    if (closed) {
      return null;
    }
    check();
    ReadPart.Read set = sets.poll();
    if (set != null) {
      cursor = unordered(set.keys(), set.scan());
      return cursor;
    }
    endGroup();
    ReadPart of = part;
    while (of != null) {
      ReadPart.Read read = nextRead(of);
      if (read != null) {
        EventCursor opened = open(read.keys(), read.scan());
        cursor = opened;
        groupsOpened++;
        return opened;
      }
      of = parts.poll();
      part = of;
    }
    return openKept();
  }

  /// The next read of a part; null after its last one.
  private ReadPart.@Nullable Read nextRead(ReadPart of) {
    while (reads.isEmpty()) {
      RangePlan.Group group =
          mode.grouping() == null
              ? of.plan().next()
              : of.plan().nextTogether(Math.min(TOGETHER_MAX, budget.partitionsMax()));
      if (group == null) {
        return null;
      }
      reads.addAll(of.reads(view, group));
    }
    return reads.remove();
  }

  private EventCursor open(List<PartitionKey> keys, Scan within) {
    hold(PLANNED_BYTES * keys.size()); // when that is too much, closing takes the report back
    int open = Math.min(keys.size(), budget.partitionsMax());
    while (open > OPEN_MIN && !watch.tryHold(CURSOR_BYTES * open)) {
      open /= 2;
    }
    if (open > OPEN_MIN) {
      groupBytes += CURSOR_BYTES * open;
    } else {
      hold(CURSOR_BYTES * open);
    }
    if (open == keys.size()) {
      return mode.anyOrder() ? unordered(keys, within) : view.open(keys, within);
    }
    List<List<PartitionKey>> rounds = RoundCursor.sets(keys, open);
    if (!mode.anyOrder()) {
      return new RoundCursor(view, rounds, within, left, this::check);
    }
    rounds.forEach(round -> sets.add(new ReadPart.Read(round, within)));
    return unordered(sets.remove().keys(), within);
  }

  private void hold(long bytesMore) {
    groupBytes += bytesMore; // first, because refused bytes are counted too
    watch.holds(bytesMore);
  }

  private void endGroup() {
    sets.clear();
    watch.holds(-groupBytes);
    groupBytes = 0;
  }

  /// Opens the aggregates whose events are gone; null when there are none.
  private @Nullable EventCursor openKept() {
    Scan scan = keptScan;
    keptScan = null;
    EventCursor opened = scan == null ? null : view.openKept(query.types(), scan);
    cursor = opened;
    return opened;
  }

  private EventCursor unordered(List<PartitionKey> keys, Scan within) {
    RollupRequest rollup = mode.rollup();
    ReadPart of = part;
    return rollup == null || of == null || of.kind() != ReadPart.Kind.WHOLE
        ? view.openUnordered(keys, within)
        : view.openFigures(keys, within, rollup);
  }

  private void closeCursor() {
    EventCursor open = cursor;
    if (open != null) {
      finished = finished.plus(open.statistics());
      cursor = null;
      open.close();
    }
  }

  /// Checks the budgets. The scan calls it every few thousand events, the reader between groups.
  private void check() {
    if (cancelled) {
      throw new QueryException.Stopped("the query was cancelled");
    }
    if (System.nanoTime() - startNanos > budget.time().toNanos()) {
      throw new QueryException.Stopped(
          "the query ran longer than its budget of %d s; narrow it or continue at the last token"
              .formatted(budget.time().toSeconds()));
    }
    if (watch.events() > budget.eventsScannedMax()) {
      throw new QueryException.OverBudget(
          "events scanned", budget.eventsScannedMax(), watch.events(), "query a shorter range");
    }
    progress.run();
  }

  /// Returns the parts skipped so far.
  public List<ScanWatch.Unread> unread() {
    return watch.unread();
  }

  /// Minutes of types that came from aggregates whose events are gone.
  public long keptMinutes() {
    return watch.keptMinutes();
  }

  /// Minutes of types whose events are gone and without usable aggregates: the result lacks them.
  public long missingMinutes() {
    return watch.missingMinutes();
  }

  /// Names of the rollups that have answered so far, see [StoreView#openFigures].
  public Set<String> rollups() {
    return watch.rollups();
  }

  /// Sets a callback that runs now and then during the scan, on the reader's thread.
  public void onProgress(Runnable call) {
    progress = call;
  }

  /// Sets a callback that runs once, when the reader is closed.
  void whenClosed(Consumer<RangeReader> call) {
    whenClosed = call;
  }

  /// Events scanned so far.
  public long eventsScanned() {
    return watch.events();
  }

  /// Minutes of types that were counted from rollups so far.
  public long cells() {
    return watch.cells();
  }

  /// Minutes of types in which events were counted one by one, where rollups count others.
  public long minutesFromEvents() {
    return watch.minutesFromEvents();
  }

  /// Ends the query with [QueryException.Stopped] soon. The reader's own thread frees its memory
  /// with [#close].
  public void cancel() {
    cancelled = true;
    end.complete(null);
  }

  /// Size of the whole plan, from [RangeQuery#after] on.
  public RangePlan.Size planSize() {
    return RangePlan.of(view, query).drain();
  }

  /// What was fetched of segments that are kept elsewhere.
  public StoreView.Fetches fetches() {
    return view.fetches();
  }

  /// Number of groups opened so far.
  public int groupsOpened() {
    return groupsOpened;
  }

  /// Completes also when the query is cancelled or its time is over; [#next] then throws.
  @Override
  public CompletableFuture<Void> ready() {
    EventCursor open = cursor;
    CompletableFuture<Void> ready =
        open == null ? CompletableFuture.completedFuture(null) : open.ready();
    if (ready.isDone()) {
      return ready;
    }
    long leftNanos = budget.time().toNanos() - (System.nanoTime() - startNanos);
    return CompletableFuture.anyOf(ready, end)
        .<Void>thenApply(_ -> null)
        .completeOnTimeout(null, leftNanos + 1, TimeUnit.NANOSECONDS);
  }

  @Override
  public EventView event() {
    EventView event = shown;
    if (event == null || cursor == null) {
      throw new IllegalStateException("no current event");
    }
    return event;
  }

  @Override
  public ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? finished : finished.plus(open.statistics());
  }

  @Override
  public void close() {
    closeCursor();
    endGroup();
    if (!closed) {
      closed = true;
      watch.holds(-watch.unreadBytes());
      whenClosed.accept(this);
    }
  }
}
