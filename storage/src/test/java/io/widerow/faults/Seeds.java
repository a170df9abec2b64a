package io.widerow.faults;

import java.util.List;
import java.util.SplittableRandom;

/// Seeds for model tests: fresh ones on each run, or the one given with `-Dseed=<n>`.
public final class Seeds {
  private Seeds() {}

  public static List<Long> of(int count) {
    Long given = Long.getLong("seed");
    return given != null ? List.of(given) : new SplittableRandom().longs(count).boxed().toList();
  }
}
