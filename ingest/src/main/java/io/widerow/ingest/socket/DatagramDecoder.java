package io.widerow.ingest.socket;

import io.widerow.ingest.decode.IncomingBatch;

/// Decodes the events of one datagram: what a protocol over UDP has of its own. Each socket has
/// one.
///
/// - Threads: one, the event loop of the socket.
@FunctionalInterface
public interface DatagramDecoder {
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `length`
  void decode(byte[] bytes, int length, IncomingBatch batch);
}
