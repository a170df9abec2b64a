package io.widerow.loadgen.wire;

import java.io.IOException;

/// Reads from a peer that is asked through its own driver.
///
/// - Threads: one.
public interface PeerReader extends AutoCloseable {
  /// Takes rows as they come.
  interface RowSink {
    void row(long timeMicros, String type, String body) throws IOException;
  }

  /// All events in one order of time, over all types and partitions.
  ///
  /// @param limit rows at most
  /// @return rows read
  long read(long limit, boolean descending, RowSink sink) throws IOException;

  @Override
  void close();
}
