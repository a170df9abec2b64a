package io.widerow.faults;

import io.widerow.event.EventBatch;
import io.widerow.storage.LaneWriter;

/// Appends of tests, which the store must accept.
public final class Appends {
  private Appends() {}

  /// Appends a batch to the lane, and commits nothing.
  public static void all(LaneWriter lane, EventBatch batch, long placement) {
    lane.append(
        batch,
        placement,
        (index, why) -> {
          throw new AssertionError("event %d of %d: %s".formatted(index, batch.count(), why));
        });
  }
}
