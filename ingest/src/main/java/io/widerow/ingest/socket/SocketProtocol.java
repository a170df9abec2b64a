package io.widerow.ingest.socket;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One protocol that has sockets of its own. [SocketReceiver] does everything else for it.
///
/// @param name lower-case words joined by hyphens, as the key of its address, which name the thread
///   `widerow-<name>`, the metrics `widerow.<name>.*`, and the source of refused events in
///   `/v1/status`
/// @param streams makes the decoder of each TCP connection; null when it is not spoken over TCP
/// @param datagrams makes the decoder of the UDP socket; null when it is not spoken over UDP
public record SocketProtocol(
    String name,
    @Nullable Supplier<StreamDecoder> streams,
    @Nullable Supplier<DatagramDecoder> datagrams) {
  public SocketProtocol {
    if (streams == null && datagrams == null) {
      throw new IllegalArgumentException(name + " is spoken neither over TCP nor over UDP");
    }
  }

  /// The same over TCP with TLS, which has an address and a name of its own.
  public SocketProtocol overTls() {
    return new SocketProtocol(name + "-tls", streams, null);
  }

  /// For messages: `UDP and TCP`, or the one of them that is used.
  public String transports() {
    if (datagrams == null) {
      return "TCP";
    }
    return streams == null ? "UDP" : "UDP and TCP";
  }
}
