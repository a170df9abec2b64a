package io.widerow.storage;

import io.widerow.event.Text;

/// Tokens of text, and the Bloom filter over those of a column of a block. A token is a longest run
/// of ASCII letters, digits, underscores and bytes of 0x80 and above. A text that contains a needle
/// has all tokens of the needle that do not touch its ends.
///
/// ```
///  +--------+-------------- ~ --+
///  | hashes | bits              |    hashes: 1 byte, 1 to 8, [#WORDS] added; bits: whole bytes
///  +--------+-------------- ~ --+
/// ```
///
/// A token is hashed byte by byte, with [#WORDS] eight bytes at a time, zeros behind the last. Bit
/// `i` of a token is `((h1 + i * h2) mod 2^32) * bits >> 32` of its 64-bit hash.
final class TokenFilter {
  static final int HASHES_MAX = 8;

  /// In the first byte of a filter: tokens are hashed eight bytes at a time.
  static final int WORDS = 0x80;

  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;

  private TokenFilter() {}

  static boolean isToken(byte b) {
    return b < 0
        || (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || (b >= 'A' && b <= 'Z')
        || b == '_';
  }

  /// The hash before the first byte of a token.
  static long start() {
    return PRIME;
  }

  static long step(long hash, byte next) {
    return (hash ^ (next & 0xff)) * 0x100_0000_01b3L;
  }

  static long stepWord(long hash, long next) {
    long mixed = (hash ^ next) * PRIME;
    return mixed ^ (mixed >>> 32);
  }

  /// The hash, with [#WORDS], of the token of `length` bytes at `offset`.
  static long hash(byte[] text, int offset, int length) {
    long hash = start();
    int left = length;
    int at = offset;
    for (; left > Long.BYTES; left -= Long.BYTES, at += Long.BYTES) {
      hash = stepWord(hash, ByteWords.load(text, at));
    }
    return end(stepWord(hash, ByteWords.load(text, at, left)));
  }

  /// The hash of the token `[offset, limit)` of a text.
  static long hash(Text text, int offset, int limit, boolean words) {
    long hash = start();
    for (int at = offset; at < limit; ) {
      if (!words) {
        hash = step(hash, text.at(at++));
        continue;
      }
      long word = 0;
      for (int shift = 0; shift < Long.SIZE && at < limit; shift += Byte.SIZE) {
        word |= (text.at(at++) & 0xffL) << shift;
      }
      hash = stepWord(hash, word);
    }
    return end(hash);
  }

  /// The hash of a whole token.
  static long end(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * PRIME;
    long end = mixed ^ (mixed >>> 29);
    return end == 0 ? 1 : end;
  }

  /// Which bit the `i`th hash of a token is.
  static int bit(long hash, int i, int bits) {
    long low = ((hash & 0xffff_ffffL) + i * ((hash >>> 32) | 1)) & 0xffff_ffffL;
    return (int) ((low * bits) >>> 32);
  }

  /// False when the filter's bits say that no text has this token.
  static boolean mayHave(byte[] filter, int offset, int bytes, int hashes, long hash) {
    for (int i = 0; i < hashes; i++) {
      int bit = bit(hash, i, bytes * 8);
      if ((filter[offset + (bit >>> 3)] & (1 << (bit & 7))) == 0) {
        return false;
      }
    }
    return true;
  }
}
