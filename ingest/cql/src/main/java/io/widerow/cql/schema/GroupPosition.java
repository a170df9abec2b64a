package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;

/// The position at which a page of groups has ended. The next page continues with the rows after
/// the first row of its last group, and skips the other rows of that group: rows that were deleted
/// or inserted in between move no other group.
///
/// ```
///   | form 1 | groups of the partition 4 | length 4 | key of the group | position of its row |
/// ```
///
/// @param ofPartition groups of its partition so far
/// @param key of the last group
/// @param row position of its first row in the table; empty where all groups are made each time
public record GroupPosition(int ofPartition, ByteBuffer key, ByteBuffer row) {
  private static final byte FORM = 1;
  private static final int HEAD_BYTES = 1 + 2 * Integer.BYTES;

  /// @throws CqlException when it is not such a position
  public static GroupPosition read(ByteBuffer bytes) {
    if (bytes.remaining() == Integer.BYTES) {
      throw CqlException.protocol(
          "Invalid value for the paging state: it has an earlier version, query from the start");
    }
    ByteBuffer rest = bytes.duplicate();
    if (rest.remaining() >= HEAD_BYTES && rest.get() == FORM) {
      int ofPartition = rest.getInt();
      int length = rest.getInt();
      if (length >= 0 && length <= rest.remaining()) {
        ByteBuffer key = rest.slice(rest.position(), length);
        return new GroupPosition(ofPartition, key, rest.position(rest.position() + length).slice());
      }
    }
    throw CqlException.protocol("Invalid value for the paging state");
  }

  public ByteBuffer write() {
    return ByteBuffer.allocate(HEAD_BYTES + key.remaining() + row.remaining())
        .put(FORM)
        .putInt(ofPartition)
        .putInt(key.remaining())
        .put(key.duplicate())
        .put(row.duplicate())
        .flip();
  }
}
