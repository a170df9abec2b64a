package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Verifies the store in a cluster: every directory, and every value that readers show. It checks
/// that values are there and are those of their keys, checksums of values and of all their blocks,
/// counts, the order of events, that parts have no gap, and that no event is shown twice. It
/// changes nothing, and daemons may run concurrently.
///
/// Expired partitions are not checked. Segments that no reader shows (covered by a merge, of a
/// merge that did not come into force, of a round that is being applied) are only counted.
///
/// - Threads: one; it waits for the cluster.
/// - Memory: as a merge of one partition.
public final class ClusterVerifier {
  private static final int TRIES = 5;
  private static final int DAMAGE_MAX = 10_000;

  private final Keyspace keyspace;
  private final ClusterPolicies policies;
  private final long nowNanos;
  private final boolean probing;
  private final Progress progress;
  private final List<Damage> damage = new ArrayList<>();
  private final Sums sums = new Sums();

  /// Numbers of a verification.
  static final class Sums {
    long partitions;
    long segments;
    long blocks;
    long events;
    long bytes;
    long hidden;
    long unapplied;
  }

  /// Called after each partition.
  @FunctionalInterface
  public interface Progress {
    /// @param done partitions that were verified
    /// @param known partitions of the spans so far
    /// @param bytes of values that were read
    /// @param partition that was verified last
    void verified(long done, long known, long bytes, PartitionKey partition);
  }

  /// Result of a verification.
  ///
  /// @param partitions that were looked at
  /// @param segments that readers show
  /// @param blocks in them
  /// @param events in them
  /// @param bytes of their values
  /// @param damage all damage found, up to 10,000; the file of each is a segment's key
  /// @param remarks harmless findings, in sentences
  public record Verification(
      long partitions,
      long segments,
      long blocks,
      long events,
      long bytes,
      List<Damage> damage,
      List<String> remarks) {
    public Verification {
      damage = List.copyOf(damage);
      remarks = List.copyOf(remarks);
    }
  }

  private ClusterVerifier(
      Keyspace keyspace,
      ClusterPolicies policies,
      long nowNanos,
      boolean probing,
      Progress progress) {
    this.keyspace = keyspace;
    this.policies = policies;
    this.nowNanos = nowNanos;
    this.probing = probing;
    this.progress = progress;
  }

  /// Verifies a keyspace.
  ///
  /// @param policies refreshed before
  /// @param wanted the partitions to look at
  /// @param probing true to look for values after the last part that the directory names, too: one
  ///   request more for each round and partition
  /// @param nowNanos the wall clock, nanoseconds since the Unix epoch
  /// @throws KeyspaceException when the keyspace cannot be asked
  public static Verification verify(
      Keyspace keyspace,
      ClusterPolicies policies,
      Predicate<PartitionKey> wanted,
      boolean probing,
      long nowNanos,
      Progress progress) {
    return new ClusterVerifier(keyspace, policies, nowNanos, probing, progress).verify(wanted);
  }

  private Verification verify(Predicate<PartitionKey> wanted) {
    Waits.of(policies.refresh());
    long known = 0;
    List<String> spans = new ArrayList<>(Waits.of(keyspace.spans()));
    spans.sort(Comparator.comparing(Bucket::parse));
    for (String span : spans) {
      List<PartitionKey> partitions =
          Spans.widest(Waits.of(keyspace.buckets(span))).stream()
              .filter(row -> !isExpired(row))
              .flatMap(row -> row.partitions().stream())
              .filter(wanted)
              .sorted()
              .toList();
      known += partitions.size();
      for (PartitionKey partition : partitions) {
        verify(partition);
        progress.verified(++sums.partitions, known, sums.bytes, partition);
      }
    }
    return new Verification(
        sums.partitions, sums.segments, sums.blocks, sums.events, sums.bytes, damage, remarks());
  }

  private boolean isExpired(BucketRow row) {
    Bucket bucket = row.bucket();
    return policies.isExpired(row.type(), bucket.untilNanos(), nowNanos);
  }

