package io.widerow.loadgen.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/// How the tool speaks to a peer that has a driver of its own instead of HTTP. The drivers come
/// with the profile `peers` and are found as services.
///
/// - Threads: any.
public interface PeerDriver {
  /// The peer's name, as in `--target`.
  String label();

  /// A connection of one sending thread; connections to one address may share what lies below.
  Connection connect(InetSocketAddress address) throws IOException;

  /// Makes it write what it holds back, so that sizes on disk can be compared.
  void flush(InetSocketAddress address) throws IOException;

  /// Events of all types that it has, counted by reading them.
  long count(InetSocketAddress address) throws IOException;

  /// Someone who reads what it has.
  PeerReader reader(InetSocketAddress address) throws IOException;

  /// @throws IllegalArgumentException when the profile was not built
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
