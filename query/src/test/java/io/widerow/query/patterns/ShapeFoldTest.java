package io.widerow.query.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventId;
import io.widerow.faults.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: words that vary become variables, few words stay what they are, and no line is lost or
/// counted twice. Method: made shapes, and random ones whose kinds are known.
class ShapeFoldTest {
  private static Pattern pattern(String shape, int lines, long time) {
    Pattern pattern = new Pattern("t", shape);
    for (int i = 0; i < lines; i++) {
      if (pattern.add(new EventId(time + i, EventId.LEAST.tail()), time + i)) {
        pattern.setSample("sample of " + shape);
      }
    }
    return pattern;
  }

  private static Map<String, Long> fold(List<Pattern> patterns) {
    Map<String, Long> folded = new TreeMap<>();
    for (Pattern pattern : new ShapeFold(patterns, _ -> {}).fold()) {
      folded.merge(pattern.shape(), pattern.lines(), Long::sum);
    }
    return folded;
  }

  private static List<Pattern> of(String format, int words) {
    List<Pattern> patterns = new ArrayList<>();
    for (int i = 0; i < words; i++) {
      patterns.add(pattern(format.formatted(word(i)), i + 1, 1_000L * i));
    }
    return patterns;
  }

  private static String word(int number) {
    return "" + (char) ('a' + number % 26) + (char) ('a' + number / 26 % 26);
  }

  @Test
  void namesBecomeVariables() {
    assertEquals(Map.of("user <_> logged in", 15L), fold(of("user %s logged in", 5)));
  }

  @Test
  void fewWordsStay() {
    assertEquals(4, fold(of("connection %s", 4)).size());
  }

  @Test
  void theFirstLineStaysTheSample() {
    Pattern folded = new ShapeFold(of("user %s logged in", 9), _ -> {}).fold().getFirst();
    assertEquals("sample of user aa logged in", folded.sample());
    assertEquals(0, folded.firstNanos());
    assertEquals(8_008, folded.lastNanos());
  }

  @Test
  void variablesStayWhatTheyAre() {
    List<Pattern> patterns = of("<_> %s <_>:", 6);
    patterns.addAll(of("<_> x%s <_> ms", 2));
    assertEquals(
        List.of("<_> <_> <_>:", "<_> xaa <_> ms", "<_> xba <_> ms"),
        List.copyOf(fold(patterns).keySet()));
  }

  @Test
  void pairsThatAreSeenOnceFoldToo() {
    List<Pattern> patterns = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      patterns.add(pattern("user %s from %s".formatted(word(i), word(600 - i)), 1, i));
    }
    assertEquals(Map.of("user <_> from <_>", 40L), fold(patterns));
  }

  /// Prose: as many and as long shapes as there may be, each with words of its own.
  @Test
  void muchLongProseStaysWhatItIs() {
    List<Pattern> patterns = new ArrayList<>();
    for (int i = 0; i < PatternCounts.SHAPES_MAX; i++) {
      List<String> words = new ArrayList<>();
      for (int j = 0; j < 150; j++) {
        words.add(word(i) + word(i / 676) + word(j));
      }
      patterns.add(pattern(String.join(" ", words), 1, i));
    }
    assertEquals(PatternCounts.SHAPES_MAX, fold(patterns).size());
  }

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noLineIsLost(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Pattern> patterns = new TreeMap<>();
    long lines = 0;
    for (int i = 0; i < 300; i++) {
      List<String> words = new ArrayList<>();
      for (int j = 1 + random.nextInt(5); j > 0; j--) {
        words.add(random.nextInt(5) == 0 ? "<_>" : word(random.nextInt(1 + random.nextInt(50))));
      }
      String shape = String.join(" ", words);
      if (!patterns.containsKey(shape)) {
        int count = 1 + random.nextInt(9);
        patterns.put(shape, pattern(shape, count, i));
        lines += count;
      }
    }
    Map<String, Long> folded = fold(List.copyOf(patterns.values()));
    assertEquals(lines, folded.values().stream().mapToLong(Long::longValue).sum());
    assertEquals(folded, fold(List.copyOf(patterns.values()).reversed()), "whatever their order");
  }
}
