package io.widerow.ingest.socket;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;

/// The lines of one TCP connection, for protocols whose messages end with a newline. The last line
/// may lack it. A line that is too long is refused; one that is too long and still has no end ends
/// the connection.
///
/// - Threads: the connection's event loop.
public record LineStream(int lineBytesMax, Line decoder) implements StreamDecoder {
  /// Decodes one line.
  @FunctionalInterface
  public interface Line {
    /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
    /// @param limit end of the line, without its newline
    void decode(byte[] bytes, int offset, int limit, IncomingBatch batch);
  }

  @Override
  public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int newline = Swar.newline(bytes, offset, limit);
    if (newline == limit) {
      return limit - offset > lineBytesMax ? BROKEN : MORE;
    }
    line(bytes, offset, newline, batch);
    return newline + 1;
  }

  @Override
  public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    line(bytes, offset, limit, batch);
  }

  private void line(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    if (limit - offset > lineBytesMax) {
      batch.refuse(
          "a line has %d bytes or more, at most %d are allowed"
              .formatted(limit - offset, lineBytesMax));
    } else {
      decoder.decode(bytes, offset, limit, batch);
    }
  }
}
