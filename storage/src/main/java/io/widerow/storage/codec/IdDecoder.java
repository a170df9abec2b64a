package io.widerow.storage.codec;

import io.widerow.event.TimeUuid;

/// The decoder of what an [IdEncoder] wrote.
///
/// - Threads: one.
public final class IdDecoder {
  private static final long TIME_LIMIT = 1L << 60;

  private final LongDecoder longs;
  public long[] times = new long[0];
  public long[] tails = new long[0];
  public long[] versions = new long[0];
  private long[] daemons = new long[0];
  private long[] counters = new long[0];
  private final ArrivalOrder order = new ArrivalOrder();

  public IdDecoder(LongDecoder longs) {
    this.longs = longs;
  }

  public long heldBytes() {
    long longs = times.length + (long) tails.length + versions.length;
    return Long.BYTES * (longs + daemons.length + counters.length) + order.heldBytes();
  }

  public void decode(ByteSource in, int count) {
    times = LongDecoder.room(times, count);
    tails = LongDecoder.room(tails, count);
    versions = LongDecoder.room(versions, count);
    longs.decode(in, count, times, 0, TIME_LIMIT - 1, "time");
    int form = in.readByte();
    switch (form) {
      case IdEncoder.TAILS_SPLIT -> readSplit(in, count);
      case IdEncoder.TAILS_RAW -> readRaw(in, count);
      case IdEncoder.ARRIVED -> readArrived(in, count);
      default -> throw in.corrupt("form %d of ids".formatted(form));
    }
    longs.decode(in, count, versions);
    in.requireEnd("the ids");
    if (ArrivalOrder.rises(times, count)) {
      return; // then tails need not be compared
    }
    for (int i = 1; i < count; i++) {
      if (TimeUuid.compare(times[i - 1], tails[i - 1], times[i], tails[i]) > 0) {
        throw in.corrupt("id %d of the block is out of order".formatted(i));
      }
    }
  }

  private void readSplit(ByteSource in, int count) {
    daemons = LongDecoder.room(daemons, count);
    counters = LongDecoder.room(counters, count);
    longs.decode(in, count, tails, 0, TimeUuid.NANOS_PER_TICK - 1, "nanoseconds");
    longs.decode(in, count, daemons, 0, TimeUuid.DAEMON_LIMIT - 1, "daemon");
    longs.decode(in, count, counters, 0, TimeUuid.COUNTER_LIMIT - 1, "counter");
    for (int i = 0; i < count; i++) { // each in its range, so every combination is an id
      tails[i] = TimeUuid.tailOf(tails[i], (int) daemons[i], counters[i]);
    }
  }

  private void readRaw(ByteSource in, int count) {
    longs.decode(in, count, tails);
    for (int i = 0; i < count; i++) {
      if (!TimeUuid.isId(times[i], tails[i])) {
        throw in.corrupt("tail %016x of id %d".formatted(tails[i], i));
      }
    }
  }

  /// Decodes ids in order of arrival; the times read so far are units.
  private void readArrived(ByteSource in, int count) {
    long least = in.readVarint();
    long unit = in.readVarint();
    int nanos = in.readCount(0, (int) TimeUuid.NANOS_PER_TICK - 1, "nanoseconds");
    int daemon = in.readCount(0, TimeUuid.DAEMON_LIMIT - 1, "daemon");
    longs.decode(in, count, tails, 0, TimeUuid.COUNTER_LIMIT - 1, "counter");
    if (!ArrivalOrder.rises(tails, count)) {
      throw in.corrupt("counters do not increase in order of arrival");
    }
    long most = checkUnits(in, count, least, unit);
    order.byTime(times, tails, count, most);
    for (int i = 0; i < count; i++) {
      times[i] = least + times[i] * unit;
      tails[i] = TimeUuid.tailOf(nanos, daemon, tails[i]);
    }
  }

  /// Checks units and returns the greatest.
  private long checkUnits(ByteSource in, int count, long least, long unit) {
    long most = 0;
    for (int i = 0; i < count; i++) {
      most = Math.max(most, times[i]);
    }
    if (least < 0
        || least >= TIME_LIMIT
        || unit < 0
        || (unit > 0 && most > (TIME_LIMIT - 1 - least) / unit)) {
      throw in.corrupt("times of %d plus up to %d units of %d".formatted(least, most, unit));
    }
    return most;
  }

  /// The first row whose id is not less than the given one.
  public int firstRow(int count, long time, long tail) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (TimeUuid.compare(times[middle], tails[middle], time, tail) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
