package io.widerow.event;

import java.util.List;
import java.util.SplittableRandom;

/// Seeds of property tests: fresh ones in every run, shown in the tests' names, or the one given
/// with `-Dseed=<n>` to replay a failure. Use as `@MethodSource("io.widerow.event.Seeds#twenty")`.
public final class Seeds {
  private Seeds() {}

  public static List<Long> twenty() {
    return of(20);
  }

  public static List<Long> hundred() {
    return of(100);
  }

  private static List<Long> of(int count) {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : new SplittableRandom().longs(count).boxed().toList();
  }
}
