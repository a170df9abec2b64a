package io.widerow.storage.embedded;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventChange;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import io.widerow.storage.live.ChangeCount;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.maintenance.ReparseWork;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Changes stored events of an open store: each file that holds some is written again, one bucket
/// in each step, and a step is done as a whole or not at all.
///
/// - Threads: any. [#run] waits until all is done, and merges and seals go first.
public final class ReparseControl {
  private static final long SEAL_MILLIS_MAX = 30_000;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final StoreContents contents;
  private final Merger merger;
  private final Supplier<List<EmbeddedLane>> lanes;
  private final Runnable requireOpen;

  /// @param requireOpen throws while the store may not be changed yet
  ReparseControl(
      StoreContents contents,
      Merger merger,
      Supplier<List<EmbeddedLane>> lanes,
      Runnable requireOpen) {
    this.contents = contents;
    this.merger = merger;
    this.lanes = lanes;
    this.requireOpen = requireOpen;
  }

  /// Which events may change.
  ///
  /// @param fromNanos first time, nanoseconds since the Unix epoch
  /// @param untilNanos first time after
  /// @param change of an event of these types and times; it makes nothing more of its own results
  public record Asked(
      Predicate<String> types, long fromNanos, long untilNanos, EventChange change) {}

  /// The result.
  ///
  /// @param events that were changed, or would be
  /// @param partitions with such events
  /// @param files that were written again
  /// @param before digest of the events of these files before; of a plan of those that queries show
  /// @param after the same after: as each event was to become
  /// @param open events of these types that lie in open rows and were left as they are
  /// @param damaged files that were left out and may hold such events
  public record Report(
      long events,
      int partitions,
      int files,
      String before,
      String after,
      long open,
      int damaged) {}

  /// The number of events that [#run] would change now, and of their partitions. Changes nothing.
  /// The digests are of all events of the types and times as queries show them, now and as they
  /// would be: a plan after the run has the digest `after` as its digest `before`.
  public Report plan(Asked asked, StoreView view) {
    List<PartitionKey> keys =
        view.partitions(asked.types, asked.fromNanos, asked.untilNanos, null).stream()
            .map(PartitionInfo::key)
            .toList();
    var all = new Plan(asked);
    all.read(keys, view, Long.MAX_VALUE); // an id may have writes in two keys
    int partitions = 0;
    for (PartitionKey key : all.changed == 0 ? List.<PartitionKey>of() : keys) {
      var one = new Plan(asked);
      one.read(List.of(key), view, 1);
      partitions += (int) one.changed;
    }
    String before = all.before.digest().text();
    return new Report(all.changed, partitions, 0, before, all.after.digest().text(), 0, 0);
  }

  /// Counts what would change.
  private static final class Plan {
    private final Asked asked;
    private final EventHash hash = EventHash.asWritten();
    private final EventDigest.Sum before = new EventDigest.Sum();
    private final EventDigest.Sum after = new EventDigest.Sum();
    private long changed;

    Plan(Asked asked) {
      this.asked = asked;
    }

    @SuppressWarnings("ReferenceEquality") // an event that stays is the same object
    void read(List<PartitionKey> keys, StoreView view, long most) {
      try (EventCursor events = view.open(keys, Scan.all())) {
        while (changed < most && EventCursor.nextLocal(events)) {
          EventView event = events.event();
          long nanos = event.timeNanos();
          if (nanos >= asked.fromNanos && nanos < asked.untilNanos) {
            before.add(hash, event);
            EventView next = asked.change.of(event);
            changed += next == event ? 0 : 1;
            after.add(hash, next == null ? event : next);
          }
        }
      }
    }
  }

  /// Changes the events. Rows are sealed first. Each step is durable or changes nothing, and what
  /// it wrote is read back and compared by digest. After a kill another run goes on.
  ///
  /// @throws StorageException when a step failed; those before it stay done
  /// @throws InterruptedException when the thread was interrupted while it waited
  public Report run(Asked asked) throws InterruptedException {
    requireOpen.run();
    contents.requireWriting();
    if (contents.isDrained()) {
      throw new IllegalStateException("a store that is drained writes nothing again");
    }
    long arrivals = contents.arrivals().get();
    lanes.get().forEach(EmbeddedLane::requestSeal);
    long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SEAL_MILLIS_MAX);
    while (open(asked, arrivals) > 0 && System.nanoTime() < giveUp) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    long open = open(asked, arrivals);
    ReparseWork.Report done;
    try (ChangeCount.Change _ = contents.changes().begin()) {
      done =
          merger.rewrite(
              new ReparseWork(
                  new ReparseWork.Asked(
                      asked.types, asked.fromNanos, asked.untilNanos, asked.change)));
    }
    return new Report(
        done.events(),
        done.partitions(),
        done.files(),
        done.before().text(),
        done.after().text(),
        open,
        done.damaged());
  }

  /// Events of the asked types in rows that were opened before an arrival number was given.
  private long open(Asked asked, long arrivals) {
    long events = 0;
    for (OpenRows rows : contents.state().rows()) {
      try (OpenRows.View view = rows.view()) {
        if (view != null && rows.arrivalFirst() < arrivals) {
          for (OpenRow row : view.rows()) {
            events += asked.types.test(row.key.type()) ? view.info(row).events() : 0;
          }
        }
      }
    }
    return events;
  }
}
