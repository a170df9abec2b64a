package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.config.DaemonConfig;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the port of CQL speaks TLS where HTTP does, asks clients for no certificate, and needs TLS
/// and tokens where others can reach it. Method: the TLS of the JDK, and a frame made by hand.
@Timeout(300)
class CqlOverTlsTest {
  private static final byte[] OPTIONS = {5, 0, 0, 1, 5, 0, 0, 0, 0};
  private static final int SUPPORTED = 6;

  @Test
  void framesGoOverTls(@TempDir Path directory)
      throws IOException, InterruptedException, GeneralSecurityException {
    TlsPeers peers = new TlsPeers(directory);
    peers.make();
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "http",
                "127.0.0.1:0",
                "cql",
                "127.0.0.1:0",
                "syslog-tls",
                "127.0.0.1:0",
                "lanes",
                "1",
                "tls-certificate",
                peers.file("cert.pem"),
                "tls-key",
                peers.file("key.pem"),
                "tls-client-ca",
                peers.file("ca.pem")));
    try (Daemon daemon = Daemon.start(config, new MemoryStore(1))) {
      InetSocketAddress address = Objects.requireNonNull(daemon.socketAddress("cql"));
      try (Socket socket = peers.connect(address, false)) {
        socket.getOutputStream().write(OPTIONS);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] head = in.readNBytes(OPTIONS.length);
        assertEquals(SUPPORTED, head[4]);
      }
      try (Socket plain = new Socket(address.getAddress(), address.getPort())) {
        plain.getOutputStream().write(OPTIONS);
        byte[] rest = plain.getInputStream().readAllBytes();
        assertTrue(rest.length < OPTIONS.length, "only an alert of TLS");
      }
    }
  }

  @Test
  void othersNeedTlsAndTokens() {
    Map<String, String> open = Map.of("cql", "0.0.0.0:9042");
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(open));
    assertEquals(
        "cql: others can reach 0.0.0.0:9042; without TLS and tokens that needs --insecure",
        refused.getMessage());
  }
}
