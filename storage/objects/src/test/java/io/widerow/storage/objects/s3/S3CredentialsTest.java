package io.widerow.storage.objects.s3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.S3Options;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/// Goal: without a credentials file, requests are signed with the keys of the environment, of the
/// role of a container, or of that of an instance, and no message has a key. Method: a server
/// answers as the metadata services of AWS and as S3; the SDK's system properties name it. They
/// have the same meaning as the variables of the environment.
@Isolated("it sets system properties")
class S3CredentialsTest {
  private static final String SECRET = "marker-of-a-secret";
  private static final List<String> PROPERTIES =
      List.of(
          "aws.accessKeyId",
          "aws.secretAccessKey",
          "aws.sharedCredentialsFile",
          "aws.configFile",
          "aws.containerCredentialsFullUri",
          "aws.ec2MetadataServiceEndpoint",
          "aws.disableEc2Metadata");

  @TempDir private Path directory = Path.of(".");
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private HttpServer server;

  S3CredentialsTest() throws IOException {
    server = HttpServer.create();
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext("/container", exchange -> answer(exchange, 200, keys("CONTAINERKEY")));
    server.createContext("/latest/api/token", exchange -> answer(exchange, 200, "a-token"));
    server.createContext(
        "/latest/meta-data/iam/security-credentials/",
        exchange -> {
          boolean hasToken = "a-token".equals(first(exchange, "x-aws-ec2-metadata-token"));
          boolean isRole = exchange.getRequestURI().getPath().endsWith("/the-role");
          answer(exchange, hasToken ? 200 : 401, isRole ? keys("INSTANCEKEY") : "the-role");
        });
    server.createContext(
        "/bucket",
        exchange -> {
          authorizations.add(String.valueOf(first(exchange, "Authorization")));
          answer(exchange, 200, "content");
        });
    server.start();
    System.setProperty("aws.sharedCredentialsFile", directory.resolve("none").toString());
    System.setProperty("aws.configFile", directory.resolve("none").toString());
    System.setProperty("aws.disableEc2Metadata", "true");
  }

  @AfterEach
  void stop() {
    server.stop(0);
    PROPERTIES.forEach(System::clearProperty);
  }

  private static String first(HttpExchange exchange, String header) {
    return exchange.getRequestHeaders().getFirst(header);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().set("ETag", "\"tag\"");
    exchange.getResponseHeaders().set("x-aws-ec2-metadata-token-ttl-seconds", "21600");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static String keys(String name) {
    return """
    {"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"%s","SecretAccessKey":"%s",
     "Token":"session-of-%s","Expiration":"%s"}
    """
        .formatted(name, SECRET, name, Instant.now().plusSeconds(3600));
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private S3Objects open() {
    var options = new S3Options(URI.create(url()), "", true, null, null, false);
    return new S3Objects(
        S3Access.client(options, Duration.ofSeconds(20)),
        new ObjectPlace.Bucket("bucket", "p"),
        new Attempts("s3://bucket/p", S3Access.hintOf(options), Duration.ofMillis(4)));
  }

  private void assertSignedWith(String key, Map<String, String> properties) {
    properties.forEach(System::setProperty);
    var _ = open().get("one");
    assertEquals(1, authorizations.size());
    assertTrue(
        authorizations.getFirst().contains("Credential=" + key + "/"), authorizations::toString);
    assertFalse(authorizations.getFirst().contains(SECRET));
  }

  @Test
  void keysOfTheEnvironment() {
    assertSignedWith(
        "ENVIRONMENTKEY",
        Map.of("aws.accessKeyId", "ENVIRONMENTKEY", "aws.secretAccessKey", SECRET));
  }

  @Test
  void theRoleOfAContainer() {
    assertSignedWith(
        "CONTAINERKEY", Map.of("aws.containerCredentialsFullUri", url() + "/container"));
  }

  @Test
  void theRoleOfAnInstance() {
    assertSignedWith(
        "INSTANCEKEY",
        Map.of("aws.disableEc2Metadata", "false", "aws.ec2MetadataServiceEndpoint", url()));
  }

  @Test
  void noCredentialsAreOneSentence() {
    String message =
        String.valueOf(
            assertThrows(ObjectsException.Away.class, () -> open().get("one")).getMessage());
    assertTrue(message.contains("s3-credentials-file"), message);
    assertFalse(message.contains("\n"), message);
    assertTrue(message.length() < 300, message);
  }
}