  private List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    if (sums.hidden > 0) {
      remarks.add(
          "%d segments that merges have covered or given up; deleted by a daemon"
              .formatted(sums.hidden));
    }
    if (sums.unapplied > 0) {
      remarks.add("%d segments of rounds that are being applied".formatted(sums.unapplied));
    }
    if (damage.size() >= DAMAGE_MAX) {
      remarks.add("more damage than %d findings was not listed".formatted(DAMAGE_MAX));
    }
    return remarks;
  }

  private void verify(PartitionKey partition) {
    for (int i = 1; ; i++) {
      Writers writers = new Writers(Waits.of(keyspace.daemons()), nowNanos / 1_000_000);
      Directory directory = Waits.of(keyspace.directory(partition));
      List<DirectoryRow> shown = new ArrayList<>(MergeSources.merged(directory));
      shown.addAll(MergeSources.applied(directory, writers.stamps()));
      PartitionWalk walk = new PartitionWalk(keyspace, shown);
      walk.walk();
      checkParts(directory, shown, walk);
      if (walk.damage().isEmpty() || i == TRIES || !isMerged(directory)) {
        walk.damage().stream().limit(DAMAGE_MAX - damage.size()).forEach(damage::add);
        sums.blocks += walk.blocks();
        count(directory, shown);
        return;
      }
    }
  }

  /// True when a merge has changed the directory since it was read: a missing segment may be
  /// deleted.
  private boolean isMerged(Directory before) {
    Directory now = Waits.of(keyspace.directory(before.partition()));
    return now.generation() != before.generation() || !now.rows().containsAll(before.rows());
  }

  private void checkParts(Directory directory, List<DirectoryRow> shown, PartitionWalk walk) {
    if (directory.generation() != 0 && MergeSources.merged(directory).isEmpty()) {
      walk.add(
          new SegmentKey(directory.partition(), SegmentKey.MERGED, 0, directory.generation(), 0),
          "the directory says that this merge is in force, and has no row of it");
    }
    List<DirectoryRow> ordered = new ArrayList<>(shown);
    ordered.sort(
        Comparator.comparing(
            DirectoryRow::key,
            Comparator.comparingInt(SegmentKey::tier)
                .thenComparingInt(SegmentKey::daemon)
                .thenComparingLong(SegmentKey::seq)
                .thenComparingInt(SegmentKey::part)));
    DirectoryRow before = null;
    for (DirectoryRow row : ordered) {
      boolean follows = before != null && isSameSeries(before.key(), row.key());
      int part = follows && before != null ? before.key().part() + 1 : 0;
      if (row.key().part() != part) {
        walk.add(row.key(), "the part before is missing");
      } else if (follows && before != null && before.last().compareTo(row.first()) >= 0) {
        walk.add(row.key(), "it starts before the end of the part before");
      }
      if (before != null && !follows) {
        probe(before.key(), walk);
      }
      before = row;
    }
    if (before != null) {
      probe(before.key(), walk);
    }
  }

  private static boolean isSameSeries(SegmentKey a, SegmentKey b) {
    return a.tier() == b.tier() && a.daemon() == b.daemon() && a.seq() == b.seq();
  }

  private void probe(SegmentKey last, PartitionWalk walk) {
    SegmentKey next =
        new SegmentKey(last.partition(), last.tier(), last.daemon(), last.seq(), last.part() + 1);
    if (probing && Waits.of(keyspace.value(next, true)) != null) {
      walk.add(next, "there is a value, and the directory has no row");
    }
  }

  private void count(Directory directory, List<DirectoryRow> shown) {
    Set<SegmentKey> keys = new HashSet<>();
    for (DirectoryRow row : shown) {
      keys.add(row.key());
      sums.segments++;
      sums.events += row.events();
      sums.bytes += row.bytes();
    }
    for (DirectoryRow row : directory.rows()) {
      if (!keys.contains(row.key())) {
        if (row.key().tier() == SegmentKey.APPLIED && directory.isShown(row.key())) {
          sums.unapplied++;
        } else {
          sums.hidden++;
        }
      }
    }
  }
}
