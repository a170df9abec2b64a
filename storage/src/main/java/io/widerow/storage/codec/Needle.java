package io.widerow.storage.codec;

import io.widerow.event.Text;
import java.util.Arrays;

/// A search pattern, compiled for many texts. It tests eight positions at a time: a position is a
/// candidate when the first and the last byte match there; candidates are compared in full.
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
public final class Needle {
  /// Where a part of the needle must be in a text.
  public enum Place {
    /// Anywhere.
    WITHIN,
    /// At the start: the needle began before the text.
    START,
    /// The whole text equals the part.
    WHOLE,
    /// At the end: the needle continues after the text.
    END
  }

  private final byte[] bytes;
  private final boolean opens; // no word may extend before its start
  private final boolean closes; // no word may extend past its end

  /// @param text not empty
  /// @param words true when a match must not be inside a longer word
  public Needle(Text text, boolean words) {
    bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = text.at(i);
    }
    assert bytes.length > 0 : "nothing to look for";
    opens = words && Text.isToken(bytes[0]);
    closes = words && Text.isToken(bytes[bytes.length - 1]);
  }

  public int length() {
    return bytes.length;
  }

  public byte at(int index) {
    return bytes[index];
  }

  /// True when a digit directly before or after a match would make a longer word and exclude it.
  public boolean isWord() {
    return opens && closes;
  }

  /// True when a word must not continue past the needle's end.
  public boolean closes() {
    return closes;
  }

  /// True when the text contains the needle, whatever the word boundaries. [ByteSource#SLACK] bytes
  /// must follow the text.
  public boolean isIn(byte[] text, int offset, int length) {
    return find(text, offset, length, false);
  }

  /// The same, with word boundaries: true when it is not inside a longer word of this text.
  public boolean isWithin(byte[] text, int offset, int length) {
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

  /// True when the needle's part `[from, limit)` is at a place of the text, and no word that must
  /// end there continues in this text. A part at the start is a suffix of the needle, a part at the
  /// end a prefix. For [Place#WITHIN] the part is the whole needle, and [ByteSource#SLACK] bytes
  /// must follow the text.
  public boolean isAt(Place place, int from, int limit, byte[] text, int offset, int length) {
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

  /// True when a word boundary is needed before `place` and a word extends over it.
  private boolean opensLater(byte[] text, int offset, int place) {
    return opens && place > offset && Text.isToken(text[place - 1]);
  }

  /// True when a word boundary is needed at `end` and a word extends over it.
  private boolean goesOn(byte[] text, int end, int limit) {
    return closes && end < limit && Text.isToken(text[end]);
  }
}
