package io.widerow.query.sizing;

/// The weight of a partition (a wide row): the greater of its bytes at rest and its events, each as
/// a share of what one partition should have. Good is 0.5 to 2.
public final class Weight {
  /// Bytes at rest of a partition of weight 1.
  public static final long BYTES = 8L << 20;

  /// Events of a partition of weight 1.
  public static final long EVENTS = 1_000_000;

  /// A partition that weighs more is divided.
  public static final double MOST = 2;

  /// Partitions that weigh less are not made by dividing.
  public static final double LEAST = 0.5;

  private Weight() {}

  /// @param bytes bytes at rest
  public static double of(double bytes, double events) {
    return Math.max(bytes / BYTES, events / EVENTS);
  }
}
