package io.widerow.ingest.intake;

/// Decides which buckets are closed: the store has merged their segments, or soon does.
///
/// @param widthNanos width of a bucket
/// @param afterNanos time from the end of a bucket until it is closed
public record ClosedBuckets(long widthNanos, long afterNanos) {
  /// The end of the last closed bucket at a time, both in nanoseconds since the Unix epoch.
  public long endNanos(long nowNanos) {
    return Math.floorDiv(nowNanos - afterNanos, widthNanos) * widthNanos;
  }

  /// The age at which an event is surely older than a closed bucket.
  public long ageNanos() {
    return widthNanos + afterNanos;
  }
}
