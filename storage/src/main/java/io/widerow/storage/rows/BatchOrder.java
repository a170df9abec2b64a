package io.widerow.storage.rows;

import java.util.Arrays;

/// The order in which the events of a batch go into rows: by time, and at one time as they came. So
/// a row gets one rising run of them, whatever the sender's order: a Prometheus that catches up,
/// and an exporter of a history, send the samples of one series after those of another.
///
/// ```
///   batch    a 10:00  a 10:15  b 10:00  b 10:15
///   order    a 10:00  b 10:00  a 10:15  b 10:15
/// ```
///
/// A batch whose times are further apart than a long can hold next to its places is ordered by
/// coarser times; it then makes a few runs more.
///
/// - Threads: one.
/// - Memory: 16 bytes an event of the present batch; of large ones until the next.
public final class BatchOrder {
  private static final int KEPT_MAX = 1 << 16; // events; larger arrays are not kept
  private static final int FIRST = 1 << 8;

  private long[] offsets = new long[FIRST];
  private long[] keys = new long[FIRST]; // times, then times and places
  private int count;
  private long last;
  private long least;
  private long greatest;
  private boolean rises;
  private int places; // bits

  /// Begins a batch.
  public void begin() {
    if (offsets.length > KEPT_MAX) {
      offsets = new long[FIRST];
      keys = new long[FIRST];
    }
    count = 0;
    rises = true;
    last = Long.MIN_VALUE;
    least = Long.MAX_VALUE;
    greatest = 0;
  }

  /// Adds an event.
  ///
  /// @param offset of its record
  /// @param idTime of its id
  public void add(long offset, long idTime) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      keys = Arrays.copyOf(keys, 2 * count);
    }
    rises &= idTime >= last;
    last = idTime;
    least = Math.min(least, idTime);
    greatest = Math.max(greatest, idTime);
    offsets[count] = offset;
    keys[count++] = idTime;
  }

  /// Ends after the last event of the batch.
  public void end() {
    if (rises) {
      return;
    }
    places = Long.SIZE - Long.numberOfLeadingZeros(count);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(greatest - least);
    int coarser = Math.max(0, bits + places - (Long.SIZE - 1));
    for (int i = 0; i < count; i++) {
      keys[i] = (keys[i] - least) >>> coarser << places | i;
    }
    Arrays.sort(keys, 0, count);
  }

  /// Number of events.
  public int count() {
    return count;
  }

  /// Where the record of an event is, by its place in the order. After [#end].
  public long offset(int at) {
    return offsets[rises ? at : (int) (keys[at] & ~(-1L << places))];
  }
}
