package io.widerow.ingest.transform;

import java.util.concurrent.atomic.LongAdder;

/// Counts by rule of a version of the file, since it was loaded.
///
/// - Threads: any.
final class RuleCounts {
  private final LongAdder[] changed;
  private final LongAdder[] failed;

  RuleCounts(int rules) {
    changed = adders(rules);
    failed = adders(rules);
  }

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    for (int i = 0; i < count; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  void add(long[] changedBy, long[] failedBy) {
    for (int i = 0; i < changedBy.length; i++) {
      if (changedBy[i] != 0) {
        changed[i].add(changedBy[i]);
      }
      if (failedBy[i] != 0) {
        failed[i].add(failedBy[i]);
      }
    }
  }

  /// Events that a rule changed or dropped.
  long changed(int rule) {
    return changed[rule].sum();
  }

  /// Events at which a rule failed.
  long failed(int rule) {
    return failed[rule].sum();
  }
}
