package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: every stream listener stores what comes over TLS, knows senders by their certificates, and
/// refuses plain text, TLS at a plain address, and handshakes without an end, counted and with a
/// reason. Method: the TLS of the JDK and openssl as clients, against a daemon on a store in
/// memory.
@Timeout(300)
class StreamTlsTest {
  private static final String LINE = "<34>1 2003-10-11T22:14:15.003Z h a 1 - - one\n";

  private static final int ALERTS_BYTES_MAX = 20;

  @TempDir private static Path directory = Path.of(".");

  private final MemoryStore store = new MemoryStore(1);
  private final TlsPeers peers = new TlsPeers(directory);

  @BeforeAll
  static void certificates() throws IOException, GeneralSecurityException {
    new TlsPeers(directory).make();
  }

  private Map<String, String> keys(String... more) {
    Map<String, String> keys = new HashMap<>();
    keys.put("http", "127.0.0.1:0");
    keys.put("lanes", "1");
    keys.put("syslog-tls", "127.0.0.1:0");
    keys.put("fluent-tls", "127.0.0.1:0");
    keys.put("tls-certificate", peers.file("cert.pem"));
    keys.put("tls-key", peers.file("key.pem"));
    for (int i = 0; i < more.length; i += 2) {
      keys.put(more[i], more[i + 1]);
    }
    return keys;
  }

  private static InetSocketAddress address(Daemon daemon, String protocol) {
    InetSocketAddress address = daemon.socketAddress(protocol);
    assertNotNull(address, protocol);
    return address;
  }

