package io.widerow.storage.text;

import io.widerow.event.Text;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.TokenFilter;
import java.util.Arrays;

/// The set of distinct tokens of a column, as hashed by [TokenFilter], collected from the distinct
/// texts and parts of texts that its encoder finds.
///
/// - Threads: one.
public final class TokenSet {
  private static final long[] NONE = new long[0];

  private long[] table = new long[1024];
  private int size;
  private boolean gathering;

  /// Starts an empty set.
  ///
  /// @param wanted false when the next column's tokens are not needed
  public void begin(boolean wanted) {
    gathering = wanted;
    if (size > 0) {
      Arrays.fill(table, 0);
      size = 0;
    }
  }

  /// A copy of the hashes, without duplicates, in no order.
  public long[] hashes() {
    if (size == 0) {
      return NONE;
    }
    long[] hashes = new long[size];
    int count = 0;
    for (long hash : table) {
      if (hash != 0) {
        hashes[count++] = hash;
      }
    }
    return hashes;
  }

  /// Adds the tokens of a text, or of a part that no token crosses.
  public void add(byte[] text, int offset, int length) {
    if (!gathering) {
      return;
    }
    int limit = offset + length;
    int at = offset;
    while (at < limit) {
      long map = map(text, at, limit);
      boolean more = limit - at > Long.SIZE;
      int done = Long.SIZE;
      while (map != 0) {
        int start = Long.numberOfTrailingZeros(map);
        int bytes = Long.numberOfTrailingZeros(~(map >>> start));
        if (more && start + bytes >= Long.SIZE) { // the token may continue
          bytes = start > 0 ? 0 : tokenBytes(text, at, limit);
          done = start + bytes;
          map = 0;
        }
        if (bytes > 0) {
          add(TokenFilter.hash(text, at + start, bytes));
        }
        map &= map + Long.lowestOneBit(map);
      }
      at += done;
    }
  }

  /// Which of the 64 bytes from `at`, up to the limit, belong to tokens: the first byte is bit 0.
  private static long map(byte[] text, int at, int limit) {
    int bytes = Math.min(Long.SIZE, limit - at);
    long map = 0;
    for (int i = 0; i < bytes; i += Long.BYTES) {
      map |= ByteWords.bits(ByteWords.tokens(ByteWords.load(text, at + i))) << i;
    }
    return map & (-1L >>> (Long.SIZE - bytes));
  }

  private static int tokenBytes(byte[] text, int at, int limit) {
    int end = at;
    while (end < limit && Text.isToken(text[end])) {
      end++;
    }
    return end - at;
  }

  private void add(long hash) {
    assert hash != 0 : "no token has hash 0";
    int mask = table.length - 1;
    int slot = (int) (hash >>> 20) & mask;
    while (table[slot] != 0) {
      if (table[slot] == hash) {
        return;
      }
      slot = (slot + 1) & mask;
    }
    table[slot] = hash;
    if (++size * 2 > table.length) {
      grow();
    }
  }

  private void grow() {
    long[] old = table;
    table = new long[2 * old.length];
    for (long hash : old) {
      if (hash != 0) {
        int slot = (int) (hash >>> 20) & (table.length - 1);
        while (table[slot] != 0) {
          slot = (slot + 1) & (table.length - 1);
        }
        table[slot] = hash;
      }
    }
  }
}
