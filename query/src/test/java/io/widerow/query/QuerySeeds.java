package io.widerow.query;

import java.util.List;
import java.util.SplittableRandom;

/// The seeds of property tests: fresh ones in every run, in the tests' names, or the one given with
/// `-Dseed=<n>` to replay a failure.
final class QuerySeeds {
  private QuerySeeds() {}

  static List<Long> twenty() {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : new SplittableRandom().longs(20).boxed().toList();
  }
}
