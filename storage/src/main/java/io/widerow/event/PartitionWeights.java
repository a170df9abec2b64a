package io.widerow.event;

/// The weight of a partition: the greater of its bytes at rest and its events, each as a share of
/// the target size of a partition. Good is 0.5 to 2.
///
/// @param partitionBytes bytes at rest of a partition of weight 1
/// @param partitionEvents events of a partition of weight 1
/// @param shardRate events a second of a type from which it gets another shard
/// @param shardByteRate bytes of records a second from which it gets another shard
public record PartitionWeights(
    long partitionBytes, long partitionEvents, long shardRate, long shardByteRate) {
  public static final PartitionWeights DEFAULT =
      new PartitionWeights(8L << 20, 1_000_000, 20_000, 4L << 20);

  public PartitionWeights {
    require(partitionBytes, "partition-bytes");
    require(partitionEvents, "partition-events");
    require(shardRate, "shard-rate");
    require(shardByteRate, "shard-byte-rate");
  }

  private static void require(long value, String name) {
    if (value < 1) {
      throw new IllegalArgumentException("%s must be positive, got %d".formatted(name, value));
    }
  }

  public double of(long events, long restBytes) {
    return Math.max(restBytes / (double) partitionBytes, events / (double) partitionEvents);
  }
}
