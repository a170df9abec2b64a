package io.widerow.query;

import java.util.List;
import java.util.SplittableRandom;

/// Seeds of property tests: random ones in each run, shown in the tests' names, or the one given
/// with `-Dseed=<n>` to replay a failure.
final class QuerySeeds {
  private QuerySeeds() {}

  static List<Long> twenty() {
    return of(20);
  }

  static List<Long> five() {
    return of(5);
  }

  private static List<Long> of(int count) {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : new SplittableRandom().longs(count).boxed().toList();
  }
}
