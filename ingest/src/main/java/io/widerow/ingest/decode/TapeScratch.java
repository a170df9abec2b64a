package io.widerow.ingest.decode;

import java.util.Arrays;

/// Holds the bytes of a tape that the body does not have verbatim: joined names, unescaped text.
///
/// - Threads: one.
/// - Memory: keeps its array.
final class TapeScratch {
  /// The characters of one-letter escapes.
  private static final byte[] ESCAPES = new byte[1 << Byte.SIZE];

  static {
    String letters = "\"\\/bfnrt";
    String meant = "\"\\/\b\f\n\r\t";
    for (int i = 0; i < letters.length(); i++) {
      ESCAPES[letters.charAt(i)] = (byte) meant.charAt(i);
    }
  }

  byte[] bytes = new byte[1 << 10];
  int limit; // where the next byte goes
  private boolean[] objects = new boolean[64]; // of the brackets around a skipped value

  /// Notes a bracket.
  ///
  /// @param depth how many are open with it
  void open(int depth, boolean object) {
    if (depth > objects.length) {
      objects = Arrays.copyOf(objects, 2 * objects.length);
    }
    objects[depth - 1] = object;
  }

  /// The bracket that closes the innermost open one.
  int close(int depth) {
    return objects[depth - 1] ? '}' : ']';
  }

  void append(int value) {
    if (limit == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * limit);
    }
    bytes[limit++] = (byte) value;
  }

  void append(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, bytes, limit, length);
    limit += length;
  }

  /// Appends a JSON string, with each escape of one letter unescaped: up to another escape, a quote
  /// or a control character, or up to the limit of the text.
  ///
  /// @param source with [Swar#SLACK_BYTES] readable bytes after `sourceLimit`
  /// @return where it ended
  int appendJson(byte[] source, int offset, int sourceLimit) {
    byte[] out = bytes;
    int to = limit;
    int at = offset;
    while (at < sourceLimit) {
      if (out.length - to < Long.BYTES) {
        out = Arrays.copyOf(out, 2 * out.length);
      }
      long ends = Swar.copyStringWord(source, at, out, to);
      if (ends == 0) { // a step that is known before the word is: no step waits for the one before
        at += Long.BYTES;
        to += Long.BYTES;
        continue;
      }
      int plain = Long.numberOfTrailingZeros(ends) >>> 3;
      at += plain;
      to += plain;
      if (at >= sourceLimit - 1 || source[at] != '\\') {
        break;
      }
      byte meant = ESCAPES[source[at + 1] & 0xff];
      if (meant == 0) {
        break;
      }
      out[to++] = meant;
      at += 2;
    }
    int beyond = Math.max(0, at - sourceLimit); // of the last word
    bytes = out;
    limit = to - beyond;
    return at - beyond;
  }

  private void reserve(int more) {
    if (bytes.length - limit < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, limit + more));
    }
  }
}
