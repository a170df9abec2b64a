package io.widerow.ingest.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: what the kernel drops at a socket is counted, and not what it drops at others. Method: a
/// socket with a small buffer that is not read, and then read to the end.
@Timeout(300)
class KernelDropsTest {
  private static final int SENT = 500;

  @Test
  void theDropsOfASocketThatIsNotRead() throws IOException {
    assumeTrue(Files.exists(Path.of("/proc/net/udp")), "needs Linux");
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (DatagramSocket slow = new DatagramSocket(new InetSocketAddress(loopback, 0));
        DatagramSocket idle = new DatagramSocket(new InetSocketAddress(loopback, 0));
        DatagramSocket sender = new DatagramSocket()) {
      slow.setReceiveBufferSize(8 << 10);
      byte[] bytes = new byte[1_000];
      for (int i = 0; i < SENT; i++) {
        sender.send(new DatagramPacket(bytes, bytes.length, slow.getLocalSocketAddress()));
      }
      InetSocketAddress address = new InetSocketAddress(loopback, slow.getLocalPort());
      double dropped = KernelDrops.ofUdpPort(address);
      int received = 0;
      slow.setSoTimeout(1);
      try {
        while (true) {
          slow.receive(new DatagramPacket(bytes, bytes.length));
          received++;
        }
      } catch (java.net.SocketTimeoutException empty) {
        assertEquals(SENT, received + dropped);
      }
      assertEquals(0, KernelDrops.ofUdpPort(new InetSocketAddress(loopback, idle.getLocalPort())));
    }
  }
}
