package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Filters;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The source and the limits of one query that takes several reads.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: counts what the result holds, until [#close]. Does not own the view.
public class QueryExecution implements AutoCloseable {
  /// Other threads at most that help with a query.
  private static final int HELPERS_MAX =
      Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, 8);

  private final StoreView view;
  private final QueryBudget budget;
  private final QueryMemory memory;
  private final long startNanos = System.nanoTime();
  private final HeldMemory held;
  private final HeldMemory passing;
  private long heldMax = Long.MAX_VALUE;
  private Consumer<RangeQuery> opened = _ -> {};
  private long eventsScanned;
  private long eventsKept;
  private long bytesRead;
  private volatile boolean cancelled;
  private volatile @Nullable RangeReader reading;

  /// @param memory the budget that it shares with other queries
  public QueryExecution(StoreView view, QueryBudget budget, QueryMemory memory) {
    this.view = view;
    this.budget = budget;
    this.memory = memory;
    this.held = new HeldMemory(memory);
    this.passing = new HeldMemory(memory);
    budget.limitFetches(view, memory, () -> StoreView.Elsewhere.NONE);
  }

  public final StoreView view() {
    return view;
  }

  public final QueryMemory memory() {
    return memory;
  }

  /// Hands over each query that is opened from now on.
  public final void whenOpened(Consumer<RangeQuery> watch) {
    opened = watch;
  }

  /// Opens a reader, whose cost counts when the caller has closed it.
  public final RangeReader open(RangeQuery query) {
    return open(view, query, ReadMode.IN_ORDER);
  }

  /// The same in another mode than in order.
  public final RangeReader open(RangeQuery query, ReadMode mode) {
    return open(view, query, mode);
  }

  /// The same over some partitions of the view.
  public final RangeReader open(StoreView some, RangeQuery query, ReadMode mode) {
    check();
    opened.accept(query);
    RangeReader reader = RangeReader.open(some, query, mode, budget, memory);
    reader.whenClosed(this::add);
    reading = reader;
    if (cancelled) {
      reader.cancel();
    }
    return reader;
  }

  /// The partitions that may have events of a range.
  public final List<PartitionKey> partitions(RangeQuery range) {
    check();
    List<PartitionKey> keys = new ArrayList<>();
    PartitionSpans.forEach(
        view,
        type -> range.types().test(type) && Filters.mayKeepType(range.filter(), type),
        range.fromNanos(),
        range.untilNanos(),
        partitions -> {
          check();
          hold(PartitionSpans.BYTES * partitions.size());
          partitions.forEach(partition -> keys.add(partition.key()));
        });
    return keys;
  }

  /// All attributes that the events of a range may have; null when only the events have them, see
  /// [StoreView#attributeNames].
  public final @Nullable Set<AttributeName> attributeNames(RangeQuery range) {
    return attributeNames(partitions(range), range);
  }

  /// The same for a range whose partitions are known.
  public final @Nullable Set<AttributeName> attributeNames(
      List<PartitionKey> partitions, RangeQuery range) {
    check();
    return view.attributeNames(partitions, range.toScan().withWatch(new ScanWatch(this::check)));
  }

  /// The scan of a range in partitions in which the store assigned every id, such as those of
  /// [StoreView#sealedValues]. It ends with this query.
  public final Scan scan(RangeQuery range) {
    return range.ofAssigned().withWatch(new ScanWatch(this::check));
  }

  private void add(RangeReader reader) {
    eventsScanned += reader.eventsScanned();
    eventsKept += reader.statistics().eventsKept();
    bytesRead += reader.statistics().bytesRead();
  }

  /// Counts memory that the result holds from now on.
  ///
  /// @throws QueryException.OverBudget when there is none left
  public final void hold(long bytesMore) {
    if (bytesMore > 0 && held.bytes() + bytesMore > heldMax) {
      throw new QueryException.OverBudget(
          "bytes of memory of a part", heldMax, held.bytes() + bytesMore, "divide the query");
    }
    held.accept(bytesMore);
  }

  /// Limits what [#hold] may hold from now on, for a query that can do with less in several parts.
  ///
  /// @param bytesMax [Long#MAX_VALUE] for no other limit than that of all queries
  public final void limitHeld(long bytesMax) {
    heldMax = bytesMax;
  }

  /// Counts memory that the reading of one event takes, or gives it back when negative. It is not
  /// part of [#held].
  ///
  /// @throws QueryException when there is none left, or when the query must end
  public final void holdPassing(long bytesMore) {
    if (bytesMore > 0) {
      check();
    }
    passing.accept(bytesMore);
  }

  /// Releases the memory held since a mark.
  public final void release(long mark) {
    held.accept(mark - held.bytes());
  }

  /// Bytes that are held, a mark for [#release].
  public final long held() {
    return held.bytes();
  }

  /// Does independent pieces of work, some of them on other threads. What they allocate has been
  /// counted before.
  ///
  /// @param piece does the piece of a number below `count`
  /// @throws QueryException.Stopped when the query was cancelled or its time is over
  public final void share(int count, IntConsumer piece) {
    Executor others = view.searchers();
    if (others == null || count < 2) {
      for (int i = 0; i < count; i++) {
        check();
        piece.accept(i);
      }
    } else {
      new SharedWork(count, piece, this::check).run(others, HELPERS_MAX);
    }
  }

  /// @throws QueryException.Stopped when the query was cancelled or its time is over
  public final void check() {
    if (cancelled) {
      throw new QueryException.Stopped("the query was cancelled");
    }
    if (System.nanoTime() - startNanos > budget.time().toNanos()) {
      throw new QueryException.Stopped(
          "the query ran longer than its budget of %d s; narrow it"
              .formatted(budget.time().toSeconds()));
    }
  }

  /// Ends the query soon, with an exception.
  public final void cancel() {
    cancelled = true;
    RangeReader reader = reading;
    if (reader != null) {
      reader.cancel();
    }
  }

  /// Events that were looked at.
  public final long eventsScanned() {
    return eventsScanned;
  }

  /// Events that the store's filter has kept.
  public final long eventsKept() {
    return eventsKept;
  }

  /// Bytes that were read from segments.
  public final long bytesRead() {
    return bytesRead;
  }

  /// Time since the query began, in nanoseconds.
  public final long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  @Override
  public void close() {
    held.close();
    passing.close();
  }
}
