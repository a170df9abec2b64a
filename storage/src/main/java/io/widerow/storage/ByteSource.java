package io.widerow.storage;

import java.nio.file.Path;

/// A bounds-checked reader of what a [ByteSink] wrote. The file may be damaged or forged: nothing
/// is read past the limit, and every number is checked against its possible range before it is
/// used.
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

  /// Sets the file that messages name.
  void of(Path newFile) {
    file = newFile;
  }

  /// Starts reading `[offset, limit)` of `newBytes`. The array must have [#SLACK] bytes after the
  /// limit.
  ByteSource over(byte[] newBytes, int offset, int newLimit, long newFileOffset) {
    assert newLimit + SLACK <= newBytes.length : newLimit + " of " + newBytes.length;
    bytes = newBytes;
    at = offset;
    limit = newLimit;
    fileOffset = newFileOffset;
    return this;
  }

  /// Bytes after the input that decoders may load but must not use.
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

  /// Skips `count` bytes and returns their offset in [#bytes].
  int skip(long count, String what) {
    if (count < 0 || count > limit - at) {
      throw corrupt("%s of %d bytes, but only %d are left".formatted(what, count, limit - at));
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

  /// Reads an unsigned varint from `least` to `most`, both inclusive.
  int readCount(int least, int most, String what) {
    long value = readVarint();
    if (value < least || value > most) {
      throw corrupt(
          "%s of %s, expected %d to %d".formatted(what, Long.toUnsignedString(value), least, most));
    }
    return (int) value;
  }

  /// Throws when bytes are left over.
  void requireEnd(String what) {
    if (at != limit) {
      throw corrupt("%d bytes after the end of %s".formatted(limit - at, what));
    }
  }
}
