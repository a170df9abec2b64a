package io.widerow.ingest.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.widerow.faults.Certificates;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a source reads over TLS with a certificate of its own and each mechanism of SASL, and a
/// wrong password, an unknown authority or a port without TLS is one clear sentence while the
/// daemon works. Method: a real broker with a listener `SASL_SSL` that wants certificates, made
/// here, and a small server of tokens.
@Tag("process")
@Timeout(600)
class KafkaSecurityTest {
  private static final String PASSWORD = "a \"quoted\\ word";
  private static final String JAAS = "org.apache.kafka.common.security.";

  @TempDir private Path directory = Path.of(".");
  private Broker broker;
  private int secure;
  private Path ca;
  private Path certificate;
  private Path key;
  private KeyPair tokenKeys;

  @BeforeEach
  void start() throws Exception {
    Certificates own = Certificates.ofThisMachine();
    ca = directory.resolve("ca.pem");
    Path ownKey = directory.resolve("broker.key");
    own.write(ca, ownKey);
    Certificates clients = Certificates.selfSigned("CN=clients");
    Path clientCa = directory.resolve("clients.pem");
    clients.write(clientCa, directory.resolve("clients.key"));
    certificate = directory.resolve("widerow.pem");
    key = directory.resolve("widerow.key");
    clients.sign("CN=widerow").write(certificate, key);
    int port = Broker.freePort();
    secure = Broker.freePort();
    Properties more = new Properties();
    String both = "PLAINTEXT://127.0.0.1:%d,SECURE://127.0.0.1:%d".formatted(port, secure);
    more.put("listeners", both + ",CONTROLLER://127.0.0.1:{controller}");
    more.put("advertised.listeners", both);
    more.put("inter.broker.listener.name", "PLAINTEXT");
    more.put(
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL");
    String listener = "listener.name.secure.";
    more.put(listener + "sasl.enabled.mechanisms", "SCRAM-SHA-512,SCRAM-SHA-256,PLAIN,OAUTHBEARER");
    String scram = JAAS + "scram.ScramLoginModule required;";
    more.put(listener + "scram-sha-512.sasl.jaas.config", scram);
    more.put(listener + "scram-sha-256.sasl.jaas.config", scram);
    more.put(
        listener + "plain.sasl.jaas.config",
        JAAS + "plain.PlainLoginModule required user_alice=\"plain secret\";");
    more.put(
        listener + "oauthbearer.sasl.jaas.config",
        JAAS + "oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"b\";");
    more.put(
        listener + "oauthbearer.sasl.server.callback.handler.class",
        JAAS + "oauthbearer.OAuthBearerValidatorCallbackHandler");
    more.put("sasl.oauthbearer.jwks.endpoint.url", Broker.tokenKeys(directory.resolve("broker")));
    more.put("sasl.oauthbearer.expected.audience", "kafka");
    more.put("sasl.oauthbearer.expected.issuer", "tokens");
    writeTokenKeys();
    more.put(listener + "ssl.client.auth", "required");
    more.put(listener + "ssl.keystore.type", "PEM");
    more.put(listener + "ssl.keystore.certificate.chain", Files.readString(ca));
    more.put(listener + "ssl.keystore.key", Files.readString(ownKey));
    more.put(listener + "ssl.truststore.type", "PEM");
    more.put(listener + "ssl.truststore.certificates", Files.readString(clientCa));
    StringWriter text = new StringWriter();
    more.store(text, null);
    String user = "=[name=alice,password=\"" + PASSWORD + "\"]";
    broker =
        new Broker(
            directory.resolve("broker"),
            port,
            text.toString(),
            "--add-scram",
            "SCRAM-SHA-512" + user,
            "--add-scram",
            "SCRAM-SHA-256" + user);
    broker.create("s", 1, Map.of());
    send("{\"body\":\"0\"}");
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private void send(String value) {
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("acks", "all"))) {
      Future<RecordMetadata> _ =
          producer.send(new ProducerRecord<>("s", 0, null, value.getBytes(UTF_8)));
    }
  }

  private String password(String text) throws IOException {
    Path file = Files.createTempFile(directory, "password", "");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return "kafka-password-file=" + Files.writeString(file, text);
  }

