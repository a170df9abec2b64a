package io.widerow.storage.text;

import io.widerow.event.Text;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.TokenFilter;
import java.util.Arrays;

/// The set of distinct tokens of a column, as hashed by [TokenFilter], collected from the distinct
/// texts and parts of texts that its encoder finds.
///
/// Most tokens of a log are short and were seen a moment ago. These are found by their bytes in a
/// small cache with one place for each, before anything is hashed.
///
/// - Threads: one.
/// - Memory: 32 KiB, and up to 48 bytes for each token of the largest set.
public final class TokenSet {
  private static final long[] NONE = new long[0];
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  private static final int SLOTS_MIN = 1 << 8;
  private static final int WORD_BITS_MIN = 10; // of an index into `words`
  private static final int WORD_BITS_MAX = 12;

  private long[] table = new long[SLOTS_MIN]; // open addressing; 0 where there is none
  private int slots = SLOTS_MIN; // of the table that are in use, a power of two
  private long[] hashes = new long[SLOTS_MIN / 2]; // in order of appearance
  private int size;
  private final long[] words = new long[1 << WORD_BITS_MAX]; // short tokens that are in the set
  private int wordShift = Long.SIZE - WORD_BITS_MIN; // leaves an index into as many as are in use
  private boolean gathering;

  /// Starts an empty set.
  ///
  /// @param wanted false when the next column's tokens are not needed
  /// @param expected number of tokens for which there is room without growing
  public void begin(boolean wanted, int expected) {
    gathering = wanted;
    if (size > 0) {
      Arrays.fill(words, 0, 1 << (Long.SIZE - wordShift), 0);
      size = 0;
    }
    if (wanted) {
      slots = SLOTS_MIN;
      while (slots / 2 < expected) {
        slots *= 2;
      }
      clearTable();
      int bits = Integer.SIZE - Integer.numberOfLeadingZeros(expected);
      wordShift = Long.SIZE - Math.clamp(bits, WORD_BITS_MIN, WORD_BITS_MAX);
    }
  }

  private void clearTable() {
    if (table.length < slots) {
      table = new long[slots];
      hashes = Arrays.copyOf(hashes, slots / 2);
    } else {
      Arrays.fill(table, 0, slots, 0);
    }
  }

  /// A copy of the hashes, without duplicates, in no order.
  public long[] hashes() {
    return size == 0 ? NONE : Arrays.copyOf(hashes, size);
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
      int done = Long.SIZE;
      if (map < 0 && limit - at > Long.SIZE) { // the last token may continue
        done -= Long.numberOfLeadingZeros(~map);
        if (done == 0) {
          int bytes = tokenBytes(text, at, limit);
          addOne(text, at, bytes);
          at += bytes;
          continue;
        }
        map &= -1L >>> (Long.SIZE - done);
      }
      long starts = map & ~(map << 1);
      long ends = ~map & (map << 1); // none when the last token ends with the map: 64 zeros then
      while (starts != 0) {
        int start = Long.numberOfTrailingZeros(starts);
        addOne(text, at + start, Long.numberOfTrailingZeros(ends) - start);
        starts &= starts - 1;
        ends &= ends - 1;
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

  /// Adds a text that is one token.
  void addToken(byte[] text, int offset, int length) {
    if (gathering) {
      addOne(text, offset, length);
    }
  }

  private void addOne(byte[] text, int offset, int length) {
    if (length <= Long.BYTES) {
      long word = ByteWords.load(text, offset, length); // no byte of a token is 0
      int place = (int) ((word * PRIME) >>> wordShift);
      if (words[place] == word) {
        return;
      }
      words[place] = word;
    }
    add(TokenFilter.hash(text, offset, length));
  }

  private void add(long hash) {
    assert hash != 0 : "no token has hash 0";
    int slot = start(hash);
    while (table[slot] != 0) {
      if (table[slot] == hash) {
        return;
      }
      slot = (slot + 1) & (slots - 1);
    }
    if (size == slots / 2) {
      grow();
      add(hash);
      return;
    }
    table[slot] = hash;
    hashes[size++] = hash;
  }

  private int start(long hash) {
    return (int) (hash >>> 20) & (slots - 1);
  }

  private void grow() {
    slots *= 2;
    clearTable();
    for (int i = 0; i < size; i++) {
      int slot = start(hashes[i]);
      while (table[slot] != 0) {
        slot = (slot + 1) & (slots - 1);
      }
      table[slot] = hashes[i];
    }
  }
}
