package io.widerow.loadgen.workload;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Selects a word that filters look for, by the share of the lines that have it.
public final class LineWord {
  /// The share of a rare word.
  public static final double RARE = 0.001;

  private static final int WORD_CHARS_MIN = 5;
  private static final int CANDIDATES = 20;

  private LineWord() {}

  /// A word of one line in about a thousand.
  ///
  /// @param batches drawn log lines
  public static String in(List<List<Sample>> batches) {
    return nearest(batches.stream().flatMap(List::stream).map(Encoder::message).toList(), RARE);
  }

  /// The word whose share of the lines is nearest to the wanted share.
  ///
  /// @throws IllegalArgumentException when no line has a word of five letters
  public static String nearest(Collection<String> lines, double share) {
    Map<String, Integer> words = new HashMap<>();
    for (String line : lines) {
      for (String word : new TreeSet<>(List.of(line.split("[^A-Za-z]+", -1)))) {
        if (word.length() >= WORD_CHARS_MIN) {
          words.merge(word, 1, Integer::sum);
        }
      }
    }
    double wanted = share * lines.size();
    return words.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<String, Integer>>comparingDouble(
                    entry -> Math.abs(entry.getValue() - wanted))
                .thenComparing(Map.Entry::getKey))
        .limit(CANDIDATES)
        .map(Map.Entry::getKey)
        .min(Comparator.comparingDouble(word -> Math.abs(holding(lines, word) - wanted)))
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no line has a word of %d letters, got such as '%s'"
                    .formatted(WORD_CHARS_MIN, lines.stream().findFirst().orElse(""))));
  }

  /// Lines that hold the word, also as a part of another.
  static long holding(Collection<String> lines, String word) {
    return lines.stream().filter(line -> line.contains(word)).count();
  }
}
