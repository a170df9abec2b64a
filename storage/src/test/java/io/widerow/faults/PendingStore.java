package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.ClockReport;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.WouldBlockException;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.FilterCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A store that responds like a store on other machines: every first step of a cursor, and some
/// later steps, are [EventCursor.Step#PENDING] until another thread completes them; a view comes
/// late; a read that must not block ends at once; and the number of events of a partition is often
/// unknown. It shows the contents of the store that it wraps.
///
/// Partitions are opened one by one, some late, and merged here, so that the merge meets inputs
/// that are not ready.
///
/// - Threads: any, as the store.
/// - Memory: owns the store.
public final class PendingStore implements EventStore {
  private static final int DELAY_MICROS_MAX = 60;
  private static final int STEPS_BETWEEN = 50; // on average, from one later PENDING to the next

  private final EventStore store;
  private final SplittableRandom random; // under its own monitor
  private final AtomicInteger viewsOpen = new AtomicInteger();
  private final AtomicInteger cursorsOpen = new AtomicInteger();
  private final AtomicLong pendings = new AtomicLong();
  private final Semaphore waits = new Semaphore(0);
  private final List<CompletableFuture<Void>> waiting = new ArrayList<>(); // while held
  private boolean held; // under the monitor of `waiting`
  private @Nullable RuntimeException failure; // likewise

  public PendingStore(EventStore store, long seed) {
    this.store = store;
    this.random = new SplittableRandom(seed);
  }

  private SplittableRandom split() {
    synchronized (random) {
      return random.split();
    }
  }

  /// From now on nothing that is waited for comes, until [#release].
  public void hold() {
    synchronized (waiting) {
      held = true;
    }
  }

  /// Completes all pending waits; later waits are short again.
  public void release() {
    List<CompletableFuture<Void>> all;
    synchronized (waiting) {
      held = false;
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(one -> one.complete(null));
  }

  /// From now on every wait fails with this; null ends that.
  public void fail(@Nullable RuntimeException why) {
    synchronized (waiting) {
      failure = why;
    }
  }

  /// Returns when a cursor has begun to wait after [#hold]; each call takes one wait.
  public boolean awaitWait(long seconds) throws InterruptedException {
    return waits.tryAcquire(seconds, TimeUnit.SECONDS);
  }

  /// Fails if a view, or a cursor of partitions, read or not, is open.
  public void assertNothingOpen() {
    assertEquals(0, cursorsOpen.get(), "cursors that are left open");
    assertEquals(0, viewsOpen.get(), "views that are left open");
  }

  /// How often a cursor was not ready.
  public long pendings() {
    return pendings.get();
  }

  private static Executor later(SplittableRandom random) {
    return CompletableFuture.delayedExecutor(
        random.nextInt(DELAY_MICROS_MAX), TimeUnit.MICROSECONDS);
  }

  /// Completes on another thread.
  private CompletableFuture<Void> wait(SplittableRandom random) {
    pendings.incrementAndGet();
    RuntimeException why;
    synchronized (waiting) {
      if (held) {
        CompletableFuture<Void> never = new CompletableFuture<>();
        waiting.add(never);
        waits.release();
        return never;
      }
      why = failure;
    }
    return CompletableFuture.runAsync(
        () -> {
          if (why != null) {
            throw why;
          }
        },
        later(random));
  }

  @Override
  public StoreView view() {
    SplittableRandom own = split();
    return CompletableFuture.supplyAsync(() -> new View(store.view(), own), later(own)).join();
  }

  @Override
  public StoreView viewWithin(long nanos) {
    throw new WouldBlockException();
  }

  /// A view of the wrapped store, late.
  private final class View implements StoreView {
    private final StoreView view;
    private final SplittableRandom random; // under its own monitor

    View(StoreView view, SplittableRandom random) {
      this.view = view;
      this.random = random;
      viewsOpen.incrementAndGet();
    }

    @Override
    public List<PartitionInfo> partitions(
        Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since) {
      return view.partitions(types, fromNanos, untilNanos, since).stream()
          .map(info ->
              (info.key().hashCode() & 1) == 0
                  ? info
                  : new PartitionInfo(
                      info.key(),
                      PartitionInfo.EVENTS_UNKNOWN,
                      info.timeFirstNanos(),
                      info.timeLastNanos()))
          .toList();
    }

    @Override
    public List<TypeInfo> types(Predicate<String> types) {
      return view.types(types);
    }

    @Override
    public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
      return view.firstSpan(fromNanos, untilNanos, descending);
    }

    @Override
    public Arrivals arrivals() {
      return view.arrivals();
    }

    @Override
    public boolean isExpired(String type, long timeNanos) {
      return view.isExpired(type, timeNanos);
    }

    private SplittableRandom splitOff() {
      synchronized (random) {
        return random.split();
      }
    }

    /// A filter must see the merged events only, as it must in every store.
    @Override
    public EventCursor open(List<PartitionKey> partitions, Scan scan) {
      Scan unfiltered = scan.withFilter(new Filter.Everything()).withColumns(null);
      EventId bound = scan.descending() ? scan.until() : scan.from();
      List<EventCursor> inputs = new ArrayList<>();
      for (PartitionKey key : partitions) {
        SplittableRandom own = splitOff();
        inputs.add(
            switch (own.nextInt(3)) {
              case 0 -> new LazyCursor(bound, () -> one(key, unfiltered, own));
              case 1 ->
                  new OpeningCursor(
                      bound,
                      () ->
                          CompletableFuture.supplyAsync(
                              () -> one(key, unfiltered, own), later(own)));
              default -> one(key, unfiltered, own);
            });
      }
      return new FilterCursor(MergeCursor.of(inputs, scan.descending()), scan.filter());
    }

    private EventCursor one(PartitionKey key, Scan scan, SplittableRandom own) {
      return new Late(view.open(List.of(key), scan), own);
    }

    /// Type by type: an event is replaced only by one of its type.
    @Override
    public EventCursor openUnordered(List<PartitionKey> partitions, Scan scan) {
      Map<String, List<PartitionKey>> byType = new LinkedHashMap<>();
      partitions.forEach(
          key -> byType.computeIfAbsent(key.type(), _ -> new ArrayList<>()).add(key));
      List<EventCursor> inputs = new ArrayList<>();
      byType
          .values()
          .forEach(keys -> inputs.add(new Late(view.openUnordered(keys, scan), splitOff())));
      return new ChainCursor(inputs);
    }

    @Override
    public void close() {
      view.close();
      viewsOpen.decrementAndGet();
    }
  }

