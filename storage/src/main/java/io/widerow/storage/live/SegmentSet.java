package io.widerow.storage.live;

import io.widerow.event.Bucket;
import io.widerow.storage.Damage;
import io.widerow.storage.disk.Lease;
import java.util.ArrayList;
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

/// Immutable set of live segments, by bucket. A reader takes one lease on the whole set, at a cost
/// that does not depend on its size.
///
/// - Threads: any; immutable.
/// - Memory: keeps its segments' files open while the owner or any reader holds a lease.
public final class SegmentSet implements AutoCloseable {
  private final NavigableMap<Bucket, List<LiveSegment>> byBucket; // of a day at most
  private final NavigableMap<Bucket, List<LiveSegment>> byWideBucket;
  private final List<LiveSegment> all;
  private final List<LiveFigures> figures;
  private final Lease lease;

  /// An empty set.
  SegmentSet() {
    this(new TreeMap<>(), new TreeMap<>(), List.of());
  }

  private SegmentSet(
      NavigableMap<Bucket, List<LiveSegment>> byBucket,
      NavigableMap<Bucket, List<LiveSegment>> byWideBucket,
      List<LiveFigures> figures) {
    this.figures = figures;
    this.byBucket = Collections.unmodifiableNavigableMap(byBucket);
    this.byWideBucket = Collections.unmodifiableNavigableMap(byWideBucket);
    this.all =
        Stream.of(byWideBucket, byBucket)
            .flatMap(map -> map.values().stream())
            .flatMap(List::stream)
            .toList();
    this.lease = new Lease(() -> files().forEach(LiveFile::release));
    files().forEach(LiveFile::acquire);
  }

  private Stream<LiveFile> files() {
    return Stream.of(all, figures).flatMap(List::stream);
  }

  /// Another set. The owner's lease on every file in it must still be held.
  SegmentSet replaced(SegmentReplacement swap) {
    Set<LiveSegment> gone = new HashSet<>(swap.removed());
    NavigableMap<Bucket, List<LiveSegment>> changed = new TreeMap<>(byBucket);
    NavigableMap<Bucket, List<LiveSegment>> changedWide = new TreeMap<>(byWideBucket);
    for (LiveSegment segment : gone) {
      Bucket bucket = bucketOf(segment);
      (bucket.isWide() ? changedWide : changed)
          .computeIfPresent(
              bucket,
              (_, list) -> {
                List<LiveSegment> left = list.stream().filter(s -> !gone.contains(s)).toList();
                return left.isEmpty() ? null : left;
              });
    }
    for (LiveSegment segment : swap.written()) {
      Bucket bucket = bucketOf(segment);
      (bucket.isWide() ? changedWide : changed)
          .merge(
              bucket,
              List.of(segment),
              (list, one) -> {
                List<LiveSegment> more = new ArrayList<>(list);
                more.addAll(one);
                return List.copyOf(more);
              });
    }
    return new SegmentSet(changed, changedWide, swap.after(figures));
  }

  /// The bucket of all of a segment's partitions.
  public static Bucket bucketOf(LiveSegment segment) {
    return new Bucket(segment.entry().bucketMinutes(), segment.entry().widthMinutes());
  }

  public List<LiveSegment> all() {
    return all;
  }

  /// Files of aggregates whose events are gone.
  public List<LiveFigures> figures() {
    return figures;
  }

  /// The damage found so far in these files.
  public Stream<Damage> damage() {
    return files().map(LiveFile::known).filter(Objects::nonNull);
  }

  /// The buckets of a day at most, and the wide ones, in the form for [BucketSpans].
  public List<NavigableSet<Bucket>> buckets() {
    return List.of(byBucket.navigableKeySet(), byWideBucket.navigableKeySet());
  }

  /// The segments of a bucket, possibly none.
  public List<LiveSegment> of(Bucket bucket) {
    return (bucket.isWide() ? byWideBucket : byBucket).getOrDefault(bucket, List.of());
  }

  /// The data of each type on the disk, by bucket, one entry for each partition.
  public Iterable<RetentionSnapshot.Weight> weights() {
    return () -> all.stream().flatMap(LiveSegment::weights).iterator();
  }

  /// Keeps all segments open until [#release]. Returns false when the set is closed because a newer
  /// one exists.
  public boolean tryAcquire() {
    return lease.tryAcquire();
  }

  /// @param others closes and deletes files without another holder, so that a reader does not wait
  ///   for that
  public void release(Executor others) {
    lease.release(others);
  }

  /// Releases the owner's lease.
  @Override
  public void close() {
    lease.close();
  }
}
