package io.widerow.ingest.receive.syslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a message in each format of syslog becomes the event that it describes. Method: the
/// examples of the RFCs through the decoder, and a daemon with real sockets.
@Timeout(300)
class SyslogTest {
  private static final DaemonConfig SYSLOG =
      DaemonConfig.of(Map.of("http", "127.0.0.1:0", "syslog", "127.0.0.1:0", "lanes", "1"));

  private static MemoryStore.Stored decode(String message) {
    return Decoding.of(
            message,
            (body, limit, batch) -> new SyslogDecoder(ZoneOffset.UTC).decode(body, 0, limit, batch))
        .stored()
        .get(0);
  }

  @Test
  void rfc5424() {
    MemoryStore.Stored event =
        decode(
            "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 8710 ID47"
                + " [exampleSDID@32473 iut=\"3\" eventSource=\"App \\\"x\\\" \\]\"]"
                + " \u00ef\u00bb\u00bfAn application");
    assertEquals(1065910455003000000L, event.timeNanos());
    assertEquals("8710", event.attributes().get("pid"));
    assertEquals("App \"x\" ]", event.attributes().get("exampleSDID@32473.eventSource"));
    assertEquals("mymachine.example.com", event.attributes().get("host"));
    assertEquals("evntslog", event.attributes().get("app"));
    assertEquals("ID47", event.attributes().get("msgid"));
    assertEquals(20L, event.attributes().get("facility"));
    assertEquals(5L, event.attributes().get("severity"));
    assertEquals("{facility=4, severity=2}", decode("<34>1 - - - - - -").attributes().toString());
  }

  @Test
  void aParameterThatIsGivenAgainIsKept() {
    assertEquals(
        "{facility=4, origin.ip=1, origin.ip.2=2, origin.ip.3=3, severity=2}",
        decode("<34>1 - - - - - [origin ip=\"1\" ip=\"2\"][origin ip=\"3\"]")
            .attributes()
            .toString());
  }

  @Test
  void oddParametersCostNothing() {
    String name = "a".repeat(256);
    MemoryStore.Stored event =
        decode("<34>1 2003-10-11T22:14:15Z h - - - [" + name + " b=\"c\"] x");
    assertEquals(
        "{body=x, facility=4, host=h, severity=2, widerow.member={\"%s.b\":\"c\"}}".formatted(name),
        event.attributes().toString());
    assertEquals(1065910455000000000L, event.timeNanos());
    StringBuilder many = new StringBuilder("1 - - - - - [a");
    for (int i = 0; i < 2_000; i++) {
      many.append(" p").append(i).append("=\"v\"");
    }
    many.append(']');
    MemoryStore.Stored rest = decode("<34>" + many);
    assertEquals("v", rest.attributes().get("a.p0"));
    String members = String.valueOf(rest.attributes().get("widerow.member"));
    assertTrue(members.contains("\"a.p1999\":\"v\""));
    assertEquals("x: y z", decode("<13>x: y z").body());
  }

  @Test
  void rfc3164() {
    assertEquals(
        "Stored[type=syslog, timeNanos=1697062455000000000, ownId=null, attributes={app=su,"
            + " body='su root' failed, facility=4, host=mymachine, pid=230, severity=2}]",
        decode("<34>Oct 11 22:14:15 mymachine su[230]: 'su root' failed").toString());
    assertEquals("x: y z", decode("<13>x: y z").body()); // neither format: kept whole
    assertEquals("no priority", decode("no priority").body());
    assertEquals("h", decode("<13>Feb  5 17:32:18 h tag: x").attributes().get("host"));
    assertEquals("t", decode("<13>2026-01-02T03:04:05.678+01:00 h t: x").attributes().get("app"));
  }

  @Test
  void bothSocketsAndBothFramings() throws IOException {
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(SYSLOG, store)) {
      InetSocketAddress address = daemon.socketAddress("syslog");
      assertNotNull(address);
      try (Socket tcp = new Socket(address.getAddress(), address.getPort());
          DatagramSocket udp = new DatagramSocket()) {
        OutputStream out = tcp.getOutputStream();
        String lines = "<34>Oct 11 22:14:15 h a: one\n28 <34>Oct 11 22:14:15 h a: two";
        for (byte b : lines.getBytes(StandardCharsets.US_ASCII)) {
          out.write(b);
          out.flush();
        }
        out.write("<34>Oct 11 22:14:15 h a: three\n".getBytes(StandardCharsets.US_ASCII));
        byte[] datagram = "<34>Oct 11 22:14:15 h a: four".getBytes(StandardCharsets.US_ASCII);
        udp.send(new DatagramPacket(datagram, datagram.length, address));
        Await.until(() -> store.committed.size() >= 4, "all four are stored");
      }
    }
    assertEquals(
        "[four, one, three, two]",
        store.committed.stream().map(MemoryStore.Stored::body).sorted().toList().toString());
  }

  @Test
  void overTcpAFullDiskStopsTheSenderAndLosesNothing() throws IOException {
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(SYSLOG, store);
        Socket tcp = connect(daemon)) {
      OutputStream out = tcp.getOutputStream();
      out.write("<34>Oct 11 22:14:15 h a: one\n<34>Oct 11 2".getBytes(StandardCharsets.US_ASCII));
      Await.until(() -> !store.committed.isEmpty(), "the event is stored");
      store.full = true;
      out.write("2:14:15 h a: two\n<34>Oct 11 22:14:15 h a: ".getBytes(StandardCharsets.US_ASCII));
      Await.until(() -> store.refusedForRoom.get() >= 3, "three are refused for room");
      out.write("three".getBytes(StandardCharsets.US_ASCII));
      tcp.shutdownOutput();
      store.full = false;
      Await.until(() -> store.committed.size() >= 3, "all three are stored");
    }
    assertEquals("[one, two, three]", bodies(store));
  }

  @Test
  void overTcpTheEndOfWritingClosesConnections() throws IOException {
    MemoryStore store = new MemoryStore(1);
    store.failure = "EIO";
    try (Daemon daemon = Daemon.start(SYSLOG, store);
        Socket first = connect(daemon)) {
      first.getOutputStream().write("<34>one\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals(-1, first.getInputStream().read());
      try (Socket second = connect(daemon)) {
        assertEquals(-1, second.getInputStream().read());
      }
    }
    assertEquals("[]", bodies(store));
  }

  private static Socket connect(Daemon daemon) throws IOException {
    InetSocketAddress address = daemon.socketAddress("syslog");
    assertNotNull(address);
    return new Socket(address.getAddress(), address.getPort());
  }

  private static String bodies(MemoryStore store) {
    return store.committed.stream().map(MemoryStore.Stored::body).toList().toString();
  }
}
