package io.widerow.storage.segment;

import io.widerow.storage.codec.ByteSink;
import java.util.UUID;
import java.util.zip.CRC32C;

/// CRC32C of a piece of a segment, salted with the piece's place, so that a piece of another store,
/// file or offset fails the check.
///
/// ```
///  crc32c( storeId, 16 bytes big-endian | segmentId, 8 | file offset, 8 | the bytes )
/// ```
///
/// - Threads: one.
public final class SegmentChecksum {
  private final CRC32C crc = new CRC32C();
  private final ByteSink salt = new ByteSink();
  private final UUID storeId;
  private final long segmentId;

  public SegmentChecksum(UUID storeId, long segmentId) {
    this.storeId = storeId;
    this.segmentId = segmentId;
  }

  UUID storeId() {
    return storeId;
  }

  long segmentId() {
    return segmentId;
  }

  public int of(byte[] bytes, int offset, int length, long fileOffset) {
    salt.clear();
    salt.putLong(Long.reverseBytes(storeId.getMostSignificantBits()));
    salt.putLong(Long.reverseBytes(storeId.getLeastSignificantBits()));
    salt.putLong(segmentId);
    salt.putLong(fileOffset);
    crc.reset();
    crc.update(salt.bytes(), 0, salt.length());
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /// Appends the checksum of all bytes in `out` from `start` on.
  ///
  /// @param fileOffset file offset of the byte at `start`
  public void seal(ByteSink out, int start, long fileOffset) {
    out.putInt(of(out.bytes(), start, out.length() - start, fileOffset));
  }
}
