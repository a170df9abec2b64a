package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

/// How much of a long test runs: a fifth in the first tier, which every commit passes, and all of
/// it with `./widerow test --all`. A property of the test's own says another number.
public final class Slice {
  private static final boolean WHOLE = !System.getProperty("test.tier", "first").equals("first");

  private Slice() {}

  /// Whether this run is of a later tier than the first.
  public static boolean isWhole() {
    return WHOLE;
  }

  public static int of(int first, int whole) {
    return WHOLE ? whole : first;
  }

  /// @param property takes another number, in every tier
  public static int of(String property, int first, int whole) {
    return Integer.getInteger(property, of(first, whole));
  }

  /// Prints how many cases of a kind the random runs met, which depends on their seeds. Where all
  /// runs are done, the count must be at least `least`. The first tier requires only one case, and
  /// none of a rare kind; a run of one seed requires none.
  public static void met(String what, long count, long least) {
    System.out.println(what + ": " + count);
    if (Long.getLong("seed") == null) {
      long wanted = WHOLE ? least : Math.min(1, least / 10);
      assertTrue(count >= wanted, () -> what + ": " + count + ", fewer than " + wanted);
    }
  }
}
