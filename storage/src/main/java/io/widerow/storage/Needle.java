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
  /// Where a part of the needle lies in a text.
  enum Place {
    /// Anywhere.
    WITHIN,
    /// At the start: the needle begins before the text.
    START,
    /// All of the text is it.
    WHOLE,
    /// At the end: the needle goes on behind the text.
    END
  }

  private final byte[] bytes;
  private final boolean opens; // no word reaches over its start
  private final boolean closes; // nor over its end

  /// @param text not empty
  /// @param words true when no longer word may reach over its ends
  Needle(Text text, boolean words) {
    bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = text.at(i);
    }
    assert bytes.length > 0 : "nothing to look for";
    opens = words && TokenFilter.isToken(bytes[0]);
    closes = words && TokenFilter.isToken(bytes[bytes.length - 1]);
  }

  int length() {
    return bytes.length;
  }

  byte at(int index) {
    return bytes[index];
  }

  /// True when a digit before or behind it would make a longer word, which it must not be in.
  boolean isWord() {
    return opens && closes;
  }

  /// True when a word that its end is in must not go on.
  boolean closes() {
    return closes;
  }

  /// True when it is in a text that has [ByteSource#SLACK] bytes behind it, wherever words go on.
  boolean isIn(byte[] text, int offset, int length) {
    return find(text, offset, length, false);
  }

  /// The same, when no longer word of this text has it.
  boolean isWithin(byte[] text, int offset, int length) {
    return find(text, offset, length, true);
  }

  private boolean find(byte[] text, int offset, int length, boolean words) {
    int behind = bytes.length - 1;
    int limit = offset + length;
    int last = limit - bytes.length;
    long first = ByteWords.each(bytes[0]);
    long end = ByteWords.each(bytes[behind]);
    for (int at = offset; at <= last; at += Long.BYTES) {
      long other = (ByteWords.load(text, at) ^ first) | (ByteWords.load(text, at + behind) ^ end);
      long marks = ByteWords.zeros(other);
      for (; marks != 0; marks &= marks - 1) {
        int place = at + ByteWords.before(marks);
        if (place <= last
            && isSame(0, text, place, bytes.length)
            && (!words
                || (!opensLater(text, offset, place)
                    && !goesOn(text, place + behind + 1, limit)))) {
          return true;
        }
      }
    }
    return false;
  }

  /// True when its part `[from, limit)` is at a place of a text, and no word that must not go on
  /// does in this text. A part at the start has the needle's end, a part at the end its front; one
  /// within is all of it, and the text has [ByteSource#SLACK] bytes behind it.
  boolean isAt(Place place, int from, int limit, byte[] text, int offset, int length) {
    int part = limit - from;
    if (part > length) {
      return false;
    }
    int end = offset + length;
    return switch (place) {
      case WITHIN -> isWithin(text, offset, length);
      case START -> isSame(from, text, offset, part) && !goesOn(text, offset + part, end);
      case WHOLE -> part == length && isSame(from, text, offset, part);
      case END -> isSame(from, text, end - part, part) && !opensLater(text, offset, end - part);
    };
  }

  private boolean isSame(int from, byte[] text, int place, int length) {
    return Arrays.equals(bytes, from, from + length, text, place, place + length);
  }

  /// True when the needle at `place` is inside a word that begins before it, and must not be.
  private boolean opensLater(byte[] text, int offset, int place) {
    return opens && place > offset && TokenFilter.isToken(text[place - 1]);
  }

  /// True when the needle's last word goes on behind it, at `end`, and must not.
  private boolean goesOn(byte[] text, int end, int limit) {
    return closes && end < limit && TokenFilter.isToken(text[end]);
  }
}
