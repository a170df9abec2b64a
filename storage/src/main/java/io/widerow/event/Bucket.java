package io.widerow.event;

import java.util.List;

/// A bucket: the span of event time (UTC) of a partition. Buckets order by start.
///
/// Events arrive in buckets of a day at most. Thin history is merged into wide buckets, of several
/// days. Widths divide each other, and buckets start at multiples of their width, so of two buckets
/// that overlap one contains the other:
///
/// ```
///   512 days |--------------------------------------------------------------- ~
///    64 days |-----------------------|-----------------------|--------------- ~
///     8 days |--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--| ~
/// ```
///
/// @param startMinutes minutes since the Unix epoch, a multiple of the width
/// @param widthMinutes 1 to 1,440, dividing a day, or one of [#WIDE_DAYS]
public record Bucket(int startMinutes, int widthMinutes) implements Comparable<Bucket> {
  /// Widths of wide buckets in days, ascending. Each is a multiple of the one before.
  public static final List<Integer> WIDE_DAYS = List.of(8, 64, 512);

  private static final int WIDEST_MINUTES = WIDE_DAYS.getLast() * PartitionKey.MINUTES_PER_DAY;

  public static Bucket of(PartitionKey key) {
    return new Bucket(key.bucketMinutes(), key.widthMinutes());
  }

  /// Parses what [#text] writes.
  ///
  /// @throws IllegalArgumentException when it is no bucket
  public static Bucket parse(String text) {
    return of(PartitionKey.parse(text + "|x|0"));
  }

  /// The bucket as partition keys show it, such as `2026-11-20T19`.
  public String text() {
    String key = partition("x", 0).toString();
    return key.substring(0, key.indexOf('|'));
  }

  public PartitionKey partition(String type, int shard) {
    return new PartitionKey(startMinutes, widthMinutes, type, shard);
  }

  /// True for the width of a wide bucket.
  public static boolean isWide(int widthMinutes) {
    return widthMinutes > PartitionKey.MINUTES_PER_DAY
        && widthMinutes % PartitionKey.MINUTES_PER_DAY == 0
        && WIDE_DAYS.contains(widthMinutes / PartitionKey.MINUTES_PER_DAY);
  }

  /// True when it is wider than a day.
  public boolean isWide() {
    return widthMinutes > PartitionKey.MINUTES_PER_DAY;
  }

  /// The bucket of a width that contains this one, which must not be wider.
  public Bucket within(int width) {
    return new Bucket(startMinutes - startMinutes % width, width);
  }

  /// A bound below every bucket that may reach past an instant.
  ///
  /// @param wide whether to count with wide buckets
  public static Bucket boundBefore(long epochNanos, boolean wide) {
    return new Bucket(
        minutes(epochNanos) - (wide ? WIDEST_MINUTES : PartitionKey.MINUTES_PER_DAY), 0);
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
