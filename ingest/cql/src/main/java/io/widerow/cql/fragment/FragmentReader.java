package io.widerow.cql.fragment;

import io.widerow.storage.StorageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/// A bounds-checked reader of one fragment, see [FragmentEncoder]. The bytes may be damaged or
/// forged: nothing is read beyond the fragment, and every number is checked before it is used.
///
/// - Threads: one.
/// - Errors: [StorageException.Corrupt], which names the file.
public final class FragmentReader {
  private static final Path MEMORY = Path.of("journal");

  private MemorySegment memory = MemorySegment.NULL;
  private Path place = MEMORY;
  private long start;
  private long at;
  private long limit;
  private int flags;
  private long first;
  private long liveTimestamp;
  private int liveTtl;
  private long liveExpiry;
  private long rowDeleted;
  private long partitionDeleted;
  private long rangesAt;
  private long columnsAt;
  private long cellsAt;
  private int column;
  private int cellFlags;
  private long pathAt;
  private int pathBytes;
  private long timestamp;
  private int ttl;
  private long expiry;
  private long valueAt;
  private int valueBytes;

  /// Reads the head of a fragment and stops before its first cell.
  ///
  /// @param file that it is from, for messages
  public FragmentReader over(MemorySegment bytes, long from, long until, Path file) {
    memory = bytes;
    place = file;
    start = from;
    at = from;
    limit = until;
    column = -1;
    flags = next();
    if ((flags & ~FragmentEncoder.FLAGS_ALL) != 0) {
      throw corrupt("flags of a fragment: " + flags);
    }
    liveTimestamp = Long.MIN_VALUE;
    liveTtl = 0;
    liveExpiry = Long.MAX_VALUE;
    rowDeleted = Long.MIN_VALUE;
    partitionDeleted = Long.MIN_VALUE;
    cellsAt = at;
    if (at == limit) {
      if (flags != 0) {
        throw corrupt("a fragment without its parts");
      }
      return this;
    }
    first = zigzag();
    if (isLive()) {
      liveTimestamp = time();
      if ((flags & FragmentEncoder.LIVE_EXPIRES) != 0) {
        liveTtl = ttlThere();
        liveExpiry = zigzag();
      }
    }
    if ((flags & FragmentEncoder.ROW_DELETED) != 0) {
      rowDeleted = time();
    }
    if ((flags & FragmentEncoder.PARTITION_DELETED) != 0) {
      partitionDeleted = time();
    }
    rangesAt = at;
    if ((flags & FragmentEncoder.RANGES_DELETED) != 0) {
      for (int left = count(); left > 0; left--) {
        skip(count());
        skip(count());
        time();
      }
    }
    columnsAt = at;
    if ((flags & FragmentEncoder.COLUMNS_DELETED) != 0) {
      for (int left = count(); left > 0; left--) {
        columnThere();
        time();
      }
    }
    cellsAt = at;
    return this;
  }

  public StorageException.Corrupt corrupt(String found) {
    return new StorageException.Corrupt(place, at - start, found);
  }

