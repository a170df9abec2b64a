package io.widerow.loadgen.run;

import io.widerow.loadgen.wire.Reply;

/// Receives the outcome of each batch.
///
/// - Threads: any sender calls it.
public interface AckListener {
  AckListener NONE = (sequenceFirst, slot, events, reply) -> {};

  /// @param sequenceFirst number of the batch's first event
  /// @param slot index of the prepared batch
  void answered(long sequenceFirst, int slot, int events, Reply reply);
}
