package io.widerow.cql.fragment;

import io.widerow.storage.codec.ByteSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Encoder of fragments: the effect of one write, or of several merged writes, on one row.
///
/// ```
///   flags | first timestamp
///     | [ liveness:           timestamp, [ ttl, expiry ] ]
///     | [ row deletion:       timestamp ]
///     | [ partition deletion: timestamp ]
///     | [ ranges:   count, each: bytes, from, bytes, until, timestamp ]
///     | [ columns:  count, each: column, timestamp ]
///     | cells, to the end
///   cell:  column | flags | [ bytes, path ] | timestamp | [ ttl, expiry ] | [ bytes, value ]
/// ```
///
/// Numbers are varints. Timestamps and expiries are zigzag; a timestamp is the difference to the
/// first one. Columns that are deleted are in ascending order, and so are cells: by column, then by
/// path, no path first. The parts are added in the order of the layout.
///
/// - Threads: one.
public final class FragmentEncoder {
  public static final int LIVE = 1;
  public static final int LIVE_EXPIRES = 2;
  public static final int ROW_DELETED = 4;
  public static final int PARTITION_DELETED = 8;
  public static final int RANGES_DELETED = 16;
  public static final int COLUMNS_DELETED = 32;
  public static final int FLAGS_ALL = 63;

  /// Flags of a fragment that hides other rows.
  public static final int HIDES_ROWS = PARTITION_DELETED | RANGES_DELETED;

  public static final int CELL_PATH = 1;
  public static final int CELL_DELETED = 2;
  public static final int CELL_EXPIRES = 4;
  public static final int CELL_FLAGS_ALL = 7;

  private ByteSink out = new ByteSink();
  private int flagsAt;
  private boolean hasFirst;
  private long first;
  private boolean showsRow;
  private long firstExpiry;

  /// Begins a fragment at the end of what a sink has.
  public void begin(ByteSink target) {
    out = target;
    flagsAt = target.length();
    target.putByte(0);
    hasFirst = false;
    showsRow = false;
    firstExpiry = Long.MAX_VALUE;
  }

  private void flag(int flag) {
    out.bytes()[flagsAt] |= (byte) flag;
  }

  public int flags() {
    return out.bytes()[flagsAt];
  }

  /// True when something was told that is live as long as it has not expired, and not deleted
  /// elsewhere.
  public boolean showsRow() {
    return showsRow;
  }

  /// Unix time in seconds from which the first of it has expired; [Long#MAX_VALUE] when none does.
  public long firstExpiry() {
    return firstExpiry;
  }

  private void shows(long expiry) {
    showsRow = true;
    firstExpiry = Math.min(firstExpiry, expiry);
  }

  /// Nothing was added since it was begun.
  public boolean isEmpty() {
    return !hasFirst;
  }

  private void time(long timestamp) {
    if (!hasFirst) {
      hasFirst = true;
      first = timestamp;
      out.putZigzag(timestamp);
    }
    out.putZigzag(timestamp - first);
  }

  private void expires(int ttl, long expiry) {
    out.putVarint(ttl);
    out.putZigzag(expiry);
  }

  /// @param ttl 0 for no expiry
  public void live(long timestamp, int ttl, long expiry) {
    flag(ttl > 0 ? LIVE | LIVE_EXPIRES : LIVE);
    time(timestamp);
    shows(ttl > 0 ? expiry : Long.MAX_VALUE);
    if (ttl > 0) {
      expires(ttl, expiry);
    }
  }

  public void rowDeleted(long timestamp) {
    flag(ROW_DELETED);
    time(timestamp);
  }

  public void partitionDeleted(long timestamp) {
    flag(PARTITION_DELETED);
    time(timestamp);
  }

  public void ranges(List<RangeDeletion> ranges) {
    if (ranges.isEmpty()) {
      return;
    }
    flag(RANGES_DELETED);
    if (!hasFirst) {
      hasFirst = true;
      first = ranges.getFirst().timestamp;
      out.putZigzag(first);
    }
    out.putVarint(ranges.size());
    for (RangeDeletion range : ranges) {
      out.putVarint(range.from.length);
      out.put(range.from, 0, range.from.length);
      out.putVarint(range.until.length);
      out.put(range.until, 0, range.until.length);
      time(range.timestamp);
    }
  }

  /// @param count how many columns are deleted; their numbers ascend
  public void columns(int[] columns, long[] timestamps, int count) {
    if (count == 0) {
      return;
    }
    flag(COLUMNS_DELETED);
    if (!hasFirst) {
      hasFirst = true;
      first = timestamps[0];
      out.putZigzag(first);
    }
    out.putVarint(count);
    for (int i = 0; i < count; i++) {
      out.putVarint(columns[i]);
      time(timestamps[i]);
    }
  }

  /// Begins a cell; its path, if it has one, comes next, then [#rest].
  private void cell(int column, int flags) {
    out.putVarint(column);
    out.putByte(flags);
  }

  /// Copies a cell.
  public void cell(FragmentReader cell) {
    if (!hasFirst) {
      hasFirst = true;
      first = cell.timestamp();
      out.putZigzag(first);
    }
    cell(cell.column(), cell.cellFlags());
    if (cell.pathBytes() >= 0) {
      bytes(cell.memory(), cell.pathAt(), cell.pathBytes());
    }
    rest(cell.timestamp(), cell.cellFlags(), cell.ttl(), cell.expiry());
    if ((cell.cellFlags() & CELL_DELETED) == 0) {
      shows(cell.expiry());
      bytes(cell.memory(), cell.valueAt(), cell.valueBytes());
    }
  }

  /// Writes a cell.
  public void cell(MutationGroup.Cell cell) {
    if (!hasFirst) {
      hasFirst = true;
      first = cell.timestamp;
      out.putZigzag(first);
    }
    byte[] path = cell.path;
    byte[] value = cell.value;
    int flags =
        (path == null ? 0 : CELL_PATH)
            | (value == null ? CELL_DELETED : 0)
            | (cell.ttl > 0 ? CELL_EXPIRES : 0);
    cell(cell.column, flags);
    if (path != null) {
      out.putVarint(path.length);
      out.put(path, 0, path.length);
    }
    rest(cell.timestamp, flags, cell.ttl, cell.expiry);
    if (value != null) {
      shows(cell.expiry);
      out.putVarint(value.length);
      out.put(value, 0, value.length);
    }
  }

  private void rest(long timestamp, int flags, int ttl, long expiry) {
    out.putZigzag(timestamp - first);
    if ((flags & CELL_EXPIRES) != 0) {
      expires(ttl, expiry);
    }
  }

  private void bytes(MemorySegment memory, long at, int count) {
    out.putVarint(count);
    byte[] target = out.reserve(count);
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, target, out.length(), count);
    out.advance(count);
  }
}
