package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeNames;
import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.Series;
import java.lang.foreign.MemorySegment;

/// Decoded directory of a block: its columns, their value ranges and their places in the file.
///
/// - Threads: one.
public final class BlockDirectory {
  private final AttributeNames cache = new AttributeNames();
  public int events;
  public int columns;
  public long idsOffset;
  public int idsBytes;
  public AttributeName[] names = new AttributeName[0];
  AttributeKind[] kinds = new AttributeKind[0];
  int[] present = new int[0];
  boolean[] ranged = new boolean[0];
  public boolean[] follows = new boolean[0]; // needs the series of the block
  boolean[] compressed = new boolean[0]; // its numbers, as a whole
  public boolean[] timed = new boolean[0]; // needs the times of the block's events
  long[] least = new long[0];
  long[] greatest = new long[0];
  public int[] leaders = new int[0]; // columns that distinguish the series
  public int leaderCount;
  public int[] chunkBytes = new int[0];
  public long[] chunkOffsets = new long[0];

  /// Reads a directory. The rest of its block follows it in the file.
  ///
  /// @param offset file offset at which the rest starts
  /// @param limit file offset at which it ends
  public void read(ByteSource in, int eventsExpected, long offset, long limit) {
    readParts(in, eventsExpected, eventsExpected);
    in.requireEnd("the directory");
    idsOffset = offset;
    long next = offset + idsBytes + SegmentFormat.CRC_BYTES;
    for (int i = 0; i < columns; i++) {
      chunkOffsets[i] = next;
      next += chunkBytes[i] + SegmentFormat.CRC_BYTES;
    }
    if (next != limit) {
      throw in.corrupt("columns end at %d, the block at %d".formatted(next, limit));
    }
  }

  /// Reads a directory of unknown size, of a block of unknown size. Bytes after the directory stay
  /// unread.
  ///
  /// @return bytes of the rest of the block, which follows the checksum of the directory
  public long readNext(ByteSource in) {
    readParts(in, 1, BlockLimits.EVENTS_MAX);
    long bytes = idsBytes + (columns + 1L) * SegmentFormat.CRC_BYTES;
    for (int i = 0; i < columns; i++) {
      bytes += chunkBytes[i];
    }
    return bytes;
  }

  private void readParts(ByteSource in, int eventsLeast, int eventsMost) {
    events = in.readCount(eventsLeast, eventsMost, "events");
    idsBytes = in.readCount(1, BlockLimits.BYTES_MAX, "bytes of ids");
    columns = in.readCount(0, BlockLimits.COLUMNS_MAX, "columns");
    room();
    boolean followed = false;
    for (int i = 0; i < columns; i++) {
      readColumn(in, i);
      followed |= follows[i];
    }
    leaderCount = followed ? in.readCount(1, Series.LEADERS_MAX, "leading columns") : 0;
    readLeaders(in);
  }

  private void readColumn(ByteSource in, int i) {
    int nameBytes = in.readByte();
    if (nameBytes == 0) {
      throw in.corrupt("an attribute without a name");
    }
    int nameAt = in.skip(nameBytes, "attribute name");
    names[i] = cache.at(MemorySegment.ofArray(in.bytes()), nameAt, nameBytes);
    int kind = in.readByte();
    if (kind < 1 || kind > AttributeKind.BYTES.code) {
      throw in.corrupt("attribute kind " + kind);
    }
    kinds[i] = AttributeKind.of(kind);
    if (i > 0) {
      int order = names[i - 1].compareTo(names[i]);
      if (order > 0 || (order == 0 && kinds[i - 1].compareTo(kinds[i]) >= 0)) {
        throw in.corrupt("attribute %s after %s".formatted(names[i], names[i - 1]));
      }
    }
    present[i] = in.readCount(1, events, "events with attribute " + names[i]);
    int flags = in.readByte();
    if (flags
        > (ColumnFlags.RANGED | ColumnFlags.FOLLOWS | ColumnFlags.COMPRESSED | ColumnFlags.TIMED)) {
      throw in.corrupt("flags %d of attribute %s".formatted(flags, names[i]));
    }
    ranged[i] = (flags & ColumnFlags.RANGED) != 0;
    follows[i] = (flags & ColumnFlags.FOLLOWS) != 0;
    compressed[i] = (flags & ColumnFlags.COMPRESSED) != 0;
    timed[i] = (flags & ColumnFlags.TIMED) != 0;
    least[i] = ranged[i] ? in.readLong() : 0;
    greatest[i] = ranged[i] ? in.readLong() : 0;
    chunkBytes[i] = in.readCount(1, BlockLimits.BYTES_MAX, "bytes of a column");
  }

  private void readLeaders(ByteSource in) {
    if (leaders.length < leaderCount) {
      leaders = new int[Series.LEADERS_MAX];
    }
    for (int i = 0; i < leaderCount; i++) {
      int leader = in.readCount(0, columns - 1, "leading column");
      leaders[i] = leader;
      if (!kinds[leader].isText() || follows[leader]) {
        throw in.corrupt("attribute %s leads".formatted(names[leader]));
      }
    }
  }

  private void room() {
    if (names.length < columns) {
      int size = 2 * columns;
      follows = new boolean[size];
      compressed = new boolean[size];
      timed = new boolean[size];
      names = new AttributeName[size];
      kinds = new AttributeKind[size];
      present = new int[size];
      ranged = new boolean[size];
      least = new long[size];
      greatest = new long[size];
      chunkBytes = new int[size];
      chunkOffsets = new long[size];
    }
  }

  /// The first column of a name; negative when there is none.
  public int find(AttributeName name) {
    int low = 0;
    int high = columns;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (names[middle].compareTo(name) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < columns && names[low].equals(name) ? low : -1;
  }

  /// True when each event of the block has a value of a name and kind.
  public boolean isEverywhere(AttributeName name, AttributeKind kind) {
    for (int column = find(name); column >= 0; column = findNext(column)) {
      if (kinds[column] == kind && present[column] == events) {
        return true;
      }
    }
    return false;
  }

  /// The next column of the same name; negative when there is none.
  public int findNext(int column) {
    int next = column + 1;
    return next < columns && names[next].equals(names[column]) ? next : -1;
  }
}
