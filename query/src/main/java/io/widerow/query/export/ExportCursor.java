package io.widerow.query.export;

import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.query.PartitionSpans;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The events of an export, in order. An export may take hours, and a view that is open so long
/// would pin every file that was merged or removed in that time. So the cursor takes a new view
/// from time to time, and continues in it after the last event:
///
/// ```
///   view 1   e1 e2 e3|
///   view 2           |e4 e5 e6 e7|
///   view 3                       |e8 ...      each event once, whatever was sealed or merged
/// ```
///
/// Events that exist at the start have fixed positions in the order and are in each view. The range
/// ends at the latest of now and the last event there, so that an export also ends while events
/// arrive.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: that of a [RangeReader]. Owns its views.
public final class ExportCursor implements EventCursor {
  /// The longest time for which a view is kept.
  public static final Duration KEPT = Duration.ofSeconds(10);

  private static final int LOOKS_EVERY = 256; // events between two looks at the clock

  private final Supplier<StoreView> views;
  private final QueryMemory memory;
  private final long keptNanos;
  private final LongSupplier nanoTime;
  private final RangeQuery query;
  private final long eventsExpected;
  private StoreView view;
  private volatile RangeReader reader; // of the view
  private long openedNanos;
  private int untilLook = LOOKS_EVERY; // counts down; begins again with each view
  private ScanStatistics finished = ScanStatistics.NONE; // of the views before
  private volatile boolean cancelled;
  private boolean closed;

  /// @param views makes a view of the store as it is
  /// @param memory that all queries share
  /// @param nowNanos the time of the store's clock, in nanoseconds since the Unix epoch
  /// @param kept how long a view is kept, see [#KEPT]
  /// @param nanoTime the monotonic clock
  public ExportCursor(
      Supplier<StoreView> views,
      RangeQuery query,
      QueryMemory memory,
      long nowNanos,
      Duration kept,
      LongSupplier nanoTime) {
    this.views = views;
    this.memory = memory;
    this.keptNanos = kept.toNanos();
    this.nanoTime = nanoTime;
    this.view = views.get();
    try {
      this.query = bounded(query, view, nowNanos);
      this.eventsExpected = expected(this.query, view);
      this.reader = RangeReader.open(view, this.query, QueryBudget.DEFAULT, memory);
    } catch (Throwable failure) {
      view.close();
      throw failure;
    }
    this.openedNanos = nanoTime.getAsLong();
  }

  /// Ends the range directly after the last event that is there, or now if that is later.
  private static RangeQuery bounded(RangeQuery query, StoreView view, long nowNanos) {
    long last =
        view.types(query.types()).stream().mapToLong(TypeInfo::timeLastNanos).max().orElse(0);
    long end = Math.max(nowNanos, Math.min(last, TimeUuid.NANOS_LIMIT - TimeUuid.NANOS_PER_TICK));
    long tick = end - Math.floorMod(end, TimeUuid.NANOS_PER_TICK);
    long until = Math.min(query.untilNanos(), tick + TimeUuid.NANOS_PER_TICK);
    return until <= query.fromNanos() ? query : query.withRange(query.fromNanos(), until);
  }

  /// An upper bound of the number of events; 0 when it is unknown: with a filter, after a token, or
  /// when it would have to be asked for.
  private static long expected(RangeQuery query, StoreView view) {
    if (!(query.filter() instanceof Filter.Everything)
        || query.derived() != null
        || query.after() != null) {
      return 0;
    }
    long[] sum = {0};
    boolean[] isKnown = {true};
    PartitionSpans.forEach(
        view,
        query.types(),
        query.fromNanos(),
        query.untilNanos(),
        partitions -> {
          for (PartitionInfo info : partitions) {
            isKnown[0] &= info.events() != PartitionInfo.EVENTS_UNKNOWN;
            sum[0] += info.events();
          }
        });
    return isKnown[0] ? sum[0] : 0;
  }

  /// End of the range, exclusive, in nanoseconds since the Unix epoch.
  public long untilNanos() {
    return query.untilNanos();
  }

  /// An upper bound of the number of events; 0 when it is unknown.
  public long eventsExpected() {
    return eventsExpected;
  }

  @Override
  public Step next() {
    if (untilLook == 0) { // the reader is at an event
      untilLook = LOOKS_EVERY;
      if (nanoTime.getAsLong() - openedNanos > keptNanos) {
        renew(Token.of(reader.event()));
      }
    }
    Step step = reader.next();
    if (step == Step.EVENT) {
      untilLook--;
    }
    return step;
  }

  private void renew(Token position) {
    StoreView next = views.get();
    finished = finished.plus(reader.statistics());
    reader.close();
    view.close();
    view = next;
    reader = RangeReader.open(view, query.withAfter(position), QueryBudget.DEFAULT, memory);
    openedNanos = nanoTime.getAsLong();
    if (cancelled) { // while the reader was made, which was not cancelled
      reader.cancel();
    }
  }

  /// Ends the export with [io.widerow.query.QueryException.Stopped] soon.
  public void cancel() {
    cancelled = true;
    reader.cancel();
  }

  @Override
  public CompletableFuture<Void> ready() {
    return reader.ready();
  }

  @Override
  public EventView event() {
    return reader.event();
  }

  @Override
  public ScanStatistics statistics() {
    return finished.plus(reader.statistics());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      reader.close();
      view.close();
    }
  }
}
