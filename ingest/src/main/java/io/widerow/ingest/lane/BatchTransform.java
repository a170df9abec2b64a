package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;

/// The changes that an operator configured for each batch, applied before it is written. The lanes
/// apply it to every batch, whatever protocol it came by.
///
/// - Threads: any.
@FunctionalInterface
public interface BatchTransform {
  /// Changes, drops or refuses events of a batch, and notes that in it.
  ///
  /// @param spare an empty batch of the same limits, which may be used and exchanged by
  ///   [EventBatch#take]
  void apply(IncomingBatch batch, EventBatch spare);
}
