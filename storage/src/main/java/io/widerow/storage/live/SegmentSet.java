package io.widerow.storage.live;

import io.widerow.event.Bucket;
import io.widerow.storage.Damage;
import io.widerow.storage.disk.Lease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/// The live segments of a moment, by bucket. Whoever reads takes one lease on all of them: it costs
/// the same however many there are.
///
/// - Threads: any; never changes.
/// - Memory: keeps the files of its segments while the owner or any reader holds a lease.
public final class SegmentSet implements AutoCloseable {
  private final NavigableMap<Bucket, List<LiveSegment>> byBucket;
  private final List<LiveSegment> all;
  private final Lease lease;

  /// An empty one.
  SegmentSet() {
    this(new TreeMap<>());
  }

  private SegmentSet(NavigableMap<Bucket, List<LiveSegment>> byBucket) {
    this.byBucket = Collections.unmodifiableNavigableMap(byBucket);
    this.all = byBucket.values().stream().flatMap(List::stream).toList();
    this.lease = new Lease(() -> all.forEach(LiveSegment::release));
    for (LiveSegment segment : all) {
      if (!segment.tryAcquire()) {
        throw new IllegalStateException(segment.entry().fileName() + " is closed already");
      }
    }
  }

  /// Another set. The owners of all segments in it still hold their leases.
  SegmentSet replaced(Collection<LiveSegment> added, Collection<LiveSegment> removed) {
    Set<LiveSegment> gone = new HashSet<>(removed);
    NavigableMap<Bucket, List<LiveSegment>> changed = new TreeMap<>(byBucket);
    for (LiveSegment segment : gone) {
      changed.computeIfPresent(
          bucketOf(segment),
          (_, list) -> {
            List<LiveSegment> left = list.stream().filter(s -> !gone.contains(s)).toList();
            return left.isEmpty() ? null : left;
          });
    }
    for (LiveSegment segment : added) {
      changed.merge(
          bucketOf(segment),
          List.of(segment),
          (list, one) -> {
            List<LiveSegment> more = new ArrayList<>(list);
            more.addAll(one);
            return List.copyOf(more);
          });
    }
    return new SegmentSet(changed);
  }

  /// The bucket that all partitions of a segment are of.
  public static Bucket bucketOf(LiveSegment segment) {
    return new Bucket(segment.entry().bucketMinutes(), segment.entry().widthMinutes());
  }

  public List<LiveSegment> all() {
    return all;
  }

  /// What is wrong with them, as far as anybody has looked.
  public Stream<Damage> damage() {
    return all.stream().map(LiveSegment::known).filter(Objects::nonNull);
  }

  public NavigableSet<Bucket> buckets() {
    return byBucket.navigableKeySet();
  }

  /// Those of a bucket; none when it has none.
  public List<LiveSegment> of(Bucket bucket) {
    return byBucket.getOrDefault(bucket, List.of());
  }

  /// Keeps all of them open until [#release]; false when there is a newer set.
  public boolean tryAcquire() {
    return lease.tryAcquire();
  }

  /// @param others close and delete the files that nobody else keeps: a reader should not wait for
  ///   that
  public void release(Executor others) {
    lease.release(others);
  }

  /// Gives the owner's lease back.
  @Override
  public void close() {
    lease.close();
  }
}
