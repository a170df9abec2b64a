package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which partitions of a directory become which of a cluster. Most stay what they are. The catalog
/// of a cluster finds a bucket by its hour or day, so the wide buckets of thin history are taken
/// apart into days:
///
/// ```
///   2026-10-05+8d|cpu|0   ->   2026-10-05|cpu|0, 2026-10-06|cpu|0, ... each with its own day
/// ```
///
/// @param target partition of the cluster
/// @param sources partitions of the directory that have events of it
/// @param range its id range
record CopyPlan(PartitionKey target, List<PartitionKey> sources, Scan range) {
  CopyPlan {
    sources = List.copyOf(sources);
  }

  /// The partition of the cluster that gets an event of a partition of the directory.
  static PartitionKey targetOf(PartitionKey source, long timeNanos) {
    return Bucket.of(source).isWide()
        ? source.in(TypeDay.at(timeNanos, source.type()).bucket())
        : source;
  }

  /// The plan for partitions, in order of targets.
  static List<CopyPlan> of(List<PartitionInfo> partitions) {
    SortedMap<PartitionKey, List<PartitionKey>> sources = new TreeMap<>();
    for (PartitionInfo info : partitions) {
      PartitionKey key = info.key();
      if (!Bucket.of(key).isWide()) {
        sources.computeIfAbsent(key, _ -> new ArrayList<>()).add(key);
        continue;
      }
      for (TypeDay day : TypeDay.of(info)) {
        PartitionKey target = key.in(day.bucket());
        sources.computeIfAbsent(target, _ -> new ArrayList<>()).add(key);
      }
    }
    List<CopyPlan> plans = new ArrayList<>();
    sources.forEach((target, from) -> {
      boolean same = from.equals(List.of(target));
      Scan range = same ? Scan.all() : Scan.ofTime(target.fromNanos(), target.untilNanos());
      plans.add(new CopyPlan(target, from, range));
    });
    return plans;
  }
}
