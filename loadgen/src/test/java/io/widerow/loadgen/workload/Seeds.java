package io.widerow.loadgen.workload;

import java.util.List;
import java.util.SplittableRandom;

/// The seeds of property tests: fresh ones in every run, in the tests' names, or the one given with
/// `-Dseed=<n>` to replay a failure.
final class Seeds {
  private Seeds() {}

  static List<Long> five() {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : new SplittableRandom().longs(5).boxed().toList();
  }
}
