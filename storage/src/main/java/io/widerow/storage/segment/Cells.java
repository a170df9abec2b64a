package io.widerow.storage.segment;

import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.codec.ByteSource;

/// The cells of one partition of a segment: how many events each minute has (a materialized
/// aggregate). They are written with the events that they count and never change, so there is
/// nothing to refresh.
///
/// ```
///   varint cells | for each, in order of minutes:
///   varint minutes | varint events | varint bytes | [ varint ownIds ]
///   for each with events at its first nanosecond, to the end:
///   varint cells | varint firsts
/// ```
///
/// The cells of a partition without own ids do not have `ownIds`. `cells` is the distance to the
/// cell before, or one more than the number of the cell. `minutes` is the distance to the minute of
/// the cell before, or to the start of the partition's bucket. A minute is numbered from
/// 1582-10-15, as the ticks of ids are.
///
/// - Threads: any; immutable.
/// - Memory: 32 bytes a cell, 40 when there are events at the first nanoseconds of minutes.
public final class Cells {
  /// Ticks of an id's time in a minute.
  public static final long MINUTE_TICKS = PartitionKey.NANOS_PER_MINUTE / TimeUuid.NANOS_PER_TICK;

  /// Bytes of the least cell of a partition, with their number.
  static final int BYTES_LEAST = 4;

  private static final int CELL_BYTES_LEAST = 3;
  private static final long MINUTES_LIMIT = (1L << 60) / MINUTE_TICKS;

  private final long[] minutes;
  private final long[] events;
  private final long[] bytes;
  private final long[] ownIds;
  private long[] firsts = {}; // none, or by cell

  private Cells(int count) {
    minutes = new long[count];
    events = new long[count];
    bytes = new long[count];
    ownIds = new long[count];
  }

  /// The minute of an id's time.
  public static long minuteOf(long idTime) {
    return idTime / MINUTE_TICKS;
  }

  /// Reads the cells of a partition to the end of the input.
  ///
  /// @param partition the index entry of the partition
  /// @throws io.widerow.storage.StorageException.Corrupt when they are not those of this partition
  static Cells read(ByteSource in, SegmentSummary.Partition partition) {
    int count = in.readCount(1, in.left() / CELL_BYTES_LEAST, "cells");
    Cells cells = new Cells(count);
    long minute = minuteOf(TimeUuid.timeOfNanos(partition.key().fromNanos()));
    long sum = 0;
    boolean own = false;
    for (int i = 0; i < count; i++) {
      long more = in.readVarint();
      if (more < (i == 0 ? 0 : 1) || more > MINUTES_LIMIT) {
        throw in.corrupt("cell %d is %s minutes after the one before".formatted(i, more));
      }
      minute += more;
      cells.minutes[i] = minute;
      cells.events[i] = in.readVarint();
      cells.bytes[i] = in.readVarint();
      cells.ownIds[i] = partition.ownIds() ? in.readVarint() : 0;
      if (cells.events[i] < 1
          || cells.events[i] > partition.events() - sum
          || cells.bytes[i] < 0
          || cells.ownIds[i] < 0
          || cells.ownIds[i] > cells.events[i]) {
        throw in.corrupt(
            "cell of %d events, %d bytes, %d own ids"
                .formatted(cells.events[i], cells.bytes[i], cells.ownIds[i]));
      }
      sum += cells.events[i];
      own |= cells.ownIds[i] > 0;
    }
    cells.readFirsts(in);
    if (sum != partition.events()
        || cells.minutes[0] != minuteOf(partition.least().time())
        || minute != minuteOf(partition.greatest().time())
        || own != partition.ownIds()) {
      throw in.corrupt("cells of %d events, of %d".formatted(sum, partition.events()));
    }
    return cells;
  }

  private void readFirsts(ByteSource in) {
    int cell = -1;
    while (in.left() > 0) {
      long more = in.readVarint();
      long first = in.readVarint();
      boolean isCell = more > 0 && more < size() - cell;
      if (!isCell || first < 1 || first > events[cell + (int) more]) {
        throw in.corrupt("%d events at a minute, %d cells on".formatted(first, more));
      }
      firsts = firsts.length == 0 ? new long[size()] : firsts;
      cell += (int) more;
      firsts[cell] = first;
    }
  }

  /// Number of cells, at least 1.
  public int size() {
    return minutes.length;
  }

  /// The minute of a cell; they rise.
  public long minute(int cell) {
    return minutes[cell];
  }

  /// Events of the minute, at least 1.
  public long events(int cell) {
    return events[cell];
  }

  /// The number of these events at the first nanosecond of the minute.
  public long firsts(int cell) {
    return firsts.length == 0 ? 0 : firsts[cell];
  }

  /// True when the time of an event is the first nanosecond of a minute.
  ///
  /// @param minuteTick time of the ids of the minute's first tick
  static boolean isFirst(long idTime, long idTail, long version, long minuteTick) {
    return idTime == minuteTick
        && (version != EventLayout.VERSION_ASSIGNED
            || TimeUuid.nanosOf(idTime, idTail) == TimeUuid.tickNanos(idTime));
  }

  /// Bytes of these events before encoding: their attributes, ids and versions.
  public long bytes(int cell) {
    return bytes[cell];
  }

  /// The number of these events with client ids.
  public long ownIds(int cell) {
    return ownIds[cell];
  }
}
