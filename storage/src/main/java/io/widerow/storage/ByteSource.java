package io.widerow.storage;

import java.nio.file.Path;

/// Reads what a [ByteSink] wrote, from a file that may be damaged or made up: nothing is read
/// behind the limit, and no number is believed before it was compared with what is possible.
///
/// - Threads: one.
final class ByteSource {
  private Path file;
  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private long fileOffset; // of bytes[0]

  ByteSource(Path file) {
    this.file = file;
  }

  /// Names another file in messages.
  void of(Path newFile) {
    file = newFile;
  }

  /// Reads `[offset, limit)` of `newBytes` next. Behind the limit there must be [#SLACK] bytes.
  ByteSource over(byte[] newBytes, int offset, int newLimit, long newFileOffset) {
    assert newLimit + SLACK <= newBytes.length : newLimit + " of " + newBytes.length;
    bytes = newBytes;
    at = offset;
    limit = newLimit;
    fileOffset = newFileOffset;
    return this;
  }

  /// Bytes that decoders may look at, not use, behind what they read.
  static final int SLACK = 16;

  byte[] bytes() {
    return bytes;
  }

  int at() {
    return at;
  }

  int left() {
    return limit - at;
  }

  long fileOffset() {
    return fileOffset + at;
  }

  StorageException.Corrupt corrupt(String found) {
    return new StorageException.Corrupt(file, fileOffset + at, found);
  }

  /// Passes over `count` bytes and returns where in [#bytes] they start.
  int skip(long count, String what) {
    if (count < 0 || count > limit - at) {
      throw corrupt("%s of %d bytes where %d are left".formatted(what, count, limit - at));
    }
    int start = at;
    at += (int) count;
    return start;
  }

  int readByte() {
    return bytes[skip(1, "a byte")] & 0xff;
  }

  int readInt() {
    return (int) ByteSink.INT.get(bytes, skip(Integer.BYTES, "an int"));
  }

  long readLong() {
    return (long) ByteSink.LONG.get(bytes, skip(Long.BYTES, "a long"));
  }

  long readVarint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = readByte();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt("a varint of more than ten bytes");
  }

  long readZigzag() {
    long value = readVarint();
    return (value >>> 1) ^ -(value & 1);
  }

  /// Reads an unsigned varint that must be `least` to `most`.
  int readCount(int least, int most, String what) {
    long value = readVarint();
    if (value < least || value > most) {
      throw corrupt(
          "%s of %s, possible are %d to %d"
              .formatted(what, Long.toUnsignedString(value), least, most));
    }
    return (int) value;
  }

  /// Refuses bytes that are left over.
  void requireEnd(String what) {
    if (at != limit) {
      throw corrupt("%d bytes behind the end of %s".formatted(limit - at, what));
    }
  }
}
