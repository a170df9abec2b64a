package io.widerow.storage.codec;

import io.widerow.storage.StorageException;
import java.nio.file.Path;

/// A bounds-checked reader of what a [ByteSink] wrote. The file may be damaged or forged: nothing
/// is read past the limit, and every number is checked against its possible range before it is
/// used.
///
/// - Threads: one.
public final class ByteSource {
  private Path file;
  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private long fileOffset; // of bytes[0]

  public ByteSource(Path file) {
    this.file = file;
  }

  /// Sets the file that messages name.
  public void of(Path newFile) {
    file = newFile;
  }

  /// Starts reading `[offset, limit)` of `newBytes`. The array must have [#SLACK] bytes after the
  /// limit.
  public ByteSource over(byte[] newBytes, int offset, int newLimit, long newFileOffset) {
    assert newLimit + SLACK <= newBytes.length : newLimit + " of " + newBytes.length;
    bytes = newBytes;
    at = offset;
    limit = newLimit;
    fileOffset = newFileOffset;
    return this;
  }

  /// Bytes after the input that decoders may load but must not use.
  public static final int SLACK = 16;

  public byte[] bytes() {
    return bytes;
  }

  public int at() {
    return at;
  }

  public int left() {
    return limit - at;
  }

  public long fileOffset() {
    return fileOffset + at;
  }

  public StorageException.Corrupt corrupt(String found) {
    return new StorageException.Corrupt(file, fileOffset + at, found);
  }

  /// Skips `count` bytes and returns their offset in [#bytes].
  public int skip(long count, String what) {
    if (count < 0 || count > limit - at) {
      throw corrupt("%s of %d bytes, but only %d are left".formatted(what, count, limit - at));
    }
    int start = at;
    at += (int) count;
    return start;
  }

  public int readByte() {
    return bytes[skip(1, "a byte")] & 0xff;
  }

  public int readInt() {
    return (int) ByteSink.INT.get(bytes, skip(Integer.BYTES, "an int"));
  }

  public long readLong() {
    return (long) ByteSink.LONG.get(bytes, skip(Long.BYTES, "a long"));
  }

  public long readVarint() {
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

  /// Reads what [ByteSink#putZigzag] wrote.
  public long readZigzag() {
    long value = readVarint();
    return (value >>> 1) ^ -(value & 1);
  }

  /// Reads an unsigned varint from `least` to `most`, both inclusive.
  public int readCount(int least, int most, String what) {
    long value = readVarint();
    if (value < least || value > most) {
      throw corrupt(
          "%s of %s, expected %d to %d".formatted(what, Long.toUnsignedString(value), least, most));
    }
    return (int) value;
  }

  /// Throws when bytes are left over.
  public void requireEnd(String what) {
    if (at != limit) {
      throw corrupt("%d bytes after the end of %s".formatted(limit - at, what));
    }
  }
}