  private static Socket plain(Daemon daemon, String protocol) throws IOException {
    InetSocketAddress address = address(daemon, protocol);
    return new Socket(address.getAddress(), address.getPort());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void awaitStored(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
  }

  /// Waits for a line of `/metrics`; the time-out of the class ends it.
  private void awaitMetric(Daemon daemon, String line)
      throws IOException, InterruptedException, GeneralSecurityException {
    Await.until(() -> peers.get(daemon, "/metrics").lines().anyMatch(line::equals), line);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void syslogCountedAndInLines(String version) throws IOException, GeneralSecurityException {
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys()), store);
        SSLSocket socket = peers.connect(address(daemon, "syslog-tls"), false)) {
      socket.setEnabledProtocols(new String[] {version});
      String many = "x".repeat(100_000);
      String message = "<34>1 2003-10-11T22:14:15.003Z h a 1 - - " + many;
      String text =
          "44 <34>1 2003-10-11T22:14:15.003Z h a 1 - - one"
              + "<34>1 2003-10-11T22:14:15.003Z h a 1 - - two\n"
              + message.length()
              + " "
              + message;
      socket.getOutputStream().write(ascii(text));
      awaitStored(3);
      assertEquals(version, socket.getSession().getProtocol());
      assertEquals(
          List.of("one", "two", many),
          store.committed.stream().map(MemoryStore.Stored::body).toList());
    }
  }

  /// A packed message of 200 KB, which is many records of TLS.
  @Test
  void fluentIsAcknowledged() throws IOException, GeneralSecurityException {
    byte[] entry = HexFormat.of().parseHex("92ce6553f10081a36d7367d9c8" + "61".repeat(200));
    byte[] message = new byte[8 + 1_000 * entry.length + 9];
    byte[] head = HexFormat.of().parseHex("93a174c6");
    System.arraycopy(head, 0, message, 0, 4);
    ByteBuffer.wrap(message).putInt(4, 1_000 * entry.length);
    for (int i = 0; i < 1_000; i++) {
      System.arraycopy(entry, 0, message, 8 + i * entry.length, entry.length);
    }
    byte[] option = HexFormat.of().parseHex("81a56368756e6ba163");
    System.arraycopy(option, 0, message, message.length - option.length, option.length);
    byte[] ack = HexFormat.of().parseHex("81a361636ba163");
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys()), store)) {
      for (int time = 0; time < 2; time++) {
        try (SSLSocket socket = peers.connect(address(daemon, "fluent-tls"), false)) {
          socket.getOutputStream().write(message);
          assertArrayEquals(ack, socket.getInputStream().readNBytes(ack.length));
        }
      }
      assertEquals(1_000, store.committed.size());
    }
  }

  static Stream<Arguments> metricProtocols() {
    String pickle = "(l(S'a.b'\n(L1767323045L\nS'1'\ntta.";
    return Stream.of(
        Arguments.of("statsd", ascii("a.b:1|c\n"), "a.b"),
        Arguments.of("graphite", ascii("a.b 1 1767323045\n"), "graphite"),
        Arguments.of("graphite", ascii("\0\0\0" + (char) pickle.length() + pickle), "graphite"),
        Arguments.of("gelf", ascii("{\"host\":\"h\",\"short_message\":\"m\"}\0"), "gelf"));
  }

  /// Each of the others over TLS, and TLS at the address of each that has none.
  @ParameterizedTest(name = "{0}")
  @MethodSource("metricProtocols")
  void theOthersOverTlsAndTlsWhereNoneIsSpoken(String protocol, byte[] message, String type)
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> keys = keys(protocol, "127.0.0.1:0", protocol + "-tls", "127.0.0.1:0");
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store)) {
      try (SSLSocket socket = peers.connect(address(daemon, protocol + "-tls"), false)) {
        socket.getOutputStream().write(message);
        awaitStored(1);
      }
      try (Socket socket = plain(daemon, protocol)) {
        socket.getOutputStream().write(message);
        awaitStored(2);
      }
      assertEquals(
          List.of(type, type), store.committed.stream().map(MemoryStore.Stored::type).toList());
      refusesTls(daemon, protocol);
      assertEquals(2, store.committed.size());
    }
  }

  private void refusesTls(Daemon daemon, String protocol)
      throws IOException, InterruptedException, GeneralSecurityException {
    try (SSLSocket socket = peers.connect(address(daemon, protocol), false)) {
      assertThrows(IOException.class, socket::startHandshake);
    }
    awaitMetric(
        daemon, "widerow_%s_connections_refused_total 1.0".formatted(protocol.replace('-', '_')));
    String senders = peers.get(daemon, "/v1/senders");
    assertTrue(senders.contains("the sender speaks TLS, which is not spoken"), senders);
  }

  @ParameterizedTest
  @ValueSource(strings = {"syslog", "fluent"})
  void tlsWhereNoneIsSpokenIsRefused(String protocol)
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> keys = keys(protocol, "127.0.0.1:0");
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store)) {
      refusesTls(daemon, protocol);
      assertEquals(List.of(), List.copyOf(store.committed));
    }
  }

  @Test
  void aSenderIsKnownByItsCertificateAndNotLetInWithoutOne()
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> keys = keys("tls-client-ca", peers.file("ca.pem"));
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store)) {
      try (SSLSocket known = peers.connect(address(daemon, "syslog-tls"), true)) {
        known.getOutputStream().write(ascii(LINE));
        awaitStored(1);
      }
      try (SSLSocket unknown = peers.connect(address(daemon, "syslog-tls"), false)) {
        assertThrows(
            IOException.class,
            () -> {
              unknown.getOutputStream().write(ascii(LINE));
              assertEquals(-1, unknown.getInputStream().read());
              throw new IOException("closed");
            });
      }
      awaitMetric(daemon, "widerow_syslog_tls_connections_refused_total 1.0");
      assertEquals(1, store.committed.size());
      List<String> senders = peers.get(daemon, "/v1/senders").lines().toList();
      assertEquals(2, senders.size(), senders::toString);
      assertTrue(senders.get(0).contains("\"sender\":\"127.0.0.1\""), senders::toString);
      assertTrue(senders.get(0).contains("no TLS: "), senders::toString);
      assertTrue(
          senders.get(1).startsWith("{\"protocol\":\"syslog-tls\",\"sender\":\"web-7\""),
          senders::toString);
      assertTrue(senders.get(1).contains("\"accepted\":1,"), senders::toString);
    }
  }

  @Test
  void plainBytesWhereTlsIsSpokenAreCountedAndTheConnectionClosed()
      throws IOException, InterruptedException, GeneralSecurityException {
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys()), store)) {
      for (String protocol : List.of("syslog-tls", "fluent-tls")) {
        try (Socket plain = plain(daemon, protocol)) {
          plain.getOutputStream().write(ascii(LINE));
          byte[] answer = plain.getInputStream().readAllBytes(); // an alert, and the end
          assertTrue(answer.length < ALERTS_BYTES_MAX, Arrays.toString(answer));
        }
        awaitMetric(
            daemon,
            "widerow_%s_connections_refused_total 1.0".formatted(protocol.replace('-', '_')));
      }
      assertEquals(List.of(), List.copyOf(store.committed));
      String senders = peers.get(daemon, "/v1/senders");
      assertTrue(senders.contains("plain bytes where TLS is spoken"), senders);
      assertTrue(!senders.contains("3c33343e"), "the sent bytes are not shown: " + senders);
    }
  }

  private static int readToTheEnd(Socket socket) throws IOException {
    return socket.getInputStream().readAllBytes().length;
  }

  @Test
  void aHandshakeWithoutAnEndIsOver()
      throws IOException, InterruptedException, GeneralSecurityException {
    Path key = directory.resolve("shared");
    Files.writeString(key, "secret");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    Map<String, String> keys =
        keys("header-seconds", "4", "fluent", "127.0.0.1:0", "fluent-shared-key", key.toString());
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store);
        Socket silent = plain(daemon, "syslog-tls");
        Socket begun = plain(daemon, "fluent-tls");
        Socket noPing = plain(daemon, "fluent")) {
      begun.getOutputStream().write(new byte[] {22, 3, 1, 1, 0, 1, 0});
      assertTrue(readToTheEnd(silent) < ALERTS_BYTES_MAX);
      assertTrue(readToTheEnd(begun) < ALERTS_BYTES_MAX);
      assertTrue(readToTheEnd(noPing) > 0, "its HELO");
      String senders = peers.get(daemon, "/v1/senders");
      assertEquals(
          3,
          senders.lines().filter(line -> line.contains("is not done after 4 s")).count(),
          senders);
    }
  }

  /// Those without an end give way, the first of them first, and do not keep others out.
  @Test
  void handshakesUnderWayAreFew()
      throws IOException, InterruptedException, GeneralSecurityException {
    List<Socket> silent = new ArrayList<>();
    Map<String, String> keys = keys("header-seconds", "3600");
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store)) {
      for (int i = 0; i < 70; i++) {
        silent.add(plain(daemon, "syslog-tls"));
      }
      try (SSLSocket good = peers.connect(address(daemon, "syslog-tls"), false)) {
        good.getOutputStream().write(ascii(LINE));
        awaitStored(1);
      }
      for (Socket first : silent.subList(0, 7)) {
        assertTrue(readToTheEnd(first) < ALERTS_BYTES_MAX);
      }
      awaitMetric(daemon, "widerow_syslog_tls_connections_refused_total 7.0");
      String senders = peers.get(daemon, "/v1/senders");
      assertTrue(senders.contains("gave way: 64 handshakes are in progress"), senders);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  private X509Certificate shown(InetSocketAddress address)
      throws IOException, GeneralSecurityException {
    try (SSLSocket socket = peers.connect(address, false)) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  private static void replace(Path from, Path to) throws IOException {
    Path beside = to.resolveSibling("new");
    Files.copy(from, beside, StandardCopyOption.REPLACE_EXISTING);
    Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void changedCertificatesTakeEffectAndUnusableOnesDoNot()
      throws IOException, GeneralSecurityException {
    Path certificate = directory.resolve("used.pem");
    Path key = directory.resolve("used.key");
    replace(directory.resolve("cert.pem"), certificate);
    replace(directory.resolve("key.pem"), key);
    Map<String, String> keys =
        keys("tls-certificate", certificate.toString(), "tls-key", key.toString());
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store);
        SSLSocket old = peers.connect(address(daemon, "syslog-tls"), false)) {
      old.startHandshake();
      InetSocketAddress syslog = address(daemon, "syslog-tls");
      X509Certificate first = shown(syslog);
      assertEquals(first, shown(daemon.httpAddress()));
      replace(directory.resolve("other.pem"), certificate); // without its key: the old ones stay
      replace(directory.resolve("other.key"), key);
      Await.until(
          () -> !shown(syslog).equals(first) && !shown(daemon.httpAddress()).equals(first),
          "both show the new certificate");
      assertEquals(shown(syslog), shown(daemon.httpAddress()));
      old.getOutputStream().write(ascii(LINE)); // a connection lives on
      awaitStored(1);
    }
  }

  /// What a shell with openssl sends arrives, and it trusts the daemon.
  @Test
  @Tag("process")
  void opensslSends() throws IOException, InterruptedException {
    Map<String, String> keys = keys("tls-client-ca", peers.file("ca.pem"));
    try (Daemon daemon = Daemon.start(TunedConfig.of(keys), store)) {
      Process client =
          new ProcessBuilder(
                  "openssl",
                  "s_client",
                  "-quiet",
                  "-verify_return_error",
                  "-connect",
                  "127.0.0.1:" + address(daemon, "syslog-tls").getPort(),
                  "-CAfile",
                  peers.file("cert.pem"),
                  "-cert",
                  peers.file("client.pem"),
                  "-key",
                  peers.file("client.key"))
              .redirectErrorStream(true)
              .start();
      try (OutputStream in = client.getOutputStream()) {
        in.write(ascii(LINE + LINE.replace("one", "two")));
        in.flush();
        awaitStored(2);
      } finally {
        client.destroy();
        int _ = client.waitFor();
      }
      assertEquals("two", store.committed.getLast().body());
    }
  }
}
