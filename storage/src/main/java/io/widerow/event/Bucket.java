package io.widerow.event;

/// A bucket: the span of event time (UTC) of a partition. Buckets order by start.
///
/// @param startMinutes minutes since the Unix epoch
/// @param widthMinutes 1 to 1,440, dividing a day, so that no bucket crosses midnight
public record Bucket(int startMinutes, int widthMinutes) implements Comparable<Bucket> {
  public static Bucket of(PartitionKey key) {
    return new Bucket(key.bucketMinutes(), key.widthMinutes());
  }

  /// A bound below every bucket that may reach past an instant.
  public static Bucket boundBefore(long epochNanos) {
    return new Bucket(minutes(epochNanos) - PartitionKey.MINUTES_PER_DAY, 0);
  }

  /// A bound above every bucket that starts before an instant.
  public static Bucket boundAt(long epochNanos) {
    return new Bucket(minutes(epochNanos), Integer.MAX_VALUE);
  }

  private static int minutes(long epochNanos) {
    return Math.toIntExact(Math.floorDiv(epochNanos, PartitionKey.NANOS_PER_MINUTE));
  }

  /// Start (inclusive), nanoseconds since the Unix epoch.
  public long fromNanos() {
    return startMinutes * PartitionKey.NANOS_PER_MINUTE;
  }

  /// End (exclusive), nanoseconds since the Unix epoch.
  public long untilNanos() {
    return (startMinutes + (long) widthMinutes) * PartitionKey.NANOS_PER_MINUTE;
  }

  public boolean overlaps(long fromNanos, long untilNanos) {
    return fromNanos() < untilNanos && untilNanos() > fromNanos;
  }

  @Override
  public int compareTo(Bucket other) {
    int byStart = Integer.compare(startMinutes, other.startMinutes);
    return byStart != 0 ? byStart : Integer.compare(widthMinutes, other.widthMinutes);
  }
}