  private KafkaDaemon daemon(String... more) throws IOException {
    List<String> keys = new ArrayList<>(List.of("kafka-ca=" + ca, "kafka-cert=" + certificate));
    keys.addAll(List.of("kafka-key=" + key, "kafka-user=alice"));
    keys.addAll(List.of(more));
    return new KafkaDaemon(
        directory.resolve("store"), "127.0.0.1:" + secure + "/s", keys.toArray(new String[0]));
  }

  @Test
  void eachMechanismReads() throws Exception {
    String scram = password(PASSWORD);
    List<List<String>> ways =
        List.of(
            List.of(scram),
            List.of(scram, "kafka-mechanism=SCRAM-SHA-256", "kafka-set.fetch.max.wait.ms=100"),
            List.of(password("plain secret"), "kafka-mechanism=PLAIN"));
    for (int way = 0; way < ways.size(); way++) {
      KafkaDaemon daemon = daemon(ways.get(way).toArray(new String[0]));
      try {
        send("{\"body\":\"" + way + "\"}");
        daemon.awaitNext(2 + way);
      } finally {
        daemon.stop();
      }
    }
    assertEquals(4, StoredRecords.read(directory.resolve("store")).bodies().size());
  }

  @Test
  void aServerOfTokensIsAsked() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    List<String> asked = new ArrayList<>();
    server.createContext(
        "/token",
        exchange -> {
          asked.add(exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] answer = "{\"access_token\":\"%s\"}".formatted(token()).getBytes(UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    String url = "http://127.0.0.1:%d/token".formatted(server.getAddress().getPort());
    KafkaDaemon daemon = daemon(password("secret"), "kafka-oauth=" + url);
    try {
      daemon.awaitNext(1);
    } finally {
      daemon.stop();
      server.stop(0);
    }
    String pair = Base64.getEncoder().encodeToString("alice:secret".getBytes(UTF_8));
    assertEquals("Basic " + pair, asked.getFirst());
  }

  private void writeTokenKeys() throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    tokenKeys = generator.generateKeyPair();
    RSAPublicKey open = (RSAPublicKey) tokenKeys.getPublic();
    Path file = Files.createDirectories(directory.resolve("broker")).resolve("keys.json");
    Files.writeString(
        file,
        "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k\",\"n\":\"%s\",\"e\":\"%s\"}]}"
            .formatted(
                base64(open.getModulus().toByteArray()),
                base64(open.getPublicExponent().toByteArray())));
  }

  private String token() {
    long now = Instant.now().getEpochSecond();
    String claims =
        "{\"sub\":\"alice\",\"aud\":\"kafka\",\"iss\":\"tokens\",\"iat\":%d,\"exp\":%d}"
            .formatted(now, now + 3_600);
    String head = base64("{\"alg\":\"RS256\",\"kid\":\"k\"}".getBytes(UTF_8));
    String text = head + "." + base64(claims.getBytes(UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(tokenKeys.getPrivate());
      signature.update(text.getBytes(UTF_8));
      return text + "." + base64(signature.sign());
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Test
  void mistakesAreOneSentence() throws Exception {
    String right = password(PASSWORD);
    Path other = directory.resolve("other.pem");
    Certificates.ofThisMachine().write(other, directory.resolve("other.key"));
    KafkaDaemon daemon = daemon(password("wrong"));
    assertWaits(daemon, " refuses the user alice: ");
    for (Path wrong : List.of(other, certificate)) { // of the same name, and of another
      daemon = daemon(right, "kafka-ca=" + wrong);
      assertWaits(daemon, "no authority of " + wrong + " has signed its certificate");
    }
    daemon = new KafkaDaemon(directory.resolve("store"), broker.address() + "/s", "kafka-ca=" + ca);
    assertWaits(daemon, "no broker answers at " + broker.address() + " over TLS: ");
  }

  private static void assertWaits(KafkaDaemon daemon, String sentence) throws Exception {
    try {
      daemon.awaitStatus(sentence);
      String status = daemon.get("/v1/status");
      assertTrue(status.contains("\"kafka\":[{\"source\":\"kafka\",\"state\":\"waiting\""), status);
      assertTrue(status.contains("\"state\":\"ready\""), status);
    } finally {
      daemon.stop();
    }
  }
}