  /// A cursor whose events come late.
  private final class Late implements EventCursor {
    private final EventCursor cursor;
    private final SplittableRandom random;
    private @Nullable CompletableFuture<Void> arrived;
    private boolean closed;
    private int left; // steps until the next PENDING

    Late(EventCursor cursor, SplittableRandom random) {
      this.cursor = cursor;
      this.random = random;
      cursorsOpen.incrementAndGet();
    }

    @Override
    public Step next() {
      CompletableFuture<Void> awaited = arrived;
      if (awaited != null) {
        if (!awaited.isDone()) {
          return Step.PENDING;
        }
        awaited.join();
        arrived = null;
        left = random.nextInt(2 * STEPS_BETWEEN);
        return cursor.next();
      }
      if (--left < 0) {
        arrived = PendingStore.this.wait(random);
        return Step.PENDING;
      }
      return cursor.next();
    }

    @Override
    public CompletableFuture<Void> ready() {
      CompletableFuture<Void> awaited = arrived;
      return awaited == null ? CompletableFuture.completedFuture(null) : awaited;
    }

    @Override
    public EventView event() {
      if (arrived != null) {
        throw new IllegalStateException("no current event while the next one is waited for");
      }
      return cursor.event();
    }

    @Override
    public ScanStatistics statistics() {
      return cursor.statistics();
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        cursor.close();
        cursorsOpen.decrementAndGet();
      }
    }
  }

  @Override
  public int lanes() {
    return store.lanes();
  }

  @Override
  public LaneWriter lane(int lane) {
    return store.lane(lane);
  }

  @Override
  public int laneOf(EventId id, int lanesThen) {
    return store.laneOf(id, lanesThen);
  }

  @Override
  public byte[] secret() {
    return store.secret();
  }

  @Override
  public long arrivalNanos() {
    return store.arrivalNanos();
  }

  @Override
  public long nowNanos() {
    return store.nowNanos();
  }

  @Override
  public ClockReport clock() {
    return store.clock();
  }

  @Override
  public void acceptClock() {
    store.acceptClock();
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    store.retain(type, age);
  }

  @Override
  public void maintain() {
    store.maintain();
  }

  @Override
  public StoreStatistics statistics() {
    return store.statistics();
  }

  @Override
  public @Nullable String full() {
    return store.full();
  }

  @Override
  public void close() {
    store.close();
  }
}
