package io.widerow.loadgen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLongArray;

/// What the right answers are, counted from the drawn events and by nothing that any contestant is
/// made of.
///
/// - Threads: one.
final class Oracle {
  private static final double SHARE = 0.001;
  private static final int WORD_CHARS_MIN = 5;
  private static final int CANDIDATES = 20;
  private static final long MINUTE_NANOS = 60 * Quantity.SECOND;

  private final Workload workload;
  private final long events;
  private final List<List<Sample>> batches = new ArrayList<>();
  private final String token;

  /// @param events of the run: batch after batch of the pool, from the first on
  /// @param slots prepared batches
  Oracle(Workload workload, long events, int slots) {
    this.workload = workload;
    this.events = events;
    SamplePool pool = new SamplePool(workload);
    for (int slot = 0; slot < slots; slot++) {
      batches.add(pool.nextBatch());
    }
    boolean log = batches.get(0).get(0).body() != null;
    token = log ? rareWord() : "";
  }

  /// The word that the filter looks for: one in a thousand lines has it, as nearly as the log
  /// allows.
  String token() {
    return token;
  }

  private String rareWord() {
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
        .min(Comparator.comparingDouble(word -> Math.abs(holding(word) - wanted)))
        .orElseThrow(() -> new IllegalArgumentException("the scenario has no words"));
  }

  /// Drawn lines that hold the word, also inside another.
  private long holding(String word) {
    return batches.stream()
        .flatMap(List::stream)
        .filter(sample -> Encoder.message(sample).contains(word))
        .count();
  }

  /// Rows of the right answer.
  ///
  /// @param slotsSent how often each prepared batch was sent
  long rows(Question question, AtomicLongArray slotsSent) {
    return switch (question) {
      case RANGE -> events;
      case LATEST -> Math.min(100, events);
      case TOKEN -> {
        long rows = 0;
        for (int slot = 0; slot < slotsSent.length(); slot++) {
          rows +=
              slotsSent.get(slot)
                  * batches.get(slot).stream()
                      .filter(sample -> Encoder.message(sample).contains(token))
                      .count();
        }
        yield rows;
      }
      case COUNT -> groups();
    };
  }

  /// Different pairs of minute and region. Hosts report one after the other, so with many events a
  /// minute each minute has each region.
  private long groups() {
    TreeSet<String> regions = new TreeSet<>();
    for (List<Sample> batch : batches) {
      for (Sample sample : batch) {
        regions.add(sample.attributes().get(1).text());
      }
    }
    long firstMinute = Math.floorDiv(workload.fromNanos(), MINUTE_NANOS);
    long lastMinute = Math.floorDiv(workload.timeNanos(events - 1, 0), MINUTE_NANOS);
    return (lastMinute - firstMinute + 1) * regions.size();
  }
}
