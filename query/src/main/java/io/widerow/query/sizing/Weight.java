package io.widerow.query.sizing;

import io.widerow.event.PartitionWeights;

/// The weight of a partition (a wide row): the greater of its bytes at rest and its events, each as
/// a share of what one partition should have. Good is 0.5 to 2.
public final class Weight {
  /// Bytes at rest of a partition of weight 1, where nothing else is configured.
  public static final long BYTES = PartitionWeights.DEFAULT.partitionBytes();

  /// Events of a partition of weight 1, where nothing else is configured.
  public static final long EVENTS = PartitionWeights.DEFAULT.partitionEvents();

  /// A partition that weighs more is divided.
  public static final double MOST = 2;

  /// Partitions that weigh less are not made by dividing.
  public static final double LEAST = 0.5;

  private Weight() {}

  /// @param bytes bytes at rest
  public static double of(double bytes, double events) {
    return of(PartitionWeights.DEFAULT, bytes, events);
  }

  /// @param bytes bytes at rest
  static double of(PartitionWeights weights, double bytes, double events) {
    return Math.max(bytes / weights.partitionBytes(), events / weights.partitionEvents());
  }
}
