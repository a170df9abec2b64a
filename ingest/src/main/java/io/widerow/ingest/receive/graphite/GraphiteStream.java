package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.socket.LineStream;
import io.widerow.ingest.socket.StreamDecoder;
import org.jspecify.annotations.Nullable;

/// Decodes one connection of Graphite: its first byte decides between the plaintext and the pickle
/// protocol.
///
/// ```
///   00 0f 42 40 ...      the length of a pickle: its first byte is 0, or 1 above the limit
///   servers.web1 ...     a line: no path begins with such a byte
/// ```
///
/// - Threads: one.
final class GraphiteStream implements StreamDecoder {
  private static final int LINE_BYTES_MAX = 1 << 20;
  private static final int LENGTH_FIRST_MAX = 1; // first byte of a length

  private final StreamDecoder lines = new LineStream(LINE_BYTES_MAX, new GraphiteDecoder()::line);
  private final StreamDecoder pickles;
  private @Nullable StreamDecoder chosen;

  /// @param pickles of all connections: the memory of a decoder is that of its largest frame
  GraphiteStream(StreamDecoder pickles) {
    this.pickles = pickles;
  }

  @Override
  public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    return offset == limit ? MORE : decoder(bytes, offset).decode(bytes, offset, limit, batch);
  }

  @Override
  public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    if (offset < limit) {
      decoder(bytes, offset).decodeLast(bytes, offset, limit, batch);
    }
  }

  private StreamDecoder decoder(byte[] bytes, int offset) {
    StreamDecoder decoder = chosen;
    if (decoder == null) {
      decoder = bytes[offset] >= 0 && bytes[offset] <= LENGTH_FIRST_MAX ? pickles : lines;
      chosen = decoder;
    }
    return decoder;
  }
}
