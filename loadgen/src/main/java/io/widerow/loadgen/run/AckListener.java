package io.widerow.loadgen.run;

import io.widerow.loadgen.wire.Reply;

/// Hears what became of each batch that was sent.
///
/// - Threads: any sender calls it.
public interface AckListener {
  AckListener NONE = (sequenceFirst, slot, events, reply) -> {};

  /// @param sequenceFirst number of the batch's first event
  /// @param slot which prepared batch it was
  void answered(long sequenceFirst, int slot, int events, Reply reply);
}
