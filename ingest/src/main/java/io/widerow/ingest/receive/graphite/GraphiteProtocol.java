package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.socket.DatagramDecoder;
import io.widerow.ingest.socket.SocketProtocol;

/// Graphite: the plaintext protocol over TCP and UDP, and the pickle protocol over TCP, at one
/// address. Nothing is answered: neither has answers.
public final class GraphiteProtocol {
  private GraphiteProtocol() {}

  /// The listener of the key `graphite`. All its connections share one decoder of pickles, because
  /// they share one thread and the memory of a decoder is that of its largest frame.
  public static SocketProtocol protocol() {
    PickleDecoder shared = new PickleDecoder();
    return new SocketProtocol(
        "graphite", () -> new GraphiteStream(shared), GraphiteProtocol::datagrams);
  }

  private static DatagramDecoder datagrams() {
    GraphiteDecoder decoder = new GraphiteDecoder();
    return (bytes, length, batch) -> decoder.decode(bytes, 0, length, batch);
  }
}
