package io.widerow.query.series;

/// Reads the samples of one chunk that an [XorChunk] has written.
///
/// - Threads: one.
public final class XorSamples {
  private byte[] bytes = {};
  private int bits;
  private int count;
  private int at;
  private long millis;
  private long delta;
  private long value;
  private int leading;
  private int trailing;

  /// Starts with a chunk.
  public void begin(byte[] chunk) {
    bytes = chunk;
    bits = 0;
    at = 0;
    leading = 0;
    trailing = 0;
    count = (int) take(XorChunk.COUNT_BYTES * Byte.SIZE);
  }

  /// Moves to the next sample; false after the last.
  public boolean next() {
    if (at == count) {
      return false;
    }
    if (at == 0) {
      long raw = varint();
      millis = (raw >>> 1) ^ -(raw & 1);
      value = take(Long.SIZE);
    } else {
      delta = at == 1 ? varint() : delta + difference();
      millis += delta;
      xor();
    }
    at++;
    return true;
  }

  /// Time of the sample, milliseconds since the Unix epoch.
  public long millis() {
    return millis;
  }

  /// The bits of its value, a double.
  public long valueBits() {
    return value;
  }

  private long difference() {
    int size = 0;
    if (take(1) != 0) {
      size = take(1) == 0 ? 14 : take(1) == 0 ? 17 : take(1) == 0 ? 20 : Long.SIZE;
    }
    long raw = take(size);
    boolean negative = size > 0 && size < Long.SIZE && raw > 1L << (size - 1);
    return negative ? raw - (1L << size) : raw;
  }

  private void xor() {
    if (take(1) == 0) {
      return;
    }
    if (take(1) != 0) {
      leading = (int) take(5);
      int size = (int) take(6);
      trailing = Long.SIZE - leading - (size == 0 ? Long.SIZE : size);
    }
    value ^= take(Long.SIZE - leading - trailing) << trailing;
  }

  private long varint() {
    long number = 0;
    for (int shift = 0; ; shift += 7) {
      long part = take(Byte.SIZE);
      number |= (part & 0x7f) << shift;
      if (part < 0x80) {
        return number;
      }
    }
  }

  private long take(int size) {
    long number = 0;
    int left = size;
    while (left > 0) {
      int there = Byte.SIZE - (bits & 7);
      int now = Math.min(there, left);
      int part = (bytes[bits >>> 3] >>> (there - now)) & ((1 << now) - 1);
      number = (number << now) | part;
      bits += now;
      left -= now;
    }
    return number;
  }
}
