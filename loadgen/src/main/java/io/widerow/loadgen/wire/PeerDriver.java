package io.widerow.loadgen.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/// Access to a peer through its own driver instead of HTTP. `./widerow load peers` builds the
/// drivers, and they are found as services.
///
/// - Threads: any.
public interface PeerDriver {
  /// The peer's name, as in `--target`.
  String label();

  /// A connection for one sending thread; connections to one address may share a session.
  Connection connect(InetSocketAddress address) throws IOException;

  /// Flushes the peer's buffers, so that sizes on disk can be compared.
  ///
  /// @param keyspace whose tables are flushed
  void flush(InetSocketAddress address, String keyspace) throws IOException;

  /// The number of stored events of all types, counted by reading them.
  long count(InetSocketAddress address) throws IOException;

  /// A reader of the stored events.
  PeerReader reader(InetSocketAddress address) throws IOException;

  /// @throws IllegalArgumentException when the driver was not built
  static PeerDriver of(String label) {
    try {
      for (PeerDriver driver : ServiceLoader.load(PeerDriver.class)) {
        if (driver.label().equals(label)) {
          return driver;
        }
      }
    } catch (ServiceConfigurationError halfBuilt) {
      throw absent(label);
    }
    throw absent(label);
  }

  private static IllegalArgumentException absent(String label) {
    return new IllegalArgumentException(
        "the driver of '" + label + "' is not here; build it with ./widerow load peers");
  }
}
