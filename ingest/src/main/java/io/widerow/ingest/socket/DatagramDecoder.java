package io.widerow.ingest.socket;

import io.widerow.ingest.decode.IncomingBatch;
import java.net.InetSocketAddress;

/// Decodes the events of one datagram: what a protocol over UDP has of its own. Each socket has
/// one.
///
/// - Threads: one, the event loop of the socket.
@FunctionalInterface
public interface DatagramDecoder {
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `length`
  void decode(byte[] bytes, int length, IncomingBatch batch);

  /// Decodes the events of a datagram whose sender matters: a protocol that puts messages together
  /// from several datagrams overrides this.
  ///
  /// @param sender the address and port from which it came
  default void decode(byte[] bytes, int length, InetSocketAddress sender, IncomingBatch batch) {
    decode(bytes, length, batch);
  }
}
