package io.widerow.storage.recovery;

import java.lang.foreign.MemorySegment;

/// Receives the valid frames of journals, lane by lane and in the order of their LSNs.
///
/// - Threads: the one that opens the store.
public interface FrameSink {
  /// Takes one frame.
  ///
  /// @param frame with its header
  /// @param records its contents, valid until this returns
  void frame(int lane, MemorySegment frame, MemorySegment records);

  /// Acknowledged frames are missing here. Earlier frames that wait for the end of their group
  /// count: that end may be among the missing ones.
  void hole();
}
