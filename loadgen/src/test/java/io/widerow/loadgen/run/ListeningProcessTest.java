package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a server's process is found by its port. Method: sockets of this process, of IPv4 and
/// IPv6.
class ListeningProcessTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0", "::"})
  void processIsTheOneThatListens(String host) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
      assertEquals(
          Optional.of(ProcessHandle.current().pid()),
          ListeningProcess.of(address),
          address::toString);
    }
  }

  @Test
  void clientsOfAPortAreNotItsServer() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(socket.getInetAddress(), socket.getLocalPort())) {
      port = client.getLocalPort();
      assertEquals(
          Optional.empty(),
          ListeningProcess.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }
  }

  @Test
  void serverOfAnotherMachineHasNoProcessHere() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = socket.getLocalPort();
      InetAddress elsewhere = InetAddress.getByName("192.0.2.1"); // for documentation
      assertEquals(Optional.empty(), ListeningProcess.of(new InetSocketAddress(elsewhere, port)));
      assertEquals(
          Optional.empty(),
          ListeningProcess.of(InetSocketAddress.createUnresolved("nowhere.invalid", port)));
    }
  }
}
