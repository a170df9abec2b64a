package io.widerow.loadgen.wire;

import java.io.IOException;

/// Reads events through a peer's own driver.
///
/// - Threads: one.
public interface PeerReader extends AutoCloseable {
  /// Receives rows as they arrive.
  interface RowSink {
    void row(long timeMicros, String type, String body) throws IOException;
  }

  /// All events in one time order, over all types and partitions.
  ///
  /// @param limit rows at most
  /// @return rows read
  long read(long limit, boolean descending, RowSink sink) throws IOException;

  @Override
  void close();
}
