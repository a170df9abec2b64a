package io.widerow.storage;

import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.util.Arrays;

/// Writes the ids and versions of a block: times; tails, split into their fields when all of them
/// were assigned by Widerow; versions.
///
/// ```
///  longs times | byte 1 | longs nanos | longs daemons | longs counters | longs versions
///  longs times | byte 0 | longs tails                                  | longs versions
/// ```
///
/// - Threads: one.
final class IdEncoder {
  static final int TAILS_RAW = 0;
  static final int TAILS_SPLIT = 1;

  private final LongEncoder longs;
  private long[] times = new long[1024];
  private long[] tails = new long[1024];
  private long[] versions = new long[1024];
  private long[] field = new long[1024];
  private int count;
  private boolean ownIds;

  IdEncoder(LongEncoder longs) {
    this.longs = longs;
  }

  int count() {
    return count;
  }

  long time(int row) {
    return times[row];
  }

  long tail(int row) {
    return tails[row];
  }

  /// True when an event of this block has an id of its own.
  boolean ownIds() {
    return ownIds;
  }

  void add(EventView event) {
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

  /// Puts the first `rows` ids; those behind them are the first of the next block.
  void finish(int rows, ByteSink out) {
    int whole = count;
    count = rows;
    put(out);
    count = whole - rows;
    System.arraycopy(times, rows, times, 0, count);
    System.arraycopy(tails, rows, tails, 0, count);
    System.arraycopy(versions, rows, versions, 0, count);
    ownIds = false;
    for (int i = 0; i < count; i++) {
      ownIds |= versions[i] != 0;
    }
  }

  private void put(ByteSink out) {
    longs.encode(times, count, out);
    if (splits()) {
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
    } else {
      out.putByte(TAILS_RAW);
      longs.encode(tails, count, out);
    }
    longs.encode(versions, count, out);
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
