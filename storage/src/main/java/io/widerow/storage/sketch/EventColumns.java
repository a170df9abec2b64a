package io.widerow.storage.sketch;

/// Columns of events, those of one run after those of another. They do not change once they are
/// shown.
///
/// @param nanos the time of each, since the Unix epoch
/// @param arrivals its position in the order of arrival
/// @param bits of its number
@SuppressWarnings("ArrayRecordComponent") // handed over, and never changed
public record EventColumns(long[] nanos, long[] arrivals, long[] bits) {
  /// Memory of an event.
  public static final int EVENT_BYTES = 3 * Long.BYTES;

  /// Columns to fill.
  public static EventColumns of(int events) {
    return new EventColumns(new long[events], new long[events], new long[events]);
  }
}
