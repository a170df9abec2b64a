package io.widerow.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// UTF-8 validation and comparison. Valid means RFC 3629: no overlong form, no surrogate, nothing
/// above U+10FFFF. ASCII is checked 32 bytes at a time.
public final class Utf8 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int SHORT_BYTES_MAX = 256;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private Utf8() {}

  public static boolean isValid(byte[] bytes, int offset, int length) {
    if (length <= SHORT_BYTES_MAX && isAscii(bytes, offset, length)) {
      return true;
    }
    int limit = offset + length;
    int at = behindAscii(bytes, offset, limit);
    while (at < limit) {
      at = behindSequence(bytes, at, limit);
      if (at < 0) {
        return false;
      }
      at = behindAscii(bytes, at, limit);
    }
    return true;
  }

  /// True when a short string is ASCII, as most are. The last eight bytes overlap those before
  /// them, so that there is no loop over single bytes.
  private static boolean isAscii(byte[] bytes, int offset, int length) {
    if (length >= Long.BYTES) {
      int last = offset + length - Long.BYTES;
      long all = load(bytes, last);
      for (int at = offset; at < last; at += Long.BYTES) {
        all |= load(bytes, at);
      }
      return (all & HIGH_BITS) == 0;
    }
    int all = 0;
    for (int at = offset; at < offset + length; at++) {
      all |= bytes[at];
    }
    return all >= 0;
  }

  /// The end of the valid UTF-8 that starts at `offset`: `limit` when all of it is valid, otherwise
  /// the offset of the first byte that is not.
  public static int validEnd(byte[] bytes, int offset, int limit) {
    int at = behindAscii(bytes, offset, limit);
    while (at < limit) {
      int next = behindSequence(bytes, at, limit);
      if (next < 0) {
        return at;
      }
      at = behindAscii(bytes, next, limit);
    }
    return at;
  }

  /// Offset of the first byte from `at` that is not ASCII; `limit` when all are. Takes 32 bytes a
  /// step, because the loads of one step do not depend on each other.
  private static int behindAscii(byte[] bytes, int at, int limit) {
    while (at <= limit - 4 * Long.BYTES
        && ((load(bytes, at) | load(bytes, at + 8) | load(bytes, at + 16) | load(bytes, at + 24))
                & HIGH_BITS)
            == 0) {
      at += 4 * Long.BYTES;
    }
    while (at <= limit - Long.BYTES) {
      long high = load(bytes, at) & HIGH_BITS;
      if (high != 0) {
        return at + (Long.numberOfTrailingZeros(high) >>> 3);
      }
      at += Long.BYTES;
    }
    while (at < limit && bytes[at] >= 0) {
      at++;
    }
    return at;
  }

  private static long load(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /// Compares two strings as their UTF-8 bytes compare, unsigned, which is the order of code
  /// points. The order of UTF-16 is different: surrogate pairs (above U+FFFF) sort before U+E000 to
  /// U+FFFF.
  public static int compare(String a, String b) {
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      char charA = a.charAt(i);
      char charB = b.charAt(i);
      if (charA != charB) {
        return rank(charA) - rank(charB);
      }
    }
    return a.length() - b.length();
  }

  /// Ranks surrogates after all other characters.
  private static int rank(char c) {
    return Character.isSurrogate(c) ? c + 0x1_0000 : c;
  }

  /// The bytes of a name or a marker of a protocol.
  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// True when every surrogate of the string is part of a pair, so that encoding it loses nothing.
  public static boolean isEncodable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean pair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /// Offset after the multi-byte sequence that starts at `at`; negative when it is not valid.
  private static int behindSequence(byte[] bytes, int at, int limit) {
    int lead = bytes[at] & 0xff;
    if (lead >= 0xc2 && lead <= 0xdf) {
      return continues(bytes, at + 1, limit, 0x80, 0xbf) ? at + 2 : -1;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
      int least = lead == 0xe0 ? 0xa0 : 0x80;
      int most = lead == 0xed ? 0x9f : 0xbf;
      return continues(bytes, at + 1, limit, least, most)
              && continues(bytes, at + 2, limit, 0x80, 0xbf)
          ? at + 3
          : -1;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
      int least = lead == 0xf0 ? 0x90 : 0x80;
      int most = lead == 0xf4 ? 0x8f : 0xbf;
      return continues(bytes, at + 1, limit, least, most)
              && continues(bytes, at + 2, limit, 0x80, 0xbf)
              && continues(bytes, at + 3, limit, 0x80, 0xbf)
          ? at + 4
          : -1;
    }
    return -1;
  }

  private static boolean continues(byte[] bytes, int at, int limit, int least, int most) {
    return at < limit && (bytes[at] & 0xff) >= least && (bytes[at] & 0xff) <= most;
  }
}
