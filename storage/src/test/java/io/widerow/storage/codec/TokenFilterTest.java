package io.widerow.storage.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import io.widerow.storage.text.TokenSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a filter's lines have every token of the texts they were built from, and few others.
/// Method: random texts of tokens of all lengths, with their tokens found by a regular expression.
/// The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class TokenFilterTest {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_\u0080-\u00ff]+");
  private static final int HASHES = 4;

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void itHasAllTokensAndFewOthers(long seed) {
    var random = new SplittableRandom(seed);
    var set = new TokenSet();
    for (int round = 0; round < 3; round++) {
      set.begin(true, round * 100);
      Set<String> tokens = new HashSet<>();
      for (int i = 0; i < 400; i++) {
        String text = text(random);
        byte[] bytes = Arrays.copyOf(latin(text), text.length() + ByteSource.SLACK);
        Arrays.fill(bytes, text.length(), bytes.length, (byte) 'x');
        set.add(bytes, 0, text.length());
        for (Matcher matcher = TOKEN.matcher(text); matcher.find(); ) {
          tokens.add(matcher.group());
        }
      }
      long[] hashes = set.hashes();
      assertEquals(tokens.size(), hashes.length);
      int lines = tokens.size() / TokenFilter.LINE_BYTES + 1; // 8 bits a token
      byte[] filter = new byte[lines * TokenFilter.LINE_BYTES];
      for (long hash : hashes) {
        TokenFilter.add(
            filter, TokenFilter.line(hash, lines) * TokenFilter.LINE_BYTES, HASHES, hash);
      }
      for (String token : tokens) {
        assertTrue(has(filter, lines, token), token);
      }
      int wrong = 0;
      for (int i = 0; i < 1_000; i++) {
        wrong += has(filter, lines, "no" + i + "such") ? 1 : 0;
      }
      assertTrue(wrong < 60, wrong + " of 1000 tokens found that are not there");
    }
  }

  private static boolean has(byte[] filter, int lines, String token) {
    byte[] bytes = Arrays.copyOf(latin(token), token.length() + ByteSource.SLACK);
    long hash = TokenFilter.hash(bytes, 0, token.length());
    int line = TokenFilter.line(hash, lines);
    return TokenFilter.mayHave(filter, line * TokenFilter.LINE_BYTES, HASHES, hash);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aNeedleIsHashedAsTheTokenWas(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 100; i++) {
      StringBuilder token = new StringBuilder("t");
      for (int length = random.nextInt(40); length > 0; length--) {
        token.append((char) ('a' + random.nextInt(26)));
      }
      byte[] bytes = Arrays.copyOf(latin(token.toString()), token.length() + ByteSource.SLACK);
      Text needle = Text.of("<" + token + ">");
      assertEquals(
          TokenFilter.hash(bytes, 0, token.length()),
          TokenFilter.hash(needle, 1, 1 + token.length()));
    }
  }

  private static String text(SplittableRandom random) {
    List<String> pieces = new ArrayList<>();
    for (int count = random.nextInt(1, 20); count > 0; count--) {
      int length = random.nextInt(8) == 0 ? random.nextInt(1, 200) : random.nextInt(1, 12);
      StringBuilder token = new StringBuilder();
      for (; length > 0; length--) {
        token.append("abcXYZ019_\u00e9".charAt(random.nextInt(11)));
      }
      pieces.add(token.toString());
      pieces.add(random.nextBoolean() ? " " : ": /");
    }
    return String.join("", pieces);
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
