package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.SegmentWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Copies a cluster into a directory: the new events of a bucket since the last run become one
/// segment in final form. Partitions and ids do not change.
///
/// A killed run can be continued: buckets whose segment is in the manifest are done. The next
/// attempt takes from them only events that were applied later.
///
/// An exact copy also loses what the cluster has lost since: a bucket that has more events here
/// than there is written again, whole, and one that is gone there goes. So is a bucket with many
/// segments, so that late events do not make ever more of them.
///
/// - Threads: those of [Workers].
/// - Memory: for each thread one block being encoded, and what its cursors hold.
final class DirectoryLoad {
  private static final int WATCH_EVENTS = 1 << 14;
  private static final int SEGMENTS_MAX = 8; // of a bucket of an exact copy

  private final StoreView view;
  private final DirectoryTarget target;
  private final Workers workers;
  private final MigrationWatch watch;
  private final AtomicLong copied = new AtomicLong();
  private final Set<TypeDay> touched = new TreeSet<>(); // guarded by itself
  private long ownVersion;

  /// @param view of the cluster
  DirectoryLoad(StoreView view, DirectoryTarget target, Workers workers, MigrationWatch watch) {
    this.view = view;
    this.target = target;
    this.workers = workers;
    this.watch = watch;
  }

  /// Copies the new events.
  void run() {
    run(false, List.of());
  }

  /// Copies the new events, and removes those that the cluster has no more.
  ///
  /// @param retention of the cluster
  void runExactly(List<RetentionPolicy> retention) {
    run(true, retention);
  }

  private void run(boolean exactly, List<RetentionPolicy> retention) {
    if (!(view.arrivals() instanceof ClusterArrivals to)) {
      throw new IllegalStateException("not a cluster: " + view.arrivals());
    }
    ClusterArrivals done = target.record().done();
    if (!exactly && to.equals(done) && target.record().attempts().isEmpty()) {
      return;
    }
    SortedMap<Bucket, List<PartitionKey>> buckets = new TreeMap<>();
    List<PartitionInfo> partitions = Views.partitions(view, done);
    for (PartitionInfo info : partitions) {
      buckets.computeIfAbsent(Bucket.of(info.key()), _ -> new ArrayList<>()).add(info.key());
    }
    boolean known = partitions.stream().allMatch(info -> info.events() >= 0);
    watch.begin("copying", known ? partitions.stream().mapToLong(PartitionInfo::events).sum() : 0);
    ownVersion = target.begin(to);
    workers.run(buckets.entrySet(), entry -> copy(entry.getKey(), entry.getValue()));
    if (exactly) {
      correct();
      target.retain(retention);
    }
    target.finish(to);
  }

  /// Writes buckets again that are not as in the cluster. The cluster counts replaced events until
  /// it merges them, and never fewer than it shows, so a bucket that is equal is not written again.
  private void correct() {
    ClusterArrivals none = new ClusterArrivals(Map.of()); // all is new: every directory is read
    SortedMap<Bucket, List<PartitionInfo>> there = new TreeMap<>();
    for (PartitionInfo info : Views.partitions(view, none)) {
      there.computeIfAbsent(Bucket.of(info.key()), _ -> new ArrayList<>()).add(info);
    }
    workers.run(
        target.buckets().entrySet(),
        entry -> {
          List<SegmentEntry> here = entry.getValue();
          List<PartitionInfo> infos = there.getOrDefault(entry.getKey(), List.of());
          if (infos.isEmpty()) {
            target.remove(here);
          } else if (here.size() > SEGMENTS_MAX || hasMore(here, infos)) {
            List<PartitionKey> keys = infos.stream().map(PartitionInfo::key).toList();
            keys.forEach(this::touch);
            target.replace(
                here, keys.getFirst(), writer -> new BucketCopy(writer, null).copy(keys));
          }
        });
  }

  /// Whether a bucket has more events of some partition than the cluster.
  private static boolean hasMore(List<SegmentEntry> here, List<PartitionInfo> there) {
    Map<PartitionKey, Long> left = new HashMap<>();
    there.forEach(info -> left.put(info.key(), info.events()));
    return here.stream()
        .flatMap(entry -> entry.infos().stream())
        .anyMatch(info -> left.merge(info.key(), -info.events(), Long::sum) < 0);
  }

  /// Events that were written.
  long copied() {
    return copied.get();
  }

  /// Days that this run and the runs that it continues wrote to.
  Set<TypeDay> touched() {
    synchronized (touched) {
      return new HashSet<>(touched);
    }
  }

  private void copy(Bucket bucket, List<PartitionKey> keys) {
    ClusterArrivals done = target.doneOf(bucket);
    if (!Objects.equals(done, target.record().done())) {
      keys.forEach(this::touch);
    }
    long bytes = target.add(keys.getFirst(), writer -> new BucketCopy(writer, done).copy(keys));
    watch.moved(0, bytes);
  }

  private void touch(PartitionKey key) {
    synchronized (touched) {
      touched.add(TypeDay.of(key));
    }
  }

  /// The copy of one bucket.
  ///
  /// - Threads: one.
  private final class BucketCopy {
    private final SegmentWriter writer;
    private final @Nullable ClusterArrivals done;
    private final MappedEvent mapped = MappedEvent.toDirectory(ownVersion);
    private final Map<String, List<PartitionKey>> overlapping = new HashMap<>();
    private long counterLimit;
    private long moved;

    BucketCopy(SegmentWriter writer, @Nullable ClusterArrivals done) {
      this.writer = writer;
      this.done = done;
    }

    long copy(List<PartitionKey> keys) {
      keys.forEach(this::copy);
      tell();
      return counterLimit;
    }

    private void copy(PartitionKey key) {
      boolean begun = false;
      try (UpsertResolution winners = new UpsertResolution(view, () -> overlapping(key));
          EventCursor events = view.open(List.of(key), Scan.all().withSince(done))) {
        while (Views.next(events)) {
          EventView event = events.event();
          if (event.version() != EventLayout.VERSION_ASSIGNED && !winners.isShown(event)) {
            continue;
          }
          if (!begun) {
            begun = true;
            writer.begin(key);
            touch(key);
          }
          mapped.show(event);
          writer.add(mapped);
          counterLimit = Math.max(counterLimit, mapped.arrival() + 1);
          if (++moved == WATCH_EVENTS) {
            tell();
          }
        }
      }
    }

    private void tell() {
      copied.addAndGet(moved);
      watch.moved(moved, 0);
      moved = 0;
    }

    /// All partitions that may have other writes of the same ids.
    private List<PartitionKey> overlapping(PartitionKey key) {
      return overlapping.computeIfAbsent(
          key.type(),
          type ->
              view.partitions(type::equals, key.fromNanos(), key.untilNanos()).stream()
                  .map(PartitionInfo::key)
                  .toList());
    }
  }
}
