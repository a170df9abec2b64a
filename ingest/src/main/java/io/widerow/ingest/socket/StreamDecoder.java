package io.widerow.ingest.socket;

import io.widerow.ingest.decode.IncomingBatch;

/// Finds the frames in one byte stream and decodes their events: what a protocol over TCP has of
/// its own. Each connection has one.
///
/// The same bytes may be decoded twice: when the store has no room for a batch, the batch is
/// dropped and decoded again later.
///
/// A decoder does not throw: bad bytes are a refused event, or [#BROKEN].
///
/// - Threads: one, the event loop of the connection.
public interface StreamDecoder {
  /// The stream ends in the middle of a frame: more bytes are needed.
  int MORE = -1;

  /// What follows is no frame, or a frame beyond the protocol's limit: the connection is closed.
  int BROKEN = -2;

  /// Decodes the frame at `offset`.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @return where the next frame begins, [#MORE] or [#BROKEN]
  int decode(byte[] bytes, int offset, int limit, IncomingBatch batch);

  /// Decodes what is left when the connection has ended: a last frame without its end, where the
  /// protocol allows one, or what was [#BROKEN].
  void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch);
}
