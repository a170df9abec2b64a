package io.widerow.loadgen.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/// One connection to the target. Blocks.
///
/// - Threads: one; [#close] may come from another and wakes it with an exception.
public interface Connection extends AutoCloseable {
  /// Sends a batch and waits for the response.
  ///
  /// @param head from position 0 to capacity; the connection moves position and limit
  /// @param body likewise
  /// @throws IOException when the connection can no longer be used
  Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException;

  @Override
  void close();
}
