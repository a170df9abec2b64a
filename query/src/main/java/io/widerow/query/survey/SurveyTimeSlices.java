package io.widerow.query.survey;

import io.widerow.query.PartitionSpans;
import io.widerow.query.RangeQuery;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A time range in slices with about equal numbers of events, by the catalog of partitions. No
/// event is read.
final class SurveyTimeSlices {
  private static final int SLICES_MAX = 64;
  private static final long SLICE_EVENTS = 40_000;
  private static final int POINTS_A_PARTITION = 16;
  private static final int POINTS_MAX = 1 << 18;

  private final RangeQuery query;
  private final long[] edges; // one more than slices; a power of two of these
  private final double eventsEach;

  private SurveyTimeSlices(RangeQuery query, long[] edges, double eventsEach) {
    this.query = query;
    this.edges = edges;
    this.eventsEach = eventsEach;
  }

  static SurveyTimeSlices of(StoreView view, RangeQuery query) {
    long[] sums = new long[2]; // partitions, events
    PartitionSpans.forEach(
        view,
        query,
        partitions -> {
          sums[0] += partitions.size();
          partitions.forEach(partition -> sums[1] += Math.max(0, partition.events()));
        });
    long events = sums[1];
    int count = Integer.highestOneBit(Math.clamp(events / SLICE_EVENTS, 1, SLICES_MAX));
    long[] edges = new long[count + 1];
    edges[0] = query.fromNanos();
    edges[count] = query.untilNanos();
    if (count > 1) {
      fill(edges, view, query, sums[0], events);
    }
    return new SurveyTimeSlices(query, edges, (double) events / count);
  }

  /// Sets the inner edges: the events of each partition are taken to lie evenly between its first
  /// and its last.
  private static void fill(
      long[] edges, StoreView view, RangeQuery query, long partitions, long events) {
    int each = Math.clamp(POINTS_MAX / partitions, 1, POINTS_A_PARTITION);
    Points points = new Points((int) Math.min(POINTS_MAX, each * partitions), events);
    PartitionSpans.forEach(view, query, of -> of.forEach(info -> points.add(info, query)));
    points.sort();
    int slices = edges.length - 1;
    for (int i = 1; i < slices && points.used > 0; i++) {
      edges[i] = Math.max(edges[i - 1], points.times[(int) ((long) points.used * i / slices)]);
    }
  }

  /// Points of time that stand for equal numbers of events, so a large partition has more of them.
  private static final class Points {
    private final long[] times;
    private final double eventsAPoint;
    private double left;
    private int used;

    Points(int most, long events) {
      times = new long[most];
      eventsAPoint = (double) events / most;
    }

    void add(PartitionInfo partition, RangeQuery query) {
      long first = Math.max(query.fromNanos(), partition.timeFirstNanos());
      long last = Math.min(query.untilNanos(), partition.timeLastNanos());
      left += Math.max(0, partition.events()) / eventsAPoint;
      int points = (int) Math.min(left, times.length - used);
      left -= points;
      for (int i = 0; i < points; i++) {
        times[used++] = first + (long) ((double) (last - first) * (i + 0.5) / points);
      }
    }

    void sort() {
      Arrays.sort(times, 0, used);
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
