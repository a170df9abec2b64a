package io.widerow.storage.codec;

/// Byte searches eight bytes at a time, in little-endian longs (SWAR, SIMD within a register). A
/// *mark* is a long that has bit 7 set in each byte that was found and no other bit, so its lowest
/// bit divided by 8 is the index of the first such byte.
///
/// ```
///   bytes   G  E  T  _  /  a  .  b
///   tokens  80 80 80 80 00 80 00 80
/// ```
///
/// The caller provides [ByteSource#SLACK] bytes after the last one; they are loaded and not used.
public final class ByteWords {
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  public static final long HIGH = 0x8080_8080_8080_8080L;

  /// The longest text that is copied here; longer ones are left to the runtime.
  private static final int COPIED_MAX = 64;

  private ByteWords() {}

  public static long load(byte[] bytes, int at) {
    return (long) ByteSink.LONG.get(bytes, at);
  }

  /// The first `count` bytes, 1 to 8, followed by zeros.
  public static long load(byte[] bytes, int at, int count) {
    return load(bytes, at) & (-1L >>> (Long.SIZE - 8 * count));
  }

  /// Marks the bytes equal to `wanted`, an ASCII character. Only the lowest mark is certain.
  public static long equal(long word, char wanted) {
    return zeros(word ^ (ONES * wanted));
  }

  /// Marks the bytes that are zero. Only the lowest mark is certain.
  static long zeros(long word) {
    return (word - ONES) & ~word & HIGH;
  }

  /// A byte, repeated eight times.
  static long each(byte value) {
    return ONES * (value & 0xff);
  }

  /// Marks letters, digits, and the characters from `-` to `/`.
  public static long words(long word) {
    long low = word & ~HIGH;
    long lower = low | (ONES * 0x20);
    long letters = (lower + ONES * (0x80 - 'a')) & ~(lower + ONES * (0x80 - 'z' - 1));
    long others = (low + ONES * (0x80 - '-')) & ~(low + ONES * (0x80 - '9' - 1));
    return (letters | others) & ~word & HIGH;
  }

  /// Marks digits.
  public static long digits(long word) {
    long low = word & ~HIGH;
    return (low + ONES * (0x80 - '0')) & ~(low + ONES * (0x80 - '9' - 1)) & ~word & HIGH;
  }

  /// A mask of the first `count` bytes, 0 to 8.
  public static long first(int count) {
    return count == 0 ? 0 : -1L >>> (Long.SIZE - 8 * count);
  }

  /// Marks the bytes of tokens: letters, digits, underscores and all bytes from 0x80.
  public static long tokens(long word) {
    long low = word & ~HIGH;
    long lower = low | (ONES * 0x20);
    long letters = (lower + ONES * (0x80 - 'a')) & ~(lower + ONES * (0x80 - 'z' - 1));
    long digits = (low + ONES * (0x80 - '0')) & ~(low + ONES * (0x80 - '9' - 1));
    long underscores = ~((low ^ (ONES * '_')) + ONES * 0x7f);
    return (word | letters | digits | underscores) & HIGH;
  }

  /// Packs marks into eight bits, the first byte's lowest.
  public static long bits(long marks) {
    return (marks * 0x0002_0408_1020_4081L) >>> 56;
  }

  /// The number of bytes before the first mark; 8 when there is none.
  public static int before(long marks) {
    return Long.numberOfTrailingZeros(marks) >>> 3;
  }

  /// The values of `count` digits, 1 to 8, one in each byte, padded with leading zeros.
  public static long digits(byte[] bytes, int at, int count) {
    return (load(bytes, at) ^ (ONES * '0')) << (Long.SIZE - 8 * count);
  }

  /// True when every byte of [#digits] is 0 to 9.
  public static boolean areDigits(long digits) {
    return (((digits + ONES * 0x76) | digits) & HIGH) == 0;
  }

  /// The number written by eight digits.
  public static long number(long digits) {
    long pairs = (digits * 2561) >>> 8;
    long fours = ((pairs & 0x00ff_00ff_00ff_00ffL) * 6_553_601) >>> 16;
    return ((fours & 0x0000_ffff_0000_ffffL) * 42_949_672_960_001L) >>> 32;
  }

  /// Copies `length` bytes, and may write up to seven more after them.
  public static void copy(byte[] source, int from, byte[] target, int to, int length) {
    if (length > COPIED_MAX) {
      System.arraycopy(source, from, target, to, length);
      return;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      ByteSink.LONG.set(target, to + i, load(source, from + i));
    }
  }

  public static boolean same(byte[] a, int aOffset, byte[] b, int bOffset, int length) {
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      if (load(a, aOffset + at) != load(b, bOffset + at)) {
        return false;
      }
    }
    int left = length - at;
    return left == 0
        || ((load(a, aOffset + at) ^ load(b, bOffset + at)) << (Long.SIZE - 8 * left)) == 0;
  }

  /// A hash of a text, for use within one process.
  public static int hash(byte[] bytes, int offset, int length) {
    long hash = length * PRIME;
    int limit = offset + length;
    int at = offset;
    for (; at + Long.BYTES < limit; at += Long.BYTES) { // no multiplication waits for another one
      hash = Long.rotateLeft(hash, 27) + load(bytes, at) * PRIME;
    }
    if (at < limit) {
      hash ^= load(bytes, at, limit - at);
    }
    hash = (hash ^ (hash >>> 32)) * PRIME;
    return (int) (hash >>> 32);
  }
}
