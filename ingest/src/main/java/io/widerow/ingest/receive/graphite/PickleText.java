package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.decode.Swar;
import java.util.Arrays;

/// The texts of a pickle that had to be unescaped, as UTF-8: those of the textual opcodes, which
/// Python writes as `repr` does (`S`) or as its codec `raw-unicode-escape` (`V`).
///
/// - Threads: one.
final class PickleText {
  private byte[] bytes = new byte[256];
  private int length;

  void clear() {
    length = 0;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /// True when a text is ASCII without a backslash, and so is the same when unescaped.
  static boolean isPlain(byte[] source, int offset, int limit) {
    for (int at = offset; at < limit; at++) {
      if (source[at] == '\\' || source[at] < 0) {
        return false;
      }
    }
    return true;
  }

  /// Adds a text, unescaped.
  ///
  /// @param unicode whether it is of `V`, else of `S`
  /// @return false when an escape is bad
  boolean unescape(byte[] source, int offset, int limit, boolean unicode) {
    for (int at = offset; at < limit; ) {
      int b = source[at++];
      if (b != '\\') {
        if (unicode) {
          point(b & 0xff); // the codec is Latin-1 except for its escapes
        } else {
          put(b);
        }
        continue;
      }
      int escape = at < limit ? source[at] : -1;
      int digits =
          switch (escape) {
            case 'x' -> unicode ? 0 : 2;
            case 'u' -> unicode ? 4 : 0;
            case 'U' -> unicode ? 8 : 0;
            default -> 0;
          };
      if (digits > 0) {
        int value = hex(source, at + 1, limit, digits);
        if (value < 0) {
          return false;
        }
        if (unicode) {
          point(value);
        } else {
          put(value);
        }
        at += 1 + digits;
      } else if (unicode) {
        put('\\');
      } else {
        int plain = plain(escape);
        if (plain < 0) {
          return false;
        }
        put(plain);
        at++;
      }
    }
    return true;
  }

  private static int plain(int escape) {
    return switch (escape) {
      case '\\', '\'', '"' -> escape;
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> -1;
    };
  }

  private static int hex(byte[] source, int from, int limit, int digits) {
    if (limit - from < digits) {
      return -1;
    }
    long value = 0;
    for (int at = from; at < from + digits; at++) {
      int digit = source[at] < 0 ? -1 : Character.digit(source[at], 16);
      if (digit < 0) {
        return -1;
      }
      value = (value << 4) | digit;
    }
    return value > Character.MAX_CODE_POINT ? -1 : (int) value;
  }

  private void point(int point) {
    if (point < 0x80) {
      put(point);
    } else if (point < 0x800) {
      put(0xc0 | (point >> 6));
      put(0x80 | (point & 0x3f));
    } else if (point < 0x1_0000) {
      put(0xe0 | (point >> 12));
      put(0x80 | ((point >> 6) & 0x3f));
      put(0x80 | (point & 0x3f));
    } else {
      put(0xf0 | (point >> 18));
      put(0x80 | ((point >> 12) & 0x3f));
      put(0x80 | ((point >> 6) & 0x3f));
      put(0x80 | (point & 0x3f));
    }
  }

  private void put(int b) {
    if (length + Swar.SLACK_BYTES >= bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    bytes[length++] = (byte) b;
  }
}
