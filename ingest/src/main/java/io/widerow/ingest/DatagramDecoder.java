package io.widerow.ingest;

/// Decodes the events of one datagram: what a protocol over UDP has of its own. Each socket has
/// one.
///
/// - Threads: one, the event loop of the socket.
@FunctionalInterface
interface DatagramDecoder {
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `length`
  void decode(byte[] bytes, int length, IncomingBatch batch);
}
