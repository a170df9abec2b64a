package io.widerow.ingest.receive.statsd;

import io.widerow.ingest.socket.DatagramDecoder;
import io.widerow.ingest.socket.LineStream;
import io.widerow.ingest.socket.SocketProtocol;

/// StatsD and DogStatsD over UDP and TCP. Nothing is answered: the protocol has no answers.
public final class StatsdProtocol {
  private static final int LINE_BYTES_MAX = 1 << 20;

  private StatsdProtocol() {}

  /// The listener of the key `statsd`.
  public static SocketProtocol protocol() {
    return new SocketProtocol(
        "statsd",
        () -> new LineStream(LINE_BYTES_MAX, new StatsdDecoder()::line),
        StatsdProtocol::datagrams);
  }

  private static DatagramDecoder datagrams() {
    StatsdDecoder decoder = new StatsdDecoder();
    return (bytes, length, batch) -> decoder.decode(bytes, 0, length, batch);
  }
}
