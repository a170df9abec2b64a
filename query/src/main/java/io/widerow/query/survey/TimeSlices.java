package io.widerow.query.survey;

import io.widerow.query.RangeQuery;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A range of time in slices of about as many events each, as the catalog of partitions tells them.
/// No event is read.
final class TimeSlices {
  private static final int SLICES_MAX = 64;
  private static final long SLICE_EVENTS = 40_000;
  private static final int POINTS_A_PARTITION = 16;
  private static final int POINTS_MAX = 1 << 18;

  private final RangeQuery query;
  private final long[] edges; // one more than slices; a power of two of these
  private final double eventsEach;

  private TimeSlices(RangeQuery query, long[] edges, double eventsEach) {
    this.query = query;
    this.edges = edges;
    this.eventsEach = eventsEach;
  }

  static TimeSlices of(StoreView view, RangeQuery query) {
    List<PartitionInfo> partitions =
        query.ofShard(view.partitions(query.types(), query.fromNanos(), query.untilNanos()));
    long events = 0;
    for (PartitionInfo partition : partitions) {
      events += Math.max(0, partition.events());
    }
    int count = Integer.highestOneBit(Math.clamp(events / SLICE_EVENTS, 1, SLICES_MAX));
    long[] edges = new long[count + 1];
    edges[0] = query.fromNanos();
    edges[count] = query.untilNanos();
    if (count > 1) {
      fill(edges, partitions, query, events);
    }
    return new TimeSlices(query, edges, (double) events / count);
  }

  /// Sets the inner edges: the events of each partition are taken to lie evenly between its first
  /// and its last.
  private static void fill(
      long[] edges, List<PartitionInfo> partitions, RangeQuery query, long events) {
    int each = Math.clamp(POINTS_MAX / partitions.size(), 1, POINTS_A_PARTITION);
    long[] times = new long[each * partitions.size()];
    int used = 0;
    // Points stand for equal numbers of events, so a large partition has more of them.
    double eventsAPoint = (double) events / times.length;
    double left = 0;
    for (PartitionInfo partition : partitions) {
      long first = Math.max(query.fromNanos(), partition.timeFirstNanos());
      long last = Math.min(query.untilNanos(), partition.timeLastNanos());
      left += Math.max(0, partition.events()) / eventsAPoint;
      int points = (int) Math.min(left, times.length - used);
      left -= points;
      for (int i = 0; i < points; i++) {
        times[used++] = first + (long) ((double) (last - first) * (i + 0.5) / points);
      }
    }
    Arrays.sort(times, 0, used);
    int slices = edges.length - 1;
    for (int i = 1; i < slices && used > 0; i++) {
      edges[i] = Math.max(edges[i - 1], times[(int) ((long) used * i / slices)]);
    }
  }

  int count() {
    return edges.length - 1;
  }

  double eventsEach() {
    return eventsEach;
  }

  /// The query of a slice, in an order that is even over the range at any moment; null for an empty
  /// slice.
  @Nullable RangeQuery inOrderOfReading(int number) {
    int bits = Integer.numberOfTrailingZeros(count());
    int slice = bits == 0 ? 0 : Integer.reverse(number) >>> (Integer.SIZE - bits);
    long from = edges[slice];
    long until = edges[slice + 1];
    return from >= until ? null : query.withRange(from, until);
  }
}
