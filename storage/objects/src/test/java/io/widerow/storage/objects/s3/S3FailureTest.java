package io.widerow.storage.objects.s3;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.S3Server;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.S3Options;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each failure of a server is one sentence without a secret, is tried again when that may
/// help, and else is not; a clock that differs and credentials that expire are no failure. Method:
/// a server of a few lines answers what a test says.
class S3FailureTest {
  private static final DateTimeFormatter AMZ =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  @TempDir private Path directory = Path.of(".");

  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final List<String> dates = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private ServerSocket server;

  S3FailureTest() throws IOException {
    server = new ServerSocket();
  }

  /// What the server says.
  private record Answer(int status, String code, String header, String value) {
    Answer(int status, String code) {
      this(status, code, "x-none", "x");
    }
  }

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private void accept() {
    while (true) {
      try (Socket client = server.accept()) {
        answer(client);
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answer(Socket client) throws IOException {
    var in =
        new BufferedReader(
            new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      String value = line.substring(line.indexOf(':') + 1).strip();
      switch (line.split(":", 2)[0].toLowerCase(Locale.ROOT)) {
        case "x-amz-date" -> dates.add(value);
        case "authorization" -> authorizations.add(value);
        case "content-length" -> length = Integer.parseInt(value);
        case "expect" ->
            client.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII));
        default -> {}
      }
    }
    long _ = in.skip(length);
    Answer next = answers.isEmpty() ? new Answer(200, "") : answers.remove();
    String body =
        next.code().isEmpty()
            ? "content"
            : "<Error><Code>%s</Code><Message>you sent %s</Message></Error>"
                .formatted(next.code(), S3Server.SECRET);
    client
        .getOutputStream()
        .write(
            ("HTTP/1.1 %d Said\r\n%s: %s\r\nETag: \"tag\"\r\nConnection: close\r\n"
                    + "Content-Length: %d\r\n\r\n%s")
                .formatted(next.status(), next.header(), next.value(), body.length(), body)
                .getBytes(US_ASCII));
  }

  private ObjectStore open(String endpoint) throws IOException {
    var options =
        new S3Options(
            URI.create(endpoint),
            "",
            true,
            S3Server.credentials(directory.resolve("credentials")),
            null,
            false);
    return new S3Objects(
        S3Access.client(options, Duration.ofMillis(500)),
        new ObjectPlace.Bucket("bucket", "p"),
        new Attempts("s3://bucket/p", S3Access.hintOf(options), Duration.ofMillis(4)));
  }

  private ObjectStore open() throws IOException {
    return open("http://127.0.0.1:" + server.getLocalPort());
  }

  @ParameterizedTest
  @CsvSource({
    "503, SlowDown, 5, the server asks for fewer requests (503 SlowDown)",
    "429, '', 5, the server refused it (429)",
    "500, InternalError, 5, the server refused it (500 InternalError)",
    "403, RequestTimeTooSkewed, 5, 'the clocks of this machine and of the server differ too much'",
    "400, ExpiredToken, 5, 'the credentials have expired (400 ExpiredToken); renew those of /'",
    "403, InvalidAccessKeyId, 1, 'the server does not know the credentials (403"
        + " InvalidAccessKeyId)'",
    "403, SignatureDoesNotMatch, 1, the server does not know the credentials",
    "403, AccessDenied, 1, the credentials do not permit it (403 AccessDenied); see /",
    "404, NoSuchBucket, 1, 'there is no such bucket, and none is made'",
    "301, PermanentRedirect, 1, the bucket is in another region (301 PermanentRedirect)",
    "501, NotImplemented, 1, the server lacks a function that is needed (501 NotImplemented)",
    "507, Quota-1, 5, the server refused it (507 Quota1)",
  })
  void eachFailureIsASentence(int status, String code, int tries, String sentence)
      throws IOException {
    for (int i = 0; i < 10; i++) {
      answers.add(new Answer(status, code == null ? "" : code));
    }
    var away = assertThrows(ObjectsException.Away.class, () -> open().get("a/b"));
    String said = String.valueOf(away.getMessage());
    assertTrue(said.startsWith("s3://bucket/p: get a/b: " + sentence), said);
    assertEquals(tries, authorizations.size());
    assertSecret(away);
  }

  /// No part of a failure has the secret, even if the server repeats it.
  private static void assertSecret(Throwable failure) {
    assertFalse(String.valueOf(failure.getMessage()).contains(S3Server.SECRET));
    assertFalse(failure.toString().contains(S3Server.SECRET));
  }

  @Test
  void anotherTryHelps() throws IOException {
    answers.add(new Answer(503, "SlowDown", "Retry-After", "0"));
    answers.add(new Answer(500, "InternalError"));
    ObjectStore.Read read = open().get("a");
    assertNotNull(read);
    assertEquals("content", new String(read.bytes(), US_ASCII));
    assertEquals(3, authorizations.size());
  }

  @Test
  void anObjectThatIsNotThereIsNoFailure() throws IOException {
    answers.add(new Answer(404, "NoSuchKey"));
    assertNull(open().get("a"));
    answers.add(new Answer(412, "PreconditionFailed"));
    assertNull(open().putIf("a", new byte[1], null));
  }

  /// A PUT that took effect, and whose response was lost: the next try finds its own object.
  @Test
  void aLostAnswerOfAConditionalPutIsNoRefusal() throws IOException {
    answers.add(new Answer(500, "InternalError"));
    answers.add(new Answer(412, "PreconditionFailed"));
    answers.add(new Answer(200, ""));
    assertEquals("\"tag\"", open().putIf("a", "content".getBytes(US_ASCII), null));
    answers.add(new Answer(500, "InternalError"));
    answers.add(new Answer(412, "PreconditionFailed"));
    answers.add(new Answer(200, ""));
    assertNull(open().putIf("a", "another".getBytes(US_ASCII), null));
  }

  @Test
  void aClockThatDiffersIsFollowed() throws IOException {
    Instant there = Instant.now().plus(Duration.ofHours(3));
    String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(there.atOffset(ZoneOffset.UTC));
    answers.add(new Answer(403, "RequestTimeTooSkewed", "Date", date));
    assertNotNull(open().get("a"));
    Instant signed = Instant.from(AMZ.parse(dates.getLast()));
    assertTrue(signed.isAfter(there.minusSeconds(600)), () -> dates.toString());
  }

  @Test
  void credentialsAreReadAgain() throws IOException {
    ObjectStore objects = open();
    assertNotNull(objects.get("a"));
    S3Server.credentials(directory.resolve("credentials"), "another");
    assertNotNull(objects.get("a"));
    assertEquals(2, authorizations.size());
  }

  @Test
  void aServerThatIsNotThereIsAway() throws IOException {
    ObjectStore objects = open();
    int port = server.getLocalPort();
    server.close();
    var away = assertThrows(ObjectsException.Away.class, () -> objects.head("a"));
    assertEquals(
        "s3://bucket/p: look at a: no connection to its server", away.getMessage(), "port " + port);
    var unknown =
        assertThrows(
            ObjectsException.Away.class, () -> open("https://no.such.host.invalid").get("a"));
    assertTrue(
        String.valueOf(unknown.getMessage()).endsWith("the name of its host is unknown"),
        unknown.toString());
    assertSecret(away);
  }

  @Test
  void anotherMachineNeedsTls() {
    var options = new S3Options(URI.create("http://192.0.2.1"), "", true, null, null, false);
    var refused = assertThrows(IllegalArgumentException.class, () -> S3Access.client(options));
    assertTrue(String.valueOf(refused.getMessage()).contains("without TLS"), refused.toString());
    assertFalse(new S3Options(null, "", false, null, null, false).isOpen());
    assertFalse(
        new S3Options(URI.create("https://192.0.2.1"), "", true, null, null, false).isOpen());
  }
}
