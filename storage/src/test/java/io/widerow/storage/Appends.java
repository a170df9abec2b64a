package io.widerow.storage;

import io.widerow.event.EventBatch;

/// What tests append, none of which a store may refuse.
final class Appends {
  private Appends() {}

  /// Appends a batch to the lane, and commits nothing.
  static void all(LaneWriter lane, EventBatch batch, long placement) {
    lane.append(
        batch,
        placement,
        (index, why) -> {
          throw new AssertionError("event %d of %d: %s".formatted(index, batch.count(), why));
        });
  }
}
