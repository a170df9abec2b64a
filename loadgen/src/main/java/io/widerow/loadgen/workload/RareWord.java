package io.widerow.loadgen.workload;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Selects the word that a filter looks for: one in about a thousand lines has it.
public final class RareWord {
  private static final double SHARE = 0.001;
  private static final int WORD_CHARS_MIN = 5;
  private static final int CANDIDATES = 20;

  private RareWord() {}

  /// @param batches drawn log lines
  public static String in(List<List<Sample>> batches) {
    Map<String, Integer> lines = new HashMap<>();
    int all = 0;
    for (List<Sample> batch : batches) {
      for (Sample sample : batch) {
        all++;
        for (String word :
            new TreeSet<>(List.of(Encoder.message(sample).split("[^A-Za-z]+", -1)))) {
          if (word.length() >= WORD_CHARS_MIN) {
            lines.merge(word, 1, Integer::sum);
          }
        }
      }
    }
    double wanted = SHARE * all;
    return lines.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<String, Integer>>comparingDouble(
                    entry -> Math.abs(entry.getValue() - wanted))
                .thenComparing(Map.Entry::getKey))
        .limit(CANDIDATES)
        .map(Map.Entry::getKey)
        .min(Comparator.comparingDouble(word -> Math.abs(holding(batches, word) - wanted)))
        .orElseThrow(() -> new IllegalArgumentException("the scenario has no words"));
  }

  /// Drawn lines that hold the word, also as a part of another.
  static long holding(List<List<Sample>> batches, String word) {
    return batches.stream()
        .flatMap(List::stream)
        .filter(sample -> Encoder.message(sample).contains(word))
        .count();
  }
}
