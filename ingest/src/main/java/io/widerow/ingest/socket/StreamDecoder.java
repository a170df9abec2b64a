package io.widerow.ingest.socket;

import io.widerow.ingest.decode.IncomingBatch;
import org.jspecify.annotations.Nullable;

/// Finds the frames in one byte stream and decodes their events: the specifics of a protocol over
/// TCP. Each connection has one.
///
/// The same bytes may be decoded twice: when the store has no room for a batch, the batch is
/// dropped and decoded again later.
///
/// A decoder does not throw: bad bytes are a refused event, or [#BROKEN]. It looks at the length
/// that a frame announces before anything of that size is allocated or waited for.
///
/// Frames without a [Receipt] share a batch with the frames that arrived with them. A protocol with
/// responses, or whose senders retry frames without a response, gives a frame a receipt: the batch
/// ends there, and its response is sent when it is durable. The responses to frames that arrived
/// together are sent together, in the order of the frames, and none before all of the frames are
/// durable.
///
/// - Threads: one, the event loop of the connection.
public interface StreamDecoder {
  /// The stream ends in the middle of a frame: more bytes are needed.
  int MORE = -1;

  /// The next bytes are no frame, or a frame above the protocol's limit: the connection is closed.
  int BROKEN = -2;

  /// The frame needs a batch of its own, but `batch` has events of other frames: the caller calls
  /// again with an empty one.
  int OWN_BATCH = -3;

  /// Decodes the frame at `offset`.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @return where the next frame begins, [#MORE], [#BROKEN] or [#OWN_BATCH]
  int decode(byte[] bytes, int offset, int limit, IncomingBatch batch);

  /// Decodes the remaining bytes when the connection has ended: a last frame without its end, where
  /// the protocol allows one, or the bytes that were [#BROKEN].
  void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch);

  /// The options of the frame decoded last; null when it shares its batch with the next one.
  default @Nullable Receipt receipt() {
    return null;
  }

  /// Returns the bytes to send when a connection begins; empty for none.
  default byte[] greeting() {
    return new byte[0];
  }

  /// Whether the sender is authenticated. While it is not, its connection may be closed: see
  /// [Handshakes].
  default boolean isSenderKnown() {
    return true;
  }

  /// The name that the sender has proven; null when the protocol knows none.
  default @Nullable String sender() {
    return null;
  }

  /// Called when all earlier frames are stored. The next bytes lie in another body, or at its
  /// start.
  default void begin() {}

  /// Earlier frames are decoded again, because there was no room for them. A decoder that remembers
  /// how far it has read an unfinished frame forgets it.
  default void rewind() {}
}
