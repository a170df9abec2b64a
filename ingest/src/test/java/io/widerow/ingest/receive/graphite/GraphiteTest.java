package io.widerow.ingest.receive.graphite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each line of Graphite's plaintext protocol becomes the event that it describes. Method:
/// lines as carbon's documentation and captured clients have them through the decoder, and a daemon
/// with real sockets.
@Timeout(300)
class GraphiteTest {
  private static Decoding.Result decode(String lines) {
    return Decoding.of(lines, GraphiteTest::decode);
  }

  private static void decode(byte[] body, int limit, IncomingBatch batch) {
    new GraphiteDecoder().decode(body, 0, limit, batch);
  }

  private static String shown(MemoryStore.Stored event) {
    return event.type() + event.attributes() + " " + event.timeNanos() / 1_000_000;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "servers.web1.load 0.25 1767323045"
            + " ! graphite{path=servers.web1.load, value=0.25} 1767323045000",
        "a.b 42 1767323045.125 ! graphite{path=a.b, value=42.0} 1767323045125",
        "a.b -1.5e-3 -1 ! graphite{path=a.b, value=-0.0015} 1700000000000",
        "a.b 1 N ! graphite{path=a.b, value=1.0} 1700000000000",
        "a.b 1 0 ! graphite{path=a.b, value=1.0} 1700000000000",
        "a.b\t1  1767323045 ! graphite{path=a.b, value=1.0} 1767323045000",
        "disk.used;datacenter=dc1;rack=a1 42 1767323045"
            + " ! disk.used{datacenter=dc1, rack=a1, value=42.0} 1767323045000",
        "m;a=;b=c=d 1 1 ! m{a=, b=c=d, value=1.0} 1000",
        "m;value=x;type=t;name=n 1 1 ! m{name=n, tag.type=t, tag.value=x, value=1.0} 1000",
        "m;a=1;a=2 1 1 ! m{a=1, tag.a=2, value=1.0} 1000",
        "\u00e9;\u00fc=\u00f6 1 1 ! \u00e9{value=1.0, \u00fc=\u00f6} 1000"
      })
  void line(String line, String expected) {
    Decoding.Result result = decode(line + "\r\n");
    assertEquals(0, result.refused().count(), line);
    assertEquals(expected, shown(result.stored().getFirst()));
  }

  @Test
  void collectdsLinesEndWithBoth() {
    Decoding.Result result = decode("a.b 1 1\r\nbad\r\n\r\n \nc 2 2");
    assertEquals(
        List.of("graphite{path=a.b, value=1.0} 1000", "graphite{path=c, value=2.0} 2000"),
        result.stored().stream().map(GraphiteTest::shown).toList());
    assertEquals(1, result.refused().count());
    assertEquals("value at byte 4: missing", result.refused().reason(0));
  }

  @Test
  void aRefusedLineLeavesNothingToTheNext() {
    Decoding.Result result = decode("a 1e999\nb 2 2\nc 1e999 3 x\nd 4 4\ne 1e999 5\nf 6 6\n");
    assertEquals(
        List.of(
            "graphite{path=b, value=2.0} 2000",
            "graphite{path=d, value=4.0} 4000",
            "graphite{path=e, value=1e999} 5000",
            "graphite{path=f, value=6.0} 6000"),
        result.stored().stream().map(GraphiteTest::shown).toList());
  }

  @Test
  void bytesThatAreNotUtf8AreEscaped() {
    byte[] line = "caf\u00e9;k=\u00ff 1 1--------".getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result =
        Decoding.of("", (body, limit, batch) -> decode(line, line.length - 8, batch));
    assertEquals(
        "caf\\xE9{k=\\xFF, value=1.0, widerow.escaped=2} 1000", shown(result.stored().getFirst()));
  }

  @Test
  void everySocket() throws IOException {
    MemoryStore store = new MemoryStore(1);
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "http", "127.0.0.1:0",
                "graphite", "127.0.0.1:0",
                "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        Socket tcp = connect(daemon, "graphite");
        Socket pickle = connect(daemon, "graphite");
        DatagramSocket udp = new DatagramSocket()) {
      OutputStream out = tcp.getOutputStream();
      out.write("a 1 1\r\nbad\nb 2".getBytes(StandardCharsets.US_ASCII));
      out.flush();
      out.write(" 2\nc 3 3".getBytes(StandardCharsets.US_ASCII));
      tcp.shutdownOutput();
      byte[] datagram = "d 4 4\ne 5 5\n".getBytes(StandardCharsets.US_ASCII);
      InetSocketAddress address = daemon.socketAddress("graphite");
      assertNotNull(address);
      udp.send(new DatagramPacket(datagram, datagram.length, address));
      byte[] frames = PickleTest.join(PickleTest.frame("f"), PickleTest.frame("g"));
      for (byte b : frames) {
        pickle.getOutputStream().write(b);
      }
      Await.until(() -> store.committed.size() >= 7, "all seven are stored");
    }
    assertEquals(
        "[a, b, c, d, e, f, g]",
        store.committed.stream()
            .map(event -> String.valueOf(event.attributes().get("path")))
            .sorted()
            .toList()
            .toString());
  }

  @Test
  void aPickleThatIsTooLongEndsTheConnection() throws IOException {
    MemoryStore store = new MemoryStore(1);
    DaemonConfig config =
        DaemonConfig.of(Map.of("http", "127.0.0.1:0", "graphite", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        Socket pickle = connect(daemon, "graphite")) {
      pickle
          .getOutputStream()
          .write(PickleTest.join(PickleTest.frame("f"), new byte[] {0, 16, 0, 1}));
      assertEquals(-1, pickle.getInputStream().read());
    }
    assertEquals(1, store.committed.size());
    assertTrue(store.committed.getFirst().attributes().containsValue("f"));
  }

  private static Socket connect(Daemon daemon, String protocol) throws IOException {
    InetSocketAddress address = daemon.socketAddress(protocol);
    assertNotNull(address);
    return new Socket(address.getAddress(), address.getPort());
  }
}