  private int next() {
    if (at >= limit) {
      throw corrupt("a fragment that ends early");
    }
    return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, at++));
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = next();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt("a varint of more than ten bytes");
  }

  private long zigzag() {
    long value = varint();
    return (value >>> 1) ^ -(value & 1);
  }

  private long time() {
    return first + zigzag();
  }

  private int count() {
    long value = varint();
    if (value < 0 || value > limit - at) {
      throw corrupt("%s of %d bytes".formatted(Long.toUnsignedString(value), limit - at));
    }
    return (int) value;
  }

  private long skip(int bytes) {
    long from = at;
    at += bytes;
    return from;
  }

  private int columnThere() {
    long value = varint();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw corrupt("column " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  private int ttlThere() {
    long value = varint();
    if (value < 1 || value > Integer.MAX_VALUE) {
      throw corrupt("a ttl of " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  public MemorySegment memory() {
    return memory;
  }

  public boolean isLive() {
    return (flags & FragmentEncoder.LIVE) != 0;
  }

  public long liveTimestamp() {
    return liveTimestamp;
  }

  public int liveTtl() {
    return liveTtl;
  }

  public long liveExpiry() {
    return liveExpiry;
  }

  /// [Long#MIN_VALUE] for a row that was not deleted.
  public long rowDeleted() {
    return rowDeleted;
  }

  /// [Long#MIN_VALUE] for a partition that was not deleted.
  public long partitionDeleted() {
    return partitionDeleted;
  }

  /// Adds the ranges to a list.
  public void ranges(List<RangeDeletion> ranges) {
    if ((flags & FragmentEncoder.RANGES_DELETED) == 0) {
      return;
    }
    long kept = at;
    at = rangesAt;
    for (int left = count(); left > 0; left--) {
      byte[] from = bytes();
      byte[] until = bytes();
      ranges.add(new RangeDeletion(from, until, time()));
    }
    at = kept;
  }

  private byte[] bytes() {
    int count = count();
    byte[] bytes = new byte[count];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, skip(count), bytes, 0, count);
    return bytes;
  }

  /// Takes columns that are deleted, with the times of that.
  public interface Columns {
    void deleted(int column, long timestamp);
  }

  public void columns(Columns to) {
    if ((flags & FragmentEncoder.COLUMNS_DELETED) == 0) {
      return;
    }
    long kept = at;
    at = columnsAt;
    for (int left = count(); left > 0; left--) {
      int deleted = columnThere();
      to.deleted(deleted, time());
    }
    at = kept;
  }

  /// Moves to the next cell.
  public boolean nextCell() {
    if (at == limit) {
      return false;
    }
    int before = column;
    long pathBefore = pathAt;
    int bytesBefore = pathBytes;
    column = columnThere();
    cellFlags = next();
    if ((cellFlags & ~FragmentEncoder.CELL_FLAGS_ALL) != 0
        || (cellFlags & (FragmentEncoder.CELL_DELETED | FragmentEncoder.CELL_EXPIRES))
            == (FragmentEncoder.CELL_DELETED | FragmentEncoder.CELL_EXPIRES)) {
      throw corrupt("flags of a cell: " + cellFlags);
    }
    pathBytes = -1;
    if ((cellFlags & FragmentEncoder.CELL_PATH) != 0) {
      pathBytes = count();
      pathAt = skip(pathBytes);
    }
    if (column < before
        || (column == before && comparePath(memory, pathBefore, bytesBefore) <= 0)) {
      throw corrupt("column %d after %d, or its path".formatted(column, before));
    }
    timestamp = time();
    ttl = 0;
    expiry = Long.MAX_VALUE;
    if ((cellFlags & FragmentEncoder.CELL_EXPIRES) != 0) {
      ttl = ttlThere();
      expiry = zigzag();
    }
    valueBytes = 0;
    valueAt = at; // of a cell without a value, too: its reader may have been in another memory
    if ((cellFlags & FragmentEncoder.CELL_DELETED) == 0) {
      valueBytes = count();
      valueAt = skip(valueBytes);
    }
    return true;
  }

  /// Checks every cell.
  public void readAll() {
    boolean more = true;
    while (more) {
      more = nextCell();
    }
  }

  private int comparePath(MemorySegment other, long otherAt, int otherBytes) {
    return pathBytes < 0 || otherBytes < 0
        ? Integer.compare(pathBytes, otherBytes)
        : Keys.compare(memory, pathAt, pathBytes, other, otherAt, otherBytes);
  }

  /// Compares the names of two cells: column, then path.
  public int compareCell(FragmentReader other) {
    return column != other.column
        ? Integer.compare(column, other.column)
        : comparePath(other.memory, other.pathAt, other.pathBytes);
  }

  /// True when the cell wins over another one of its name.
  public boolean wins(FragmentReader other) {
    if (timestamp != other.timestamp) {
      return timestamp > other.timestamp;
    }
    if (rank() != other.rank()) {
      return rank() > other.rank();
    }
    if (expiry != other.expiry) {
      return expiry > other.expiry;
    }
    if (ttl != other.ttl) {
      return ttl < other.ttl;
    }
    return Keys.compare(memory, valueAt, valueBytes, other.memory, other.valueAt, other.valueBytes)
        > 0;
  }

  /// At equal times a tombstone wins, then a cell that expires.
  private int rank() {
    return isTombstone() ? 2 : ttl > 0 ? 1 : 0;
  }

  public boolean isTombstone() {
    return (cellFlags & FragmentEncoder.CELL_DELETED) != 0;
  }

  public int column() {
    return column;
  }

  public int cellFlags() {
    return cellFlags;
  }

  public long pathAt() {
    return pathAt;
  }

  /// Negative for a cell without a path.
  public int pathBytes() {
    return pathBytes;
  }

  public long timestamp() {
    return timestamp;
  }

  /// 0 for a cell that does not expire.
  public int ttl() {
    return ttl;
  }

  /// [Long#MAX_VALUE] for a cell that does not expire.
  public long expiry() {
    return expiry;
  }

  public long valueAt() {
    return valueAt;
  }

  public int valueBytes() {
    return valueBytes;
  }

  /// Back before the first cell.
  public void rewind() {
    at = cellsAt;
    column = -1;
  }
}
