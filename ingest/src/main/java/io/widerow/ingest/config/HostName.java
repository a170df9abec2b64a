package io.widerow.ingest.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/// The name of this machine.
public final class HostName {
  private HostName() {}

  /// The name, or `localhost` when it has none.
  public static String value() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException none) {
      return "localhost";
    }
  }
}
