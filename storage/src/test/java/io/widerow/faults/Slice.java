package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

/// How much of a long test runs: a fifth in the first tier, which every commit passes, and all of
/// it with `./widerow test --all`. A property of the test's own says another number.
public final class Slice {
  private static final String TIER = System.getProperty("test.tier", "first");
  private static final boolean WHOLE = !TIER.equals("first");
  private static final long COMMON = 50; // a fifth of the runs then meets at least one case

  private Slice() {}

  /// Whether this run is of a later tier than the first.
  public static boolean isWhole() {
    return WHOLE;
  }

  /// The option of `./widerow test` that runs this tier, with a blank after it.
  static String option() {
    return switch (TIER) {
      case "first" -> "";
      case "all" -> "--all ";
      default -> "--nightly=" + TIER + " ";
    };
  }

  public static int of(int first, int whole) {
    return WHOLE ? whole : first;
  }

  /// @param property takes another number, in every tier
  public static int of(String property, int first, int whole) {
    return Integer.getInteger(property, of(first, whole));
  }

  /// Prints how many cases of a kind the random runs met, which depends on their seeds. A later
  /// tier requires a third of the usual count, the first tier one case of a kind that is not rare,
  /// and a run of one seed none.
  ///
  /// @param usual what all runs of some commits met at least
  public static void met(String what, long count, long usual) {
    System.out.println(what + ": " + count);
    if (Long.getLong("seed") == null) {
      long wanted = WHOLE ? usual / 3 : usual >= COMMON ? 1 : 0;
      assertTrue(count >= wanted, () -> what + ": " + count + ", fewer than " + wanted);
    }
  }
}
