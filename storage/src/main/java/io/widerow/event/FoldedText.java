package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A search text that ignores case: searches in UTF-8 strings that lie in memory. Immutable.
///
/// Two characters are equal when their simple upper cases have the same simple lower case, as in
/// [String#equalsIgnoreCase]: one character to one, in no language's own way. So `É` is `é`, `Σ` is
/// `σ` and `ς`, and `ß` is not `ss`.
public final class FoldedText {
  private final String text;
  private final int[] folded; // code points
  private final int[] fallback; // by matched length: the longest proper prefix that is a suffix

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
  /// any case. In time linear in `length` (Knuth, Morris, Pratt, 1977). Allocates nothing.
  public boolean isIn(MemorySegment memory, long offset, long length) {
    int matched = 0;
    long limit = offset + length;
    long at = offset;
    while (matched < folded.length) {
      if (at >= limit) {
        return false;
      }
      int here = memory.get(JAVA_BYTE, at);
      int bytes = here >= 0 ? 1 : here >= (byte) 0xf0 ? 4 : here >= (byte) 0xe0 ? 3 : 2;
      here = here >= 0 ? foldAscii(here) : fold(decode(memory, at, Math.min(bytes, limit - at)));
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
