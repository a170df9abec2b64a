package io.widerow.storage.codec;

import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.util.Arrays;

/// The encoder of the ids and versions of a block: times; tails, split into their fields when
/// Widerow assigned all of them; versions. A thorough encoder writes ids in order of arrival, see
/// [ArrivalOrder], where that order differs and is estimated to be smaller.
///
/// ```
///  longs times | byte 1 | longs nanos | longs daemons | longs counters | longs versions
///  longs times | byte 0 | longs tails                                  | longs versions
///  longs units | byte 2 | varint least | varint unit | varint nanos | varint daemon |
///                                                      longs counters  | longs versions
/// ```
///
/// The last form has units and counters in order of arrival, which is the order of counters.
/// Versions are in order of ids as always. A time is `least + unit * units`.
///
/// - Threads: one.
public final class IdEncoder {
  static final int TAILS_RAW = 0;
  static final int TAILS_SPLIT = 1;
  static final int ARRIVED = 2;

  private final LongEncoder longs;
  private final boolean thorough;
  private final ArrivalOrder order = new ArrivalOrder();
  private long[] times = new long[1024];
  private long[] tails = new long[1024];
  private long[] versions = new long[1024];
  private long[] field = new long[1024];
  private long[] units = new long[0]; // in order of arrival
  private long[] counters = new long[0]; // in order of arrival
  private int count;
  private boolean ownIds;

  public IdEncoder(LongEncoder longs, boolean thorough) {
    this.longs = longs;
    this.thorough = thorough;
  }

  public int count() {
    return count;
  }

  public long time(int row) {
    return times[row];
  }

  public long tail(int row) {
    return tails[row];
  }

  /// True when an event of this block has a client's id.
  public boolean ownIds() {
    return ownIds;
  }

  public void add(EventView event) {
    if (count == times.length) {
      times = Arrays.copyOf(times, 2 * count);
      tails = Arrays.copyOf(tails, 2 * count);
      versions = Arrays.copyOf(versions, 2 * count);
      field = new long[2 * count];
    }
    times[count] = event.idTime();
    tails[count] = event.idTail();
    versions[count] = event.version();
    ownIds |= versions[count] != 0;
    assert count == 0
            || TimeUuid.compare(times[count - 1], tails[count - 1], times[count], tails[count]) <= 0
        : "ids must not fall";
    count++;
  }

  /// Times by row; valid until [#keepRest].
  public long[] times() {
    return times;
  }

  /// Writes the first `rows` ids.
  public void put(int rows, ByteSink out) {
    int whole = count;
    count = rows;
    put(out);
    count = whole;
  }

  /// Drops the first `rows` ids; the rest become the first of the next block.
  public void keepRest(int rows) {
    count -= rows;
    System.arraycopy(times, rows, times, 0, count);
    System.arraycopy(tails, rows, tails, 0, count);
    System.arraycopy(versions, rows, versions, 0, count);
    ownIds = false;
    for (int i = 0; i < count; i++) {
      ownIds |= versions[i] != 0;
    }
  }

  private void put(ByteSink out) {
    boolean assigned = splits();
    if (!assigned || !thorough || !putArrived(out)) {
      longs.encodeNoisy(times, count, out);
      if (assigned) {
        putSplit(out);
      } else {
        out.putByte(TAILS_RAW);
        longs.encode(tails, count, out);
      }
    }
    longs.encode(versions, count, out);
  }

  private void putSplit(ByteSink out) {
    out.putByte(TAILS_SPLIT);
    for (int i = 0; i < count; i++) {
      field[i] = nanos(times[i], tails[i]);
    }
    longs.encode(field, count, out);
    for (int i = 0; i < count; i++) {
      field[i] = TimeUuid.daemonOf(tails[i]);
    }
    longs.encode(field, count, out);
    for (int i = 0; i < count; i++) {
      field[i] = TimeUuid.counterOf(tails[i]);
    }
    longs.encode(field, count, out);
  }

  /// Writes the ids in order of arrival. False, with nothing written, when the order is the same or
  /// the estimated size is greater.
  private boolean putArrived(ByteSink out) {
    for (int i = 0; i < count; i++) {
      field[i] = TimeUuid.counterOf(tails[i]);
    }
    long[] rows = variesInCounters() ? order.rowsByArrival(field, count) : null;
    if (rows == null) {
      return false;
    }
    long least = times[0];
    long unit = LongEncoder.divisor(times, count, least);
    units = LongDecoder.room(units, count);
    counters = LongDecoder.room(counters, count);
    for (int i = 0; i < count; i++) {
      int row = ArrivalOrder.row(rows[i]);
      units[i] = unit == 0 ? 0 : (times[row] - least) / unit;
      counters[i] = field[row];
    }
    long bits = longs.estimateBits(units, count) + longs.estimateBits(counters, count);
    if (bits >= longs.estimateBits(times, count) + longs.estimateBits(field, count)) {
      return false;
    }
    longs.encodeNoisy(units, count, out);
    out.putByte(ARRIVED);
    out.putVarint(least);
    out.putVarint(unit);
    out.putVarint(nanos(least, tails[0]));
    out.putVarint(TimeUuid.daemonOf(tails[0]));
    longs.encode(counters, count, out);
    return true;
  }

  /// True when the tails, already split, differ only in their counters.
  private boolean variesInCounters() {
    if (count == 0) {
      return false;
    }
    long nanos = nanos(times[0], tails[0]);
    int daemon = TimeUuid.daemonOf(tails[0]);
    for (int i = 0; i < count; i++) {
      if (TimeUuid.tailOf(nanos, daemon, field[i]) != tails[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean splits() {
    for (int i = 0; i < count; i++) {
      long tail = tails[i];
      long nanos = nanos(times[i], tail);
      if (TimeUuid.tailOf(nanos, TimeUuid.daemonOf(tail), TimeUuid.counterOf(tail)) != tail) {
        return false;
      }
    }
    return true;
  }

  private static long nanos(long time, long tail) {
    return TimeUuid.nanosOf(time, tail) - TimeUuid.tickNanos(time);
  }
}
