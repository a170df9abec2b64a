package io.widerow.storage.cassandra.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Simulates the multi-get of [ReadAhead] against a cluster of 100 nodes in virtual time: answers
/// come after log-normal times; those of one node are late by a constant. Segments come in the
/// order of their bounds; the merge takes one after the other and works on it for a while.
///
/// ```
///   asked for, not taken   |====| <= window, which grows by 4 with each segment taken
///   taken              ====|        the first row needs the first segment of every partition
/// ```
final class ReadSimulation {
  private static final int NODES = 100;
  private static final double LATENCY_P50_MILLIS = 2;
  private static final double LATENCY_P99_MILLIS = 20;
  private static final double NORMAL_P99 = 2.326;
  private static final double SLOW_NODE_MILLIS = 200;
  private static final int SEGMENT_EVENTS = 4_096;
  private static final double MERGE_MILLIS_PER_EVENT = 0.00055;
  private static final int SEGMENTS_OF_PARTITION = 20;
  private static final int WINDOW_FIRST = 8;
  private static final int WINDOW_GROWTH = 4;
  private static final int RUNS = 500;

  /// Never a second request.
  static final double NEVER = Double.POSITIVE_INFINITY;

  private final SplittableRandom random;

  private ReadSimulation(long seed) {
    random = new SplittableRandom(seed);
  }

  /// What many queries saw: times to the first row, and rows per second of whole queries.
  static final class Outcome {
    private final double[] firstMillis; // sorted
    private final double[] rowsPerSecond; // sorted

    private Outcome(double[] firstMillis, double[] rowsPerSecond) {
      this.firstMillis = firstMillis;
      this.rowsPerSecond = rowsPerSecond;
    }

    double first(double share) {
      return firstMillis[(int) (share * (firstMillis.length - 1))];
    }

    double rows(double share) {
      return rowsPerSecond[(int) (share * (rowsPerSecond.length - 1))];
    }
  }

  /// @param partitions of the group that is read
  /// @param readAhead see [ReadOptions]
  /// @param speculateMillis when a second replica is asked
  static Outcome run(int partitions, int readAhead, double speculateMillis, long seed) {
    ReadSimulation simulation = new ReadSimulation(seed);
    double[] first = new double[RUNS];
    double[] rows = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      simulation.query(partitions, readAhead, speculateMillis, run, first, rows);
    }
    Arrays.sort(first);
    Arrays.sort(rows);
    return new Outcome(first, rows);
  }

  private void query(
      int partitions,
      int readAhead,
      double speculateMillis,
      int run,
      double[] first,
      double[] rows) {
    int segments = partitions * SEGMENTS_OF_PARTITION;
    double[] ready = new double[segments];
    double now = 0;
    int asked = 0;
    int window = WINDOW_FIRST;
    for (int taken = 0; taken < segments; taken++) {
      while (asked < segments && (asked <= taken || asked - taken < Math.min(window, readAhead))) {
        ready[asked++] = now + answerMillis(speculateMillis);
      }
      now = Math.max(now, ready[taken]);
      window += WINDOW_GROWTH;
      if (taken == partitions - 1) {
        first[run] = now;
      }
      if (taken >= partitions - 1) {
        now += SEGMENT_EVENTS * MERGE_MILLIS_PER_EVENT;
      }
    }
    now += (partitions - 1) * SEGMENT_EVENTS * MERGE_MILLIS_PER_EVENT;
    rows[run] = segments * (double) SEGMENT_EVENTS / now * 1_000;
  }

  private double answerMillis(double speculateMillis) {
    double one = oneMillis();
    return one <= speculateMillis ? one : Math.min(one, speculateMillis + oneMillis());
  }

  private double oneMillis() {
    double sigma = StrictMath.log(LATENCY_P99_MILLIS / LATENCY_P50_MILLIS) / NORMAL_P99;
    double millis = LATENCY_P50_MILLIS * StrictMath.exp(sigma * random.nextGaussian());
    return random.nextInt(NODES) == 0 ? millis + SLOW_NODE_MILLIS : millis;
  }

  /// The table of README.md.
  static List<String> table() {
    List<String> rows = new ArrayList<>();
    for (int partitions : new int[] {16, 64, 256}) {
      for (int readAhead : new int[] {16, 32, 64}) {
        for (double speculate : new double[] {NEVER, 20}) {
          Outcome seen = run(partitions, readAhead, speculate, 1);
          rows.add(
              "| %d | %d | %s | %.0f, %.0f ms | %.2f (%.2f) M |"
                  .formatted(
                      partitions,
                      readAhead,
                      speculate == NEVER ? "never" : "20 ms",
                      seen.first(0.5),
                      seen.first(0.99),
                      seen.rows(0.5) / 1e6,
                      seen.rows(0.01) / 1e6));
        }
      }
    }
    return rows;
  }
}
