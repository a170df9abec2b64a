package io.widerow.storage.codec;

import io.widerow.event.Text;

/// Tokens of text, and blocked Bloom filters over them in lines of 64 bytes. A token is a maximal
/// run of ASCII letters, digits, underscores and bytes from 0x80. A text that contains a needle has
/// all tokens of the needle that do not touch its ends.
///
/// All bits of a token are in one line, so one small read answers for it (Putze, Sanders and
/// Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007). A token with the 64-bit hash
/// `h` is in line `high32(h) * lines >> 32`; its bits there are given by the leading groups of nine
/// bits of `h * 0xff51afd7ed558ccd`.
public final class TokenFilter {
  public static final int LINE_BYTES = 64;
  public static final int HASHES_MAX = 7; // of 9 bits each

  private static final int PLACE_BITS = 9;
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  private static final long PLACES = 0xff51_afd7_ed55_8ccdL;

  private TokenFilter() {}

  private static long stepWord(long hash, long next) {
    long mixed = (hash ^ next) * PRIME;
    return mixed ^ (mixed >>> 32);
  }

  /// The hash of the token of `length` bytes at `offset`.
  public static long hash(byte[] text, int offset, int length) {
    long hash = PRIME;
    int left = length;
    int at = offset;
    for (; left > Long.BYTES; left -= Long.BYTES, at += Long.BYTES) {
      hash = stepWord(hash, ByteWords.load(text, at));
    }
    return end(stepWord(hash, ByteWords.load(text, at, left)));
  }

  /// The hash of the token `[offset, limit)` of a text.
  public static long hash(Text text, int offset, int limit) {
    long hash = PRIME;
    for (int at = offset; at < limit; ) {
      long word = 0;
      for (int shift = 0; shift < Long.SIZE && at < limit; shift += Byte.SIZE) {
        word |= (text.at(at++) & 0xffL) << shift;
      }
      hash = stepWord(hash, word);
    }
    return end(hash);
  }

  /// Finishes a hash.
  private static long end(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * PRIME;
    long end = mixed ^ (mixed >>> 29);
    return end == 0 ? 1 : end;
  }

  /// The line of a token.
  public static int line(long hash, int lines) {
    return (int) (((hash >>> Integer.SIZE) * lines) >>> Integer.SIZE);
  }

  /// Adds a token to its line.
  public static void add(byte[] target, int offset, int hashes, long hash) {
    long places = hash * PLACES;
    for (int i = 0; i < hashes; i++, places <<= PLACE_BITS) {
      int bit = (int) (places >>> (Long.SIZE - PLACE_BITS));
      target[offset + (bit >>> 3)] |= (byte) (1 << (bit & 7));
    }
  }

  /// False when the line proves that no text has this token.
  public static boolean mayHave(byte[] line, int offset, int hashes, long hash) {
    long places = hash * PLACES;
    for (int i = 0; i < hashes; i++, places <<= PLACE_BITS) {
      int bit = (int) (places >>> (Long.SIZE - PLACE_BITS));
      if ((line[offset + (bit >>> 3)] & (1 << (bit & 7))) == 0) {
        return false;
      }
    }
    return true;
  }
}
