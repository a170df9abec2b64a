package io.widerow.ingest.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Datagrams that Linux dropped because a UDP socket was not read fast enough: the last column of
/// `/proc/net/udp`.
final class KernelDrops {
  private KernelDrops() {}

  /// Datagrams dropped at the sockets of this port; 0 where the system does not count them.
  static double ofUdpPort(InetSocketAddress address) {
    return drops(Path.of("/proc/net/udp"), address) + drops(Path.of("/proc/net/udp6"), address);
  }

  private static double drops(Path table, InetSocketAddress address) {
    String port = ":%04X".formatted(address.getPort()).toUpperCase(Locale.ROOT);
    try {
      long drops = 0;
      List<String> sockets = Files.readAllLines(table);
      for (String socket : sockets.subList(1, sockets.size())) {
        String[] columns = socket.strip().split("\\s+", -1);
        if (columns.length >= 13 && columns[1].endsWith(port)) {
          drops += Long.parseLong(columns[12]);
        }
      }
      return drops;
    } catch (IOException | NumberFormatException notLinux) {
      return 0;
    }
  }
}
