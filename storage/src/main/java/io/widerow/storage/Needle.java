package io.widerow.storage;

import io.widerow.event.Text;
import java.util.Arrays;

/// A text that is looked for in many others, eight places at a time: a place counts when both its
/// first and its last byte are right there, and is then compared.
///
/// ```
///   needle  l o g i n          first l, last n
///   text    / a l l o w / l o g i n
///   first       80 80       80
///   last            (four places further)  80     only one place has both
/// ```
///
/// See Muła, "SIMD-friendly algorithms for substring searching" (2016), the generic algorithm.
///
/// - Threads: any.
final class Needle {
  private final byte[] bytes;

  /// @param text not empty
  Needle(Text text) {
    bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = text.at(i);
    }
    assert bytes.length > 0 : "nothing to look for";
  }

  int length() {
    return bytes.length;
  }

  /// True when it may be part of a printed number or time.
  boolean isLikeNumber() {
    for (byte here : bytes) {
      if ((here < '0' || here > '9') && here != '-' && here != ':' && here != '.' && here != ',') {
        return false;
      }
    }
    return true;
  }

  /// True when it is in a text that has [ByteSource#SLACK] bytes behind it.
  boolean isIn(byte[] text, int offset, int length) {
    int behind = bytes.length - 1;
    int last = offset + length - bytes.length;
    char first = (char) (bytes[0] & 0xff);
    char end = (char) (bytes[behind] & 0xff);
    for (int at = offset; at <= last; at += Long.BYTES) {
      long marks =
          ByteWords.equal(ByteWords.load(text, at), first)
              & ByteWords.equal(ByteWords.load(text, at + behind), end);
      for (; marks != 0; marks &= marks - 1) {
        int place = at + ByteWords.before(marks);
        if (place <= last && isAt(0, text, place, bytes.length)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isAt(int from, byte[] text, int place, int length) {
    return Arrays.equals(bytes, from, from + length, text, place, place + length);
  }

  /// True when its front may be the end of this text and the rest follow, or its end be the start
  /// of this text and the front come before; the text may be shorter than either.
  ///
  /// @param before something comes before the text
  /// @param after something follows it
  boolean laps(byte[] text, int offset, int length, boolean before, boolean after) {
    for (int split = 1; split < bytes.length; split++) {
      int front = Math.min(split, length);
      if (after && isAt(split - front, text, offset + length - front, front)) {
        return true;
      }
      int rest = Math.min(bytes.length - split, length);
      if (before && isAt(split, text, offset, rest)) {
        return true;
      }
    }
    return false;
  }
}
