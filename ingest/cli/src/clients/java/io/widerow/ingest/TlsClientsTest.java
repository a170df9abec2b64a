package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: programs that people send with store events over Fluent Forward and over TLS, each once.
/// Method: the programs themselves, against a daemon on a store in memory. When one is missing, its
/// test is skipped and names the package.
@Timeout(300)
@Tag("process")
class TlsClientsTest {
  private static final int EVENTS = 500;
  private static final String LOGGER =
      """
      const fs = require('fs');
      const { FluentClient, EventTime } = require('@fluent-org/logger');
      const [mode, port, ca, key] = process.argv.slice(2);
      const socket = { host: '127.0.0.1', port: +port, timeout: 3000 };
      if (ca) {
        socket.tls = { ca: fs.readFileSync(ca) };
      }
      const ack = { ackTimeout: 30000 }; // half a second otherwise
      const security = key ? { clientHostname: 'node-1', sharedKey: key } : undefined;
      const logger = new FluentClient('node', { eventMode: mode, ack, socket, security });
      const sent = [];
      for (let i = 0; i < 500; i++) {
        const event = { message: 'm' + i, number: i, part: i % 2 ? 0.25 : 0.0 };
        sent.push(logger.emit('app', event, new EventTime(1700000000 + i, 5)));
      }
      Promise.all(sent).then(
        () => { console.log('acknowledged ' + sent.length); process.exit(0); },
        failure => { console.error(failure); process.exit(1); });
      """;

  @TempDir private static Path directory = Path.of(".");

  private final MemoryStore store = new MemoryStore(1);
  private final TlsPeers peers = new TlsPeers(directory);

  @BeforeAll
  static void certificates() throws IOException, GeneralSecurityException {
    new TlsPeers(directory).make();
  }

  private Daemon start(String... more) {
    Map<String, String> keys = new HashMap<>(Map.of("http", "127.0.0.1:0", "lanes", "1"));
    keys.put("tls-certificate", peers.file("cert.pem"));
    keys.put("tls-key", peers.file("key.pem"));
    for (int i = 0; i < more.length; i += 2) {
      keys.put(more[i], more[i + 1]);
    }
    return Daemon.start(DaemonConfig.of(keys), store);
  }

  private static String port(Daemon daemon, String protocol) {
    return "" + Objects.requireNonNull(daemon.socketAddress(protocol)).getPort();
  }

  private static void requireProgram(String name) {
    boolean there =
        Stream.of((System.getenv("PATH") + ":/usr/sbin:/sbin").split(":", -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    assumeTrue(there, "needs " + name);
  }

  /// A program that has ended.
  private record Ran(int code, String said) {}

  private static Ran run(Path folder, String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), said);
  }

  /// The folder with the logger for Node, installed once.
  private static Path logger() throws IOException, InterruptedException {
    requireProgram("node");
    requireProgram("npm");
    Path folder = directory.resolve("node");
    if (!Files.exists(folder)) {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("send.js"), LOGGER);
      Files.writeString(folder.resolve("package.json"), "{}");
      Ran ran =
          run(folder, "npm", "install", "--no-audit", "--no-fund", "@fluent-org/logger@1.0.10");
      assumeTrue(ran.code() == 0, "needs @fluent-org/logger 1.0.10 of npm: " + ran.said());
    }
    return folder;
  }

  private void assertStored() {
    TreeSet<String> expected = new TreeSet<>();
    for (int i = 0; i < EVENTS; i++) {
      String part = i % 2 == 0 ? "0" : "0.25";
      expected.add(
          ("Stored[type=node.app, timeNanos=%d000000005, ownId=null,"
                  + " attributes={body=m%d, number=%d, part=%s}]")
              .formatted(1_700_000_000 + i, i, i, part));
    }
    TreeSet<String> stored = new TreeSet<>();
    store.committed.forEach(event -> stored.add(event.toString()));
    assertEquals(expected, stored);
    assertEquals(EVENTS, store.committed.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Message", "Forward", "PackedForward", "CompressedPackedForward"})
  void fluentLoggerForNode(String mode) throws IOException, InterruptedException {
    Path folder = logger();
    try (Daemon daemon = start("fluent", "127.0.0.1:0")) {
      Ran ran = run(folder, "node", "send.js", mode, port(daemon, "fluent"));
      assertEquals("acknowledged 500\n", ran.said());
    }
    assertStored();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Message", "CompressedPackedForward"})
  void fluentLoggerForNodeOverTlsWithAKey(String mode) throws IOException, InterruptedException {
    Path folder = logger();
    Path key = directory.resolve("key");
    Files.writeString(key, "s3cret");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    try (Daemon daemon = start("fluent-tls", "127.0.0.1:0", "fluent-shared-key", key.toString())) {
      String port = port(daemon, "fluent-tls");
      Ran ran = run(folder, "node", "send.js", mode, port, peers.file("cert.pem"), "s3cret");
      assertEquals("acknowledged 500\n", ran.said());
    }
    assertStored();
  }

  @ParameterizedTest
  @CsvSource({"ossl, octet-counted", "gtls, octet-counted", "ossl, traditional"})
  void rsyslog(String driver, String framing) throws IOException, InterruptedException {
    requireProgram("rsyslogd");
    Path folder = Files.createTempDirectory(directory, "rsyslog");
    Path in = folder.resolve("in.log");
    List<String> lines = IntStream.range(0, 200).mapToObj(i -> "request " + i).toList();
    Files.write(in, lines);
    Path config = folder.resolve("rsyslog.conf");
    try (Daemon daemon =
        start("syslog-tls", "127.0.0.1:0", "tls-client-ca", peers.file("ca.pem"))) {
      Files.writeString(
          config,
          """
          global(workDirectory="%1$s"
                 DefaultNetstreamDriverCAFile="%2$s"
                 DefaultNetstreamDriverCertFile="%3$s"
                 DefaultNetstreamDriverKeyFile="%4$s")
          module(load="imfile")
          input(type="imfile" File="%5$s" Tag="shop:" Severity="notice" Facility="local3")
          action(type="omfwd" Target="127.0.0.1" Port="%6$s" Protocol="tcp"
                 StreamDriver="%7$s" StreamDriverMode="1" StreamDriverAuthMode="x509/name"
                 StreamDriverPermittedPeers="localhost"
                 Template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="%8$s"
                 action.resumeRetryCount="-1")
          """
              .formatted(
                  folder,
                  peers.file("cert.pem"),
                  peers.file("client.pem"),
                  peers.file("client.key"),
                  in,
                  port(daemon, "syslog-tls"),
                  driver,
                  framing));
      Path out = folder.resolve("out");
      Process rsyslog =
          new ProcessBuilder(
                  "rsyslogd", "-n", "-f", config.toString(), "-i", folder.resolve("pid").toString())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      try {
        while (store.committed.size() < lines.size()) { // the time-out of the class ends it
          String said = Files.readString(out);
          assumeTrue(
              !said.contains("could not load module"),
              "needs rsyslog-openssl and rsyslog-gnutls of Debian: " + said);
          assertTrue(rsyslog.isAlive(), said);
          Await.pauseNanos(20_000_000);
        }
      } finally {
        rsyslog.destroy();
        boolean _ = rsyslog.waitFor(Await.SECONDS, TimeUnit.SECONDS);
        rsyslog.destroyForcibly();
      }
    }
    List<String> bodies = new ArrayList<>();
    store.committed.forEach(event -> bodies.add(event.body().strip()));
    assertEquals(lines, bodies);
    assertEquals("shop", store.committed.getFirst().attributes().get("app"));
  }
}
