package io.widerow.faults;

import java.util.List;
import java.util.SplittableRandom;

/// Seeds of property, model and fault tests, which stand in the tests' names or in what they print.
///
/// A build takes the same ones each time, so that its result is about the change and not about
/// luck. `-Dseeds=random` takes fresh ones, which is how to look for what nobody has found yet;
/// `-Dseed=<n>` takes one again.
public final class Seeds {
  private static final long FIXED = 20_261_126;

  private Seeds() {}

  public static List<Long> of(int count) {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : source().longs(count).boxed().toList();
  }

  public static long one() {
    return of(1).getFirst();
  }

  private static SplittableRandom source() {
    boolean random = "random".equals(System.getProperty("seeds"));
    return random ? new SplittableRandom() : new SplittableRandom(FIXED);
  }

  public static List<Long> five() {
    return of(5);
  }

  public static List<Long> twenty() {
    return of(20);
  }

  public static List<Long> hundred() {
    return of(100);
  }
}
