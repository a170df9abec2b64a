package io.widerow.event;

/// Prints eight digits at a time, as ASCII in a little-endian long whose lowest byte is the first
/// digit. The number is split in halves, and each half again, side by side in one word.
///
/// ```
///   number            1234_5678
///   fours             1234        5678         32 bits each
///   pairs             12    34    56    78     16 bits each
///   digits            1  2  3  4  5  6  7  8   8 bits each
/// ```
///
/// A quotient is a product with a reciprocal, which is exact for numbers this small (Warren,
/// Hacker's Delight, 10-9).
public final class Digits {
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long ZEROS = ONES * '0';
  private static final int LETTERS = 'a' - '9' - 1;

  private Digits() {}

  /// @param number 0 to 99,999,999; padded with leading zeros
  public static long decimal(int number) {
    int high = number / 10_000;
    long fours = high | ((long) (number - high * 10_000) << 32);
    long hundreds = ((fours * 10_486) >>> 20) & 0x7f_0000_007fL;
    long pairs = hundreds | ((fours - hundreds * 100) << 16);
    long tens = ((pairs * 103) >>> 10) & 0x000f_000f_000f_000fL;
    return (tens | ((pairs - tens * 10) << 8)) + ZEROS;
  }

  /// @param bits printed as eight digits, in lower case
  public static long hex(int bits) {
    long bytes = Integer.toUnsignedLong(Integer.reverseBytes(bits)); // the first digits lowest
    bytes = (bytes | (bytes << 16)) & 0x0000_ffff_0000_ffffL;
    bytes = (bytes | (bytes << 8)) & 0x00ff_00ff_00ff_00ffL;
    long digits =
        ((bytes >>> 4) & 0x000f_000f_000f_000fL) | ((bytes & 0x000f_000f_000f_000fL) << 8);
    long fromTen = ((digits + ONES * 6) >>> 4) & ONES;
    return digits + ZEROS + fromTen * LETTERS;
  }
}
