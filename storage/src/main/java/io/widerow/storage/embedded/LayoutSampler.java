package io.widerow.storage.embedded;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.event.TimeUuid;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.layout.BucketSize;
import io.widerow.storage.layout.LayoutControl.Rate;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;

/// Samples a store for [io.widerow.storage.layout.LayoutControl]: the rate of each type, and the
/// sizes of its buckets. It reads the open rows' counters, the manifest and the segments' indexes,
/// no block.
///
/// - Threads: one at a time.
/// - Memory: some 200 bytes a type and bucket while it looks.
final class LayoutSampler {
  /// Weight from which it is worth to know how much time the events of a row cover.
  private static final double WORTH_COVERING = 0.001;

  private static final double NANOS_PER_SECOND = 1e9;

  private LayoutSampler() {}

  /// Growth of the open rows of each type since the last look.
  ///
  /// @param nanos time since then
  static Map<String, Rate> rates(StoreState state, long nanos) {
    Map<String, Map<Bucket, Growth>> grown = new HashMap<>();
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view != null) {
          for (OpenRow row : view.rows()) {
            OpenRow.Growth growth = row.grown();
            if (growth.records() > 0) {
              grown
                  .computeIfAbsent(row.key.type(), _ -> new HashMap<>())
                  .computeIfAbsent(Bucket.of(row.key), _ -> new Growth())
                  .add(growth);
            }
          }
        }
      }
    }
    Map<String, Rate> rates = new HashMap<>();
    grown.forEach((type, buckets) -> rates.put(type, rate(buckets.values(), nanos)));
    return rates;
  }

  private static Rate rate(Collection<Growth> buckets, long nanos) {
    double events = 0;
    double bytes = 0;
    double densest = 0;
    for (Growth growth : buckets) {
      events += growth.events;
      bytes += growth.bytes;
      densest = Math.max(densest, growth.events / (double) Math.max(nanos, growth.nanos));
    }
    double perSecond = NANOS_PER_SECOND / Math.max(1, nanos);
    double spread = events / Math.max(1, nanos) / densest;
    return new Rate(events * perSecond, bytes * perSecond, Math.max(1, spread));
  }

  /// Growth of a bucket of a type. Its shards cover the same time.
  private static final class Growth {
    private long events;
    private long bytes;
    private long nanos; // of event time

    void add(OpenRow.Growth of) {
      events += of.records();
      bytes += of.bytes();
      nanos = Math.max(nanos, of.nanos());
    }
  }

  /// The buckets of each type to which events come or that are not over, and the last closed ones.
  ///
  /// @param wallNanos now, nanoseconds since the Unix epoch
  static Map<String, List<BucketSize>> sizes(
      StoreState state, PartitionWeights weights, long wallNanos) {
    Map<String, TypeSizes> types = new HashMap<>();
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view != null) {
          for (OpenRow row : view.rows()) {
            types
                .computeIfAbsent(row.key.type(), _ -> new TypeSizes(weights, wallNanos))
                .addOpen(row, view);
          }
        }
      }
    }
    for (NavigableSet<Bucket> buckets : state.segments().buckets()) {
      for (Bucket bucket : buckets.descendingSet()) {
        for (LiveSegment live : state.segments().of(bucket)) {
          addSealed(types, live, weights, wallNanos);
        }
      }
    }
    Map<String, List<BucketSize>> sizes = new HashMap<>();
    types.forEach((type, of) -> sizes.put(type, of.sizes()));
    return sizes;
  }

  private static void addSealed(
      Map<String, TypeSizes> types, LiveSegment live, PartitionWeights weights, long wallNanos) {
    Bucket bucket = SegmentSet.bucketOf(live);
    long[] bytes = live.partitionBytes();
    int at = 0;
    for (SegmentSummary.Partition partition : live.partitions()) {
      long of = bytes[at++];
      types
          .computeIfAbsent(partition.key().type(), _ -> new TypeSizes(weights, wallNanos))
          .addSealed(bucket, partition, of);
    }
  }

  /// The buckets of one type.
  private static final class TypeSizes {
    private final PartitionWeights weights;
    private final long wallNanos;
    private final Map<Bucket, Sum> buckets = new HashMap<>();
    private int closed;
    private long sealedEvents;
    private long sealedBytes;

    TypeSizes(PartitionWeights weights, long wallNanos) {
      this.weights = weights;
      this.wallNanos = wallNanos;
    }

    void addOpen(OpenRow row, OpenRows.View view) {
      long records = row.records();
      if (records == 0) {
        return;
      }
      Sum sum = buckets.computeIfAbsent(Bucket.of(row.key), _ -> new Sum(true));
      sum.openEvents += records;
      sum.openBytes += row.recordBytes();
      long rest = (long) (row.recordBytes() * PartitionCatalog.REST_OF_RECORD);
      if (weights.of(records, rest) >= WORTH_COVERING) {
        PartitionInfo info = view.info(row);
        if (info.events() > 0) {
          sum.cover(info.timeFirstNanos(), info.timeLastNanos());
        }
      }
    }

    /// Buckets come in descending order: of closed ones only the last count.
    void addSealed(Bucket bucket, SegmentSummary.Partition partition, long bytes) {
      Sum sum = buckets.get(bucket);
      if (sum == null) {
        boolean present = bucket.untilNanos() > wallNanos;
        if (!present && closed == BucketSize.CLOSED) {
          return;
        }
        closed += present ? 0 : 1;
        sum = new Sum(present);
        buckets.put(bucket, sum);
      }
      sum.events += partition.events();
      sum.bytes += bytes;
      sum.cover(
          TimeUuid.tickNanos(partition.least().time()),
          TimeUuid.tickNanos(partition.greatest().time()));
      sealedEvents += partition.events();
      sealedBytes += bytes;
    }

    List<BucketSize> sizes() {
      List<BucketSize> sizes = new ArrayList<>();
      buckets.forEach((bucket, sum) -> {
        long rest =
            sealedEvents > 0
                ? (long) (sum.openEvents * ((double) sealedBytes / sealedEvents))
                : (long) (sum.openBytes * PartitionCatalog.REST_OF_RECORD);
        double weight = weights.of(sum.events + sum.openEvents, sum.bytes + rest);
        sizes.add(new BucketSize(bucket, weight, sum.coveredMinutes(), sum.present));
      });
      return sizes;
    }
  }

  /// One bucket of one type.
  private static final class Sum {
    private final boolean present;
    private long events;
    private long bytes;
    private long openEvents;
    private long openBytes; // of records
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;

    Sum(boolean present) {
      this.present = present;
    }

    void cover(long first, long last) {
      firstNanos = Math.min(firstNanos, first);
      lastNanos = Math.max(lastNanos, last);
    }

    double coveredMinutes() {
      return lastNanos < firstNanos
          ? 0
          : (lastNanos - firstNanos) / (double) PartitionKey.NANOS_PER_MINUTE;
    }
  }
}
