package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A search text that ignores case: searches in UTF-8 strings that lie in memory. Immutable.
///
/// Two characters are equal when their simple upper cases have the same simple lower case, as in
/// [String#equalsIgnoreCase]: one character to one, in no language's own way. So `É` is `é`, `Σ` is
/// `σ` and `ς`, and `ß` is not `ss`.
///
/// A character is *plain* when only ASCII is equal to it. Plain ones one after the other have a
/// fixed distance in every text that contains them, so the longest such run is looked for eight
/// places at a time, as [Text] does, and what surrounds it is compared then.
public final class FoldedText {
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final int CASE = 0x20; // sets ASCII letters to lower case
  private static final String EQUAL_TO_OTHERS = "isk"; // İ ı, ſ, and the sign of Kelvin

  private final String text;
  private final int[] folded; // code points
  private final int[] fallback; // by matched length: the longest proper prefix that is a suffix
  private final int runAt; // where the longest run of plain characters begins
  private final int runLength; // 0 when there is none

  private FoldedText(String text) {
    this.text = text;
    this.folded = text.codePoints().map(FoldedText::fold).toArray();
    this.fallback = new int[folded.length + 1];
    int prefix = 0;
    for (int i = 1; i < folded.length; i++) {
      while (prefix > 0 && folded[i] != folded[prefix]) {
        prefix = fallback[prefix];
      }
      prefix += folded[i] == folded[prefix] ? 1 : 0;
      fallback[i + 1] = prefix;
    }
    int begin = 0;
    int longest = 0;
    for (int from = 0, to = 0; to < folded.length; to++) {
      if (!isPlain(folded[to])) {
        from = to + 1;
      } else if (to + 1 - from > longest) {
        begin = from;
        longest = to + 1 - from;
      }
    }
    this.runAt = begin;
    this.runLength = longest;
  }

  private static boolean isPlain(int point) {
    return point < 0x80 && EQUAL_TO_OTHERS.indexOf(point) < 0;
  }

  /// @throws IllegalArgumentException when `text` is not valid Unicode: half a surrogate pair
  public static FoldedText of(String text) {
    if (!Utf8.isEncodable(text)) {
      throw new IllegalArgumentException("half a surrogate pair in: " + text);
    }
    return new FoldedText(text);
  }

  /// Length in characters (code points).
  public int length() {
    return folded.length;
  }

  /// True when the `length` bytes of `memory` from `offset`, which are UTF-8, contain this text in
  /// any case. In time linear in `length`: after many places that only begin right, the rest is
  /// searched as Knuth, Morris and Pratt (1977) do. Allocates nothing.
  public boolean isIn(MemorySegment memory, long offset, long length) {
    long limit = offset + length;
    if (runLength == 0) {
      return isIn(memory, offset, offset, limit);
    }
    int behind = runLength - 1;
    long last = limit - runLength;
    int first = folded[runAt];
    int end = folded[runAt + behind];
    long firstCase = ONES * caseOf(first);
    long endCase = ONES * caseOf(end);
    long firstWanted = ONES * first;
    long endWanted = ONES * end;
    long tries = 16 + length; // characters that may be compared in vain
    long at = offset;
    for (; at + Long.BYTES - 1 <= last; at += Long.BYTES) {
      long marks =
          equal(memory.get(EventLayout.LONG_ANYWHERE, at) | firstCase, firstWanted)
              & equal(memory.get(EventLayout.LONG_ANYWHERE, at + behind) | endCase, endWanted);
      for (; marks != 0; marks &= marks - 1) {
        long place = at + (Long.numberOfTrailingZeros(marks) >>> 3);
        int same = compare(memory, place, offset, limit);
        if (same == folded.length) {
          return true;
        }
        tries -= 1 + same;
        if (tries < 0) {
          return isIn(memory, startBefore(memory, place, offset), offset, limit);
        }
      }
    }
    for (; at <= last; at++) {
      if (compare(memory, at, offset, limit) == folded.length) {
        return true;
      }
    }
    return false;
  }

  private static int caseOf(int point) {
    return point >= 'a' && point <= 'z' ? CASE : 0;
  }

  /// Marks equal bytes with bit 7. Bytes after the first equal one may be marked wrongly.
  private static long equal(long word, long wanted) {
    long other = word ^ wanted;
    return (other - ONES) & ~other & (ONES << 7);
  }

  /// How many characters of this text stand around a place, where its run of plain characters would
  /// begin: all, or those before the first difference.
  private int compare(MemorySegment memory, long place, long offset, long limit) {
    int same = 0;
    long at = place;
    if (memory.get(JAVA_BYTE, at) < 0) {
      return same; // a wrong mark, perhaps inside of a character
    }
    for (int i = runAt; i < folded.length; i++) {
      if (at >= limit) {
        return same;
      }
      int bytes = bytesAt(memory, at, limit);
      if (foldAt(memory, at, bytes) != folded[i]) {
        return same;
      }
      at += bytes;
      same++;
    }
    at = place;
    for (int i = runAt - 1; i >= 0; i--) {
      if (at <= offset) {
        return same;
      }
      long end = at;
      at = startBefore(memory, at - 1, offset);
      if (foldAt(memory, at, (int) (end - at)) != folded[i]) {
        return same;
      }
      same++;
    }
    return same;
  }

  /// Where the character begins that has the byte at a place.
  private static long startBefore(MemorySegment memory, long place, long offset) {
    long at = place;
    while (at > offset && (memory.get(JAVA_BYTE, at) & 0xc0) == 0x80) {
      at--;
    }
    return at;
  }

  private static int bytesAt(MemorySegment memory, long at, long limit) {
    int here = memory.get(JAVA_BYTE, at);
    int bytes = here >= 0 ? 1 : here >= (byte) 0xf0 ? 4 : here >= (byte) 0xe0 ? 3 : 2;
    return (int) Math.min(bytes, limit - at);
  }

  private static int foldAt(MemorySegment memory, long at, int bytes) {
    int here = memory.get(JAVA_BYTE, at);
    return here >= 0 ? foldAscii(here) : fold(decode(memory, at, bytes));
  }

  /// Searches from a place on, one character at a time.
  private boolean isIn(MemorySegment memory, long place, long offset, long limit) {
    int matched = 0;
    long at = place;
    for (int i = 0; i < runAt && at > offset; i++) { // a match may have begun before
      at = startBefore(memory, at - 1, offset);
    }
    while (matched < folded.length) {
      if (at >= limit) {
        return false;
      }
      int bytes = bytesAt(memory, at, limit);
      int here = foldAt(memory, at, bytes);
      at += bytes;
      while (matched > 0 && folded[matched] != here) {
        matched = fallback[matched];
      }
      matched += folded[matched] == here ? 1 : 0;
    }
    return true;
  }

  private static int decode(MemorySegment memory, long at, long bytes) {
    int point = memory.get(JAVA_BYTE, at) & (0xff >> (bytes + 1));
    for (int i = 1; i < bytes; i++) {
      point = (point << 6) | (memory.get(JAVA_BYTE, at + i) & 0x3f);
    }
    return point;
  }

  private static int foldAscii(int point) {
    return point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point;
  }

  private static int fold(int point) {
    return point < 0x80 ? foldAscii(point) : Character.toLowerCase(Character.toUpperCase(point));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FoldedText same && Arrays.equals(folded, same.folded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(folded);
  }

  /// The text that it was made from.
  @Override
  public String toString() {
    return text;
  }
}
