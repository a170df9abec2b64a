package io.widerow.ingest.decode;

/// Text of UTF-16 as UTF-8. A file or a body of UTF-16 is known by its byte order mark. Half a
/// surrogate pair becomes its three bytes, which are not UTF-8: they are escaped as such bytes are,
/// see [EscapedText].
///
/// ```
///   ff fe 41 00 ..    little-endian        fe ff 00 41 ..    big-endian
/// ```
public final class Utf16Text {
  /// The most bytes that so many bytes of UTF-16 become.
  public static int utf8Bytes(int rawBytes) {
    return rawBytes / 2 * 3;
  }

  private Utf16Text() {}

  /// Whether the bytes begin with the mark of either order.
  public static boolean isMarked(byte[] raw, int count) {
    return count >= 2 && (isBigEndian(raw) || (raw[0] == (byte) 0xff && raw[1] == (byte) 0xfe));
  }

  /// Whether the bytes, which are marked, have the high byte first.
  public static boolean isBigEndian(byte[] raw) {
    return raw[0] == (byte) 0xfe && raw[1] == (byte) 0xff;
  }

  /// Converts whole characters. At the end one byte, or the first half of a pair, may be left.
  ///
  /// @param out with room for [#utf8Bytes]
  /// @return bytes written
  public static int toUtf8(byte[] raw, int length, boolean big, byte[] out) {
    int to = 0;
    for (int at = 0; at + 2 <= length; at += 2) {
      int unit = unit(raw, at, big);
      if (Character.isHighSurrogate((char) unit)) {
        if (at + 4 > length) {
          return to;
        }
        int low = unit(raw, at + 2, big);
        if (Character.isLowSurrogate((char) low)) {
          int point = Character.toCodePoint((char) unit, (char) low);
          out[to++] = (byte) (0xf0 | (point >> 18));
          out[to++] = (byte) (0x80 | ((point >> 12) & 0x3f));
          out[to++] = (byte) (0x80 | ((point >> 6) & 0x3f));
          out[to++] = (byte) (0x80 | (point & 0x3f));
          at += 2;
          continue;
        }
      }
      if (unit < 0x80) {
        out[to++] = (byte) unit;
      } else if (unit < 0x800) {
        out[to++] = (byte) (0xc0 | (unit >> 6));
        out[to++] = (byte) (0x80 | (unit & 0x3f));
      } else {
        out[to++] = (byte) (0xe0 | (unit >> 12));
        out[to++] = (byte) (0x80 | ((unit >> 6) & 0x3f));
        out[to++] = (byte) (0x80 | (unit & 0x3f));
      }
    }
    return to;
  }

  /// The number of bytes of UTF-16 that became the first bytes of [#toUtf8], which end with a
  /// character.
  public static int rawBytes(byte[] utf8, int count) {
    int raw = 0;
    for (int at = 0; at < count; at++) {
      int b = utf8[at] & 0xff;
      boolean continues = (b & 0xc0) == 0x80;
      raw += continues ? 0 : b >= 0xf0 ? 4 : 2;
    }
    return raw;
  }

  private static int unit(byte[] raw, int at, boolean big) {
    int first = raw[at] & 0xff;
    int second = raw[at + 1] & 0xff;
    return big ? first << Byte.SIZE | second : second << Byte.SIZE | first;
  }
}
