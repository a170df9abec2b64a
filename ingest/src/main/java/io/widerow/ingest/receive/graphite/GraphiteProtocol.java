package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.socket.DatagramDecoder;
import io.widerow.ingest.socket.LineStream;
import io.widerow.ingest.socket.SocketProtocol;

/// Graphite: the plaintext protocol over TCP and UDP, and the pickle protocol over TCP. Nothing is
/// answered: neither has answers.
public final class GraphiteProtocol {
  private static final int LINE_BYTES_MAX = 1 << 20;

  private GraphiteProtocol() {}

  /// The listener of the key `graphite`.
  public static SocketProtocol plain() {
    return new SocketProtocol(
        "graphite",
        () -> new LineStream(LINE_BYTES_MAX, new GraphiteDecoder()::line),
        GraphiteProtocol::datagrams);
  }

  /// The listener of the key `graphite-pickle`. All its connections share one decoder, because they
  /// share one thread and the memory of a decoder is that of its largest frame.
  public static SocketProtocol pickle() {
    PickleDecoder shared = new PickleDecoder();
    return new SocketProtocol("graphite-pickle", () -> shared, null);
  }

  private static DatagramDecoder datagrams() {
    GraphiteDecoder decoder = new GraphiteDecoder();
    return (bytes, length, batch) -> decoder.decode(bytes, 0, length, batch);
  }
}
