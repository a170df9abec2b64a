package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Await;
import io.widerow.faults.Certificates;
import io.widerow.faults.Http2Flood;
import io.widerow.faults.RawHttp;
import io.widerow.faults.RawHttp2;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.config.Tokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: unauthorized requests are refused, with TLS and without, and a setting that would let them
/// in is refused at start. Method: a daemon with tokens and a certificate.
@Timeout(300)
class AccessTest {

  @TempDir private Path directory = Path.of(".");

  private static String digest(String token) throws GeneralSecurityException {
    byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private Path tokens(String mode, String text) throws IOException {
    Path file = directory.resolve("tokens");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return file;
  }

  private Map<String, String> tokensOfThree() throws IOException, GeneralSecurityException {
    String text =
        "# who may\n\nshipper %s ingest\nreader %s query\nroot %s ingest,query,admin\n"
            .formatted(digest("s"), digest("q"), digest("a"));
    Map<String, String> values = new HashMap<>();
    values.put("http", "127.0.0.1:0");
    values.put("tokens", tokens("rw-------", text).toString());
    return values;
  }

  private static int status(Http http, String method, String path, String... headers)
      throws IOException, InterruptedException {
    return method.equals("GET")
        ? http.get(path, headers).statusCode()
        : http.post(path, Http.TEXT, "x", headers).statusCode();
  }

  @Test
  void aTokenPermitsWhatItsScopesSay()
      throws IOException, InterruptedException, GeneralSecurityException {
    MemoryStore store = new MemoryStore(1);
    Map<String, String> values = tokensOfThree();
    values.put("lanes", "1");
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), store);
        Http http = new Http(daemon)) {
      String write = "/v1/events?type=a";
      assertEquals(401, status(http, "POST", write));
      assertEquals(401, status(http, "POST", write, "authorization", "Bearer x"));
      assertEquals(401, status(http, "POST", write, "authorization", "Bearer"));
      assertEquals(401, status(http, "POST", write, "authorization", "Basic !"));
      assertEquals(403, status(http, "POST", write, "authorization", "Bearer q"));
      assertEquals(200, status(http, "POST", write, "authorization", "Bearer s"));
      assertEquals(400, status(http, "POST", "/api/v2/write", "authorization", "Token a"));
      String basic = Base64.getEncoder().encodeToString("any:a".getBytes(StandardCharsets.UTF_8));
      assertEquals(400, status(http, "POST", "/write", "authorization", "Basic " + basic));
      assertEquals(401, status(http, "GET", "/v1/query?limit=x"));
      assertEquals(403, status(http, "GET", "/v1/query?limit=x", "authorization", "Bearer s"));
      assertEquals(400, status(http, "GET", "/v1/query?limit=x", "authorization", "Bearer q"));
      assertEquals(403, status(http, "GET", "/metrics", "authorization", "Bearer q"));
      assertEquals(200, status(http, "GET", "/v1/status", "authorization", "Bearer a"));
      assertEquals(200, status(http, "GET", "/ready"));
      assertEquals(1, store.committed.size());
    }
  }

  @Test
  void aNewTokenIsAcceptedWhileTheDaemonRuns()
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> values = tokensOfThree();
    values.put("lanes", "1");
    Path file = Path.of(String.valueOf(values.get("tokens")));
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), new MemoryStore(1));
        Http http = new Http(daemon)) {
      String made = token("fresh", "--scopes", "admin", "--append", file.toString());
      assertTrue(made.startsWith("0 ") && made.length() == 2 + 64, made);
      String bearer = "Bearer " + made.substring(2);
      Await.until(
          () -> status(http, "GET", "/v1/status", "authorization", bearer) == 200,
          "the new token is let in");
      assertEquals(403, status(http, "GET", "/v1/query?limit=x", "authorization", bearer));
      TokenFile slipped = new TokenFile(tokens("rw-------", "a " + digest("a") + " admin\n"));
      Files.writeString(file, "not a line\n"); // a mistake: nobody is locked out
      slipped.reload();
      assertNotNull(slipped.tokens().find("a"));
    }
  }

  @Test
  void aFileThatOthersMayReadMeanwhileIsRefused() throws IOException, GeneralSecurityException {
    Path file = tokens("rw-------", "a " + digest("a") + " admin\n");
    List<String> told = new ArrayList<>();
    Handler handler = handler(told);
    Logger log = Logger.getLogger("widerow");
    log.addHandler(handler);
    try {
      TokenFile opened = new TokenFile(file);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      opened.reload();
      opened.reload();
      assertEquals(1, told.size(), told.toString());
      assertTrue(told.getFirst().contains("0600"), told.toString());
      Files.writeString(file, "b " + digest("b") + " admin\n");
      opened.reload();
      assertNotNull(opened.tokens().find("a"), "nobody is locked out");
      assertNull(opened.tokens().find("b"), "what others may have written is not believed");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      opened.reload();
      assertNotNull(opened.tokens().find("b"));
    } finally {
      log.removeHandler(handler);
    }
  }

  private static Handler handler(List<String> told) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        told.add(new SimpleFormatter().formatMessage(record));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void aPathIsWrittenAsTheEndpointIs() throws IOException, GeneralSecurityException {
    Map<String, String> values = tokensOfThree();
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), new MemoryStore(1))) {
      for (String path :
          List.of(
              "//v1/status",
              "/v1//status",
              "/v1/status;x",
              "/v1;x/status",
              "/v1/./status",
              "/v1/%73tatus",
              "/v1/status/",
              "/v1/query/../status",
              "/v1%2fstatus",
              "/V1/STATUS")) {
        int told = asked(daemon, path);
        assertTrue(told == 400 || told == 404, path + " gets " + told);
      }
      assertEquals(200, asked(daemon, "/metrics?a=/b;c//d"));
    }
  }

  private static int asked(Daemon daemon, String path) throws IOException {
    try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
      raw.send("GET " + path + " HTTP/1.1\r\nhost: 127.0.0.1\r\n");
      return raw.send("authorization: Bearer a\r\nconnection: close\r\n\r\n").status();
    }
  }

  @Test
  void aFloodIsEndedUnderTlsToo()
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> values = tokensOfThree();
    certificate(values);
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), new MemoryStore(1))) {
      SSLContext trusting = SSLContext.getInstance("TLS");
      trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
      for (Http2Flood flood : List.of(Http2Flood.PING, Http2Flood.WINDOW_UPDATE_OF_0)) {
        SSLSocket socket =
            (SSLSocket)
                trusting
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), daemon.httpAddress().getPort());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        try (RawHttp2 raw = new RawHttp2(socket, RawHttp2.PREFACE)) {
          assertTrue(raw.floodUntilEnded(flood::frames, 50_000, true), flood + " goes on");
        }
      }
    }
  }

  @Test
  void aTokenIsMadeWithItsLine() throws GeneralSecurityException {
    String[] made = token("shipper", "--scopes", "ingest").split("\\s+", -1);
    assertEquals("0", made[0]);
    assertEquals(digest(made[2]), made[5]);
    assertTrue(token("two words").startsWith("64 "));
    assertTrue(token("x", "--scopes", "all").startsWith("64 "));
    assertTrue(token("#x").startsWith("64 "));
  }

  private static String token(String... arguments) {
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of(), "token", arguments);
    return ran.code() + " " + (ran.out() + ran.err()).strip();
  }

  @Test
  void equalIdempotencyKeysOfTwoTokensDiffer()
      throws IOException, InterruptedException, GeneralSecurityException {
    MemoryStore store = new MemoryStore(1);
    Map<String, String> values = tokensOfThree();
    values.put("lanes", "1");
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), store);
        Http http = new Http(daemon)) {
      for (String secret : new String[] {"s", "a", "s"}) {
        String[] headers = {"authorization", "Bearer " + secret, "idempotency-key", "k"};
        assertEquals(200, status(http, "POST", "/v1/events?type=a", headers));
      }
    }
    assertEquals(2, store.committed.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b c", "name 00 ingest", "name %s", "name %s all", "name %s ingest,"})
  void aWrongLineIsNamedAndNotShown(String line) throws IOException, GeneralSecurityException {
    Path file = tokens("rw-------", "\n" + line.formatted(digest("secret")) + "\n");
    var refused = assertThrows(IllegalArgumentException.class, () -> Tokens.read(file));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("line 2"), message);
    assertFalse(message.contains(digest("secret")), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--", "rwxrwxrwx"})
  void aFileThatOthersReadIsRefused(String mode) throws IOException {
    Path file = tokens(mode, "");
    if (Files.getAttribute(file, "unix:uid").equals(0)) { // of root's, the group may read
      Files.setAttribute(file, "unix:uid", 65_534);
    }
    var refused = assertThrows(IllegalArgumentException.class, () -> Tokens.read(file));
    assertTrue(String.valueOf(refused.getMessage()).contains("0600"), refused.getMessage());
  }

  @Test
  void anAddressThatOthersReachNeedsTlsAndTokens()
      throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> values = tokensOfThree();
    values.put("http", "0.0.0.0:0");
    assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(values));
    certificate(values);
    assertEquals("0.0.0.0", DaemonConfig.of(values).http().getAddress().getHostAddress());
    values.remove("tokens");
    assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(values));
    values.put("insecure", "true");
    assertTrue(DaemonConfig.of(values).insecure());
  }

  @Test
  void tlsComesFromPemFiles() throws IOException, InterruptedException, GeneralSecurityException {
    Map<String, String> values = tokensOfThree();
    certificate(values);
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), new MemoryStore(1));
        ClientFactory trusting =
            ClientFactory.builder()
                .tlsCustomizer(tls -> tls.trustManager(directory.resolve("cert.pem").toFile()))
                .build()) {
      String address = "https://127.0.0.1:" + daemon.httpAddress().getPort();
      WebClient client = WebClient.builder(address).factory(trusting).build();
      RequestHeaders headers =
          RequestHeaders.of(
              HttpMethod.POST,
              "/v1/events?type=a",
              "authorization",
              "Bearer s",
              "content-type",
              "text/plain");
      AggregatedHttpResponse answer = client.execute(headers, "x").aggregate().join();
      assertEquals(200, answer.status().code());
      assertEquals("https", daemon.httpScheme());
      String plain = plain(daemon, "127.0.0.1", Integer.MAX_VALUE);
      assertTrue(plain.startsWith("HTTP/1.1 400") && plain.contains("https://"), plain);
    }
  }

  private void certificate(Map<String, String> values)
      throws IOException, GeneralSecurityException {
    Path certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Certificates.ofThisMachine().write(certificate, key);
    values.put("tls-certificate", certificate.toString());
    values.put("tls-key", key.toString());
  }

  @Test
  void withoutTokensOnlyNamesOfThisMachineAreServed() throws IOException {
    Map<String, String> values = Map.of("http", "127.0.0.1:0", "hosts", "logs.test, other.test");
    try (Daemon daemon = Daemon.start(DaemonConfig.of(values), new MemoryStore(1))) {
      assertTrue(status(daemon, "127.0.0.1:80").startsWith("HTTP/1.1 200"));
      assertTrue(status(daemon, "LOCALHOST").startsWith("HTTP/1.1 200"));
      assertTrue(status(daemon, "[::1]:7380").startsWith("HTTP/1.1 200"));
      assertTrue(status(daemon, "other.test:7380").startsWith("HTTP/1.1 200"));
      assertTrue(status(daemon, "evil.test").startsWith("HTTP/1.1 403"));
      assertTrue(status(daemon, "127.0.0.1.evil.test:7380").startsWith("HTTP/1.1 403"));
    }
  }

  /// The status of a request to a host of one's own. The daemon closes the connection three seconds
  /// after its answer; this does not wait for that.
  private static String status(Daemon daemon, String host) throws IOException {
    return plain(daemon, host, "HTTP/1.1 200".length());
  }

  /// A request with a host of one's own, which the clients of the JDK refuse to send: the first
  /// bytes of the answer, all when there are fewer.
  private static String plain(Daemon daemon, String host, int bytesMax) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), daemon.httpAddress().getPort())) {
      OutputStream out = socket.getOutputStream();
      String request = "GET /ready HTTP/1.1\r\nhost: " + host + "\r\nconnection: close\r\n\r\n";
      out.write(request.getBytes(StandardCharsets.US_ASCII));
      out.flush();
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(bytesMax), StandardCharsets.ISO_8859_1);
    }
  }
}
