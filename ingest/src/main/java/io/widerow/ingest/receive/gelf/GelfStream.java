package io.widerow.ingest.receive.gelf;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.socket.StreamDecoder;

/// The messages of one TCP connection. Each ends with a NUL, before which a newline may stand, as
/// it may before the message. The last one may lack its NUL.
///
/// - Threads: the connection's event loop.
final class GelfStream implements StreamDecoder {
  static final int MESSAGE_BYTES_MAX = 2 << 20;

  private final GelfDecoder decoder = new GelfDecoder(null);

  @Override
  public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int end = offset;
    while (end < limit && bytes[end] != 0) {
      end++;
    }
    if (end == limit) {
      return limit - offset > MESSAGE_BYTES_MAX ? BROKEN : MORE;
    }
    message(bytes, offset, end, batch);
    return end + 1;
  }

  @Override
  public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    message(bytes, offset, limit, batch);
  }

  private void message(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int from = offset;
    while (from < limit && (bytes[from] == '\n' || bytes[from] == '\r' || bytes[from] == ' ')) {
      from++;
    }
    if (limit - from > MESSAGE_BYTES_MAX) {
      batch.refuse(
          "message at byte 0: it has %d bytes or more, at most %d are allowed"
              .formatted(limit - from, MESSAGE_BYTES_MAX));
    } else if (from < limit) {
      decoder.decode(bytes, from, limit, batch);
    }
  }
}
