package io.widerow.storage.layout;

import io.widerow.event.Bucket;
import java.util.Comparator;
import java.util.List;

/// The size of one bucket of a type.
///
/// @param weight of all that is in it, see [PartitionWeights]
/// @param coveredMinutes how much of its time its events cover
/// @param present whether events come to it; otherwise it is closed
public record BucketSize(Bucket bucket, double weight, double coveredMinutes, boolean present) {
  /// The share of a bucket that its events must cover before its size is extrapolated.
  private static final double COVERED_LEAST = 0.1;

  /// Closed buckets that count.
  public static final int CLOSED = 3;

  /// Weight that a minute of a type is expected to have, in event time: the greatest of its present
  /// buckets, and the mean of its last closed ones.
  public static double perMinute(List<BucketSize> sizes) {
    double present =
        sizes.stream()
            .filter(BucketSize::present)
            .mapToDouble(BucketSize::perMinute)
            .max()
            .orElse(0);
    double closed =
        sizes.stream()
            .filter(size -> !size.present)
            .sorted(Comparator.comparing(BucketSize::bucket).reversed())
            .limit(CLOSED)
            .mapToDouble(BucketSize::perMinute)
            .average()
            .orElse(0);
    return Math.max(present, closed);
  }

  private double perMinute() {
    double width = bucket.widthMinutes();
    boolean tells = present && coveredMinutes >= COVERED_LEAST * width;
    return weight / (tells ? Math.min(coveredMinutes, width) : width);
  }
}
