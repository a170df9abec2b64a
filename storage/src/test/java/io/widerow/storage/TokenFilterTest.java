package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Text;
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

/// Goal: a filter has every token of the texts it was built of, and few others. Method: random
/// texts of tokens of all lengths, their tokens found by a regular expression. The seed is the
/// test's name; to replay one, run with `-Dseed=<n>`.
class TokenFilterTest {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_\u0080-\u00ff]+");

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void itHasAllTokensAndFewOthers(long seed) {
    var random = new SplittableRandom(seed);
    var builder = new TokenFilterBuilder(8);
    for (int round = 0; round < 3; round++) {
      builder.begin(true);
      Set<String> tokens = new HashSet<>();
      for (int i = 0; i < 400; i++) {
        String text = text(random);
        byte[] bytes = Arrays.copyOf(latin(text), text.length() + ByteSource.SLACK);
        Arrays.fill(bytes, text.length(), bytes.length, (byte) 'x');
        builder.add(bytes, 0, text.length());
        for (Matcher matcher = TOKEN.matcher(text); matcher.find(); ) {
          tokens.add(matcher.group());
        }
      }
      ByteSink filter = new ByteSink();
      builder.finish(filter);
      int hashes = filter.bytes()[0] & 0x7f;
      assertEquals(TokenFilter.WORDS, filter.bytes()[0] & TokenFilter.WORDS);
      assertEquals(tokens.size(), filter.length() - 1, "bytes, one a token");
      for (String token : tokens) {
        assertTrue(has(filter, hashes, token), token);
      }
      int wrong = 0;
      for (int i = 0; i < 1_000; i++) {
        wrong += has(filter, hashes, "no" + i + "such") ? 1 : 0;
      }
      assertTrue(wrong < 60, wrong + " of 1000 tokens found that are not there");
    }
  }

  private static boolean has(ByteSink filter, int hashes, String token) {
    byte[] bytes = Arrays.copyOf(latin(token), token.length() + ByteSource.SLACK);
    long hash = TokenFilter.hash(bytes, 0, token.length());
    return TokenFilter.mayHave(filter.bytes(), 1, filter.length() - 1, hashes, hash);
  }

  /// Filters of the older form are still read: a token's bytes are hashed one by one.
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
      int limit = 1 + token.length();
      assertEquals(
          TokenFilter.hash(bytes, 0, token.length()), TokenFilter.hash(needle, 1, limit, true));
      long stepwise = TokenFilter.start();
      for (int k = 0; k < token.length(); k++) {
        stepwise = TokenFilter.step(stepwise, bytes[k]);
      }
      assertEquals(TokenFilter.end(stepwise), TokenFilter.hash(needle, 1, limit, false));
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
