package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.storage.codec.ByteSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a set has each token once, short or long, however many were expected, and none of the set
/// before. Method: numbers as tokens, which are easy to count.
class TokenSetTest {
  private static final int TOKENS = 5_000;

  @ParameterizedTest
  @ValueSource(ints = {0, 100, TOKENS, 10 * TOKENS})
  void itHasEachTokenOnce(int expected) {
    var set = new TokenSet();
    for (int round = 0; round < 2; round++) {
      set.begin(true, expected);
      assertEquals(0, set.hashes().length);
      for (int i = 0; i < 2 * TOKENS; i++) {
        // Half of them are too long for a word of eight bytes.
        long number = i % TOKENS * (i % 2 == 0 ? 1 : 1_000_000_007L);
        byte[] text = text("/" + number + ":");
        set.add(text, 0, text.length - ByteSource.SLACK);
      }
      assertEquals(TOKENS, LongStream.of(set.hashes()).distinct().count());
      assertEquals(TOKENS, set.hashes().length);
    }
  }

  @Test
  void anotherSizeLeavesNothingOfTheSetBefore() {
    var set = new TokenSet();
    for (int tokens : new int[] {4 * TOKENS, 10, TOKENS, 100, 4 * TOKENS}) {
      for (int round = 0; round < 2; round++) {
        set.begin(true, tokens);
        for (int i = 0; i < tokens; i++) {
          byte[] text = text("/" + i);
          set.add(text, 0, text.length - ByteSource.SLACK);
        }
        assertEquals(tokens, set.hashes().length);
      }
      set.begin(false, 0);
    }
  }

  @Test
  void aTextThatIsOneTokenIsTheTokenOfALongerText() {
    var set = new TokenSet();
    for (String token : new String[] {"0", "17", "12345678", "123456789", "123456789012345678"}) {
      set.begin(true, 0);
      set.addToken(text(token), 0, token.length());
      set.addToken(text(token), 0, token.length());
      long[] alone = set.hashes();
      set.begin(true, 0);
      set.add(text("a " + token), 2, token.length());
      assertEquals(1, alone.length);
      assertArrayEquals(set.hashes(), alone, token);
    }
  }

  @Test
  void nothingIsGatheredThatIsNotWanted() {
    var set = new TokenSet();
    set.begin(false, 0);
    set.add(text("a b"), 0, 3);
    set.addToken(text("17"), 0, 2);
    assertEquals(0, set.hashes().length);
  }

  private static byte[] text(String ascii) {
    byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
    byte[] text = Arrays.copyOf(bytes, bytes.length + ByteSource.SLACK);
    Arrays.fill(text, bytes.length, text.length, (byte) 'x');
    return text;
  }
}
