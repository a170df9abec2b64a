package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.serve.ServeCommand;
import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: what the rules redact or drop is nowhere: not on the disk, in no answer, in no status; by
/// whatever protocol it came. Method: a real daemon and store, a secret in events of every
/// protocol, and a search through the bytes of all files; the same without rules finds the secret.
@Timeout(300)
class TransformsTest {
  private static final String SECRET = "s3cr3t4711zz";
  private static final String RULES =
      """
      key "a key for tests only"
      drop password
      redact * with /s3cr3t[0-9a-z]+/ -> "<gone>"
      rename user_id -> user.id
      hash client
      when level = "debug" then drop event
      """;
  private static final int SENT = 5;

  @TempDir private Path directory = Path.of(".");

  private Path rules(String text) throws IOException {
    Path file = directory.resolve("rules");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(
        file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private DaemonConfig config(String... more) {
    Map<String, String> values = new HashMap<>();
    values.put("data", directory.resolve("d").toString());
    values.put("http", "127.0.0.1:0");
    values.put("syslog", "127.0.0.1:0");
    values.put("lanes", "1");
    for (int i = 0; i < more.length; i += 2) {
      values.put(more[i], more[i + 1]);
    }
    return DaemonConfig.of(values);
  }

  /// Sends [#SENT] events, each with the secret, and waits until they are stored.
  private static void send(Daemon daemon, Http http) throws IOException, InterruptedException {
    String json =
        "{\"type\":\"json\",\"password\":\"%1$s\",\"a\":{\"b\":[\"%1$s\"]},\"user_id\":7}%n"
            .formatted(SECRET);
    assertEquals(200, http.post("/v1/events", Http.NDJSON, json).statusCode());
    assertEquals(
        200,
        http.post("/v1/events?type=text", Http.TEXT, "login " + SECRET + " ok\n").statusCode());
    String line = "line,tag=%1$s f=\"x %1$s\" 1700000000000000000%n".formatted(SECRET);
    assertEquals(204, http.post("/api/v2/write", Http.TEXT, line).statusCode());
    InetSocketAddress syslog = daemon.socketAddress("syslog");
    assertNotNull(syslog);
    byte[] message = ("<34>1 2023-10-11T22:14:15Z h a 1 - - " + SECRET + "\n").getBytes(UTF_8);
    try (Socket tcp = new Socket(syslog.getAddress(), syslog.getPort());
        DatagramSocket udp = new DatagramSocket()) {
      tcp.getOutputStream().write(message);
      tcp.getOutputStream().flush();
      udp.send(new DatagramPacket(message, message.length, syslog));
      await(http, "/v1/query", answer -> answer.lines().count() == SENT + 1);
    }
  }

  private static String await(Http http, String path, Predicate<String> wanted)
      throws IOException, InterruptedException {
    AtomicReference<String> answer = new AtomicReference<>("");
    Await.until(
        () -> {
          answer.set(http.get(path).body());
          return wanted.test(answer.get());
        },
        path + " answers as it should");
    return answer.get();
  }

  /// The files of the store that hold the secret as it is.
  private List<String> filesWith(String text) throws IOException {
    byte[] needle = text.getBytes(UTF_8);
    try (Stream<Path> files = Files.walk(directory.resolve("d"))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> holds(file, needle))
          .map(Path::toString)
          .toList();
    }
  }

  private static boolean holds(Path file, byte[] needle) {
    try (FileChannel open = FileChannel.open(file)) { // a journal is larger than the heap likes
      MappedByteBuffer bytes = open.map(FileChannel.MapMode.READ_ONLY, 0, open.size());
      for (int at = 0; at <= bytes.limit() - needle.length; at++) {
        int same = 0;
        while (same < needle.length && bytes.get(at + same) == needle[same]) {
          same++;
        }
        if (same == needle.length) {
          return true;
        }
      }
      return false;
    } catch (IOException unreadable) {
      throw new java.io.UncheckedIOException(unreadable);
    }
  }

  @Test
  void whatIsRedactedIsNowhere() throws IOException, InterruptedException {
    DaemonConfig config = config("transforms", rules(RULES).toString());
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      send(daemon, http);
      String shown = http.get("/v1/query").body();
      assertFalse(shown.contains(SECRET), shown);
      assertTrue(shown.contains("\"a.b\":\"[\\\"<gone>\\\"]\",\"user.id\":7"), shown);
      assertTrue(shown.contains("login <gone> ok"), shown);
      assertTrue(shown.contains("\"f\":\"x <gone>\",\"tag\":\"<gone>\""), shown);
      assertEquals(List.of(), filesWith(SECRET));
      assertFalse(filesWith("login <gone> ok").isEmpty(), "the journal can be searched");
      assertFalse(http.get("/v1/status").body().contains(SECRET));
      assertFalse(http.get("/metrics").body().contains(SECRET));
    }
    assertEquals(List.of(), filesWith(SECRET));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String sealed = http.get("/v1/query").body();
      assertEquals(SENT + 1, sealed.lines().count());
      assertFalse(sealed.contains(SECRET), sealed);
    }
  }

  @Test
  void withoutRulesTheSearchFindsIt() throws IOException, InterruptedException {
    DaemonConfig config = config();
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      send(daemon, http);
      assertTrue(http.get("/v1/query").body().contains(SECRET));
      assertFalse(filesWith(SECRET).isEmpty());
      assertFalse(http.get("/v1/status").body().contains("\"transforms\""));
    }
  }

  /// A dropped event is no error for the sender, and the others keep their indexes; also where the
  /// store refuses, where events have ids of their own, and where the same comes again.
  @Test
  void aDroppedEventCountsAsTaken() throws IOException, InterruptedException {
    DaemonConfig config = config("transforms", rules(RULES).toString());
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String large = "x".repeat(300_000);
      String own = "\"_id\":\"b12ef090-0d11-11ec-8100-000000000001\",";
      for (String id : List.of("", own)) {
        String body =
            "{\"type\":\"t\",\"level\":\"debug\"}\nbad\n{\"type\":\"t\","
                + id
                + "\"n\":1}\n"
                + "{\"type\":\"t\",\"level\":\"debug\"}\n{\"m\":\""
                + large
                + "\",\"type\":\"t\"}\n";
        String answer = http.post("/v1/events", Http.NDJSON, body).body();
        assertTrue(answer.startsWith("{\"accepted\":3,\"rejected\":[{\"index\":1,"), answer);
        assertTrue(answer.contains("},{\"index\":4,"), answer);
      }
      var alone = http.post("/v1/events?type=t", Http.NDJSON, "{\"level\":\"debug\"}\n");
      assertEquals(200, alone.statusCode());
      assertTrue(alone.body().startsWith("{\"accepted\":1,"), alone.body());
      String keyed = "{\"type\":\"k\",\"n\":1}\n{\"type\":\"k\",\"level\":\"debug\"}\n";
      String first = http.post("/v1/events", Http.NDJSON, keyed, "Idempotency-Key", "k").body();
      String again = http.post("/v1/events", Http.NDJSON, keyed, "Idempotency-Key", "k").body();
      assertTrue(first.startsWith("{\"accepted\":2,\"rejected\""), first);
      assertTrue(again.startsWith("{\"accepted\":0,\"duplicate\":2,"), again);
      assertFalse(http.get("/v1/query").body().contains("debug"));
      assertTrue(http.get("/v1/status").body().contains(",\"dropped\":7,\"refused\":0,"));
      assertTrue(http.get("/metrics").body().contains("widerow_transforms_dropped_total 7.0"));
    }
  }

  @Test
  void aChangedFileIsReadAndABadOneLeavesTheOldRules() throws IOException, InterruptedException {
    Path file = rules("drop a\n");
    DaemonConfig config = config("transforms", file.toString());
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      Files.writeString(file, "drop a\ndrop\n");
      String status = await(http, "/v1/status", body -> body.contains("\"problem\""));
      assertTrue(status.contains(file + ": line 2: expected the name of an attribute"), status);
      http.post("/v1/events?type=old", Http.NDJSON, "{\"a\":1,\"b\":2}\n");
      assertTrue(http.get("/v1/query?type=old").body().contains("\"type\":\"old\",\"b\":2}"));
      Files.writeString(file, "drop b\nredact c\n");
      await(
          http,
          "/v1/status",
          body -> body.contains("\"transforms\":2,") && !body.contains("problem"));
      http.post("/v1/events?type=new", Http.NDJSON, "{\"a\":1,\"b\":2}\n");
      assertTrue(http.get("/v1/query?type=new").body().contains("\"type\":\"new\",\"a\":1}"));
    }
  }

  /// Fields are found in texts; a rule that fails costs no event and is counted; a retry is known
  /// by what was sent; a trial stores nothing.
  @Test
  void fieldsOfTextsAreStored() throws IOException, InterruptedException {
    Path file = rules("parse as nginx\n\nwhen status >= 500 then move to type \"failed\"\n");
    DaemonConfig config = config("transforms", file.toString());
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store);
        Http http = new Http(daemon)) {
      String line = "1.2.3.4 - - [x] \"GET /%s HTTP/1.1\" %d 5\n";
      String body = line.formatted("a", 200) + line.formatted("b", 502) + "no line of nginx\n";
      for (int i = 0; i < 2; i++) {
        String answer =
            http.post("/v1/events?type=web", Http.TEXT, body, "Idempotency-Key", "k").body();
        assertTrue(answer.contains(i == 0 ? "\"accepted\":3" : "\"duplicate\":3"), answer);
      }
      String failed = http.get("/v1/query?type=failed").body();
      assertTrue(failed.contains("\"status\":502,\"time\":\"x\"}"), failed);
      assertEquals(3, http.get("/v1/query?type=web").body().lines().count(), "two, and the token");
      String status = http.get("/v1/status").body();
      assertTrue(
          status.contains(
              "\"rules\":[{\"line\":1,\"changed\":4,\"failed\":2},"
                  + "{\"line\":3,\"changed\":2,\"failed\":0}]"),
          status); // the retry was transformed, too, before it was recognized
      String metric = "widerow_transforms_rule_events_total{line=\"1\",result=\"failed\"} 2";
      assertTrue(http.get("/metrics").body().contains(metric));
      String tried =
          http.post("/v1/transforms/try?type=t&sample=a%3D1", Http.TEXT, "parse as logfmt\n")
              .body();
      assertEquals(
          """
          {"line":0,"effect":"sample","event":{"type":"t","body":"a=1"}}
          {"line":1,"rule":"parse as logfmt","effect":"changed",\
          "event":{"type":"t","a":1,"body":"a=1"}}
          """,
          tried);
      var refused = http.post("/v1/transforms/try?sample=x", Http.TEXT, "lookup \"x\" by a\n");
      assertEquals(400, refused.statusCode());
      assertTrue(refused.body().contains("lookup reads a file"), refused.body());
      assertEquals(400, http.post("/v1/transforms/try", Http.TEXT, "drop a\n").statusCode());
      assertEquals(
          5,
          http.get("/v1/query?where=" + encoded("| parse as nginx | exists client"))
                  .body()
                  .lines()
                  .count()
              + http.get("/v1/query?stats=count&by=client&where=" + encoded("| parse as nginx"))
                  .body()
                  .lines()
                  .count(),
          "two events and a token; two groups");
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static String serveFails(String... arguments) {
    StringWriter told = new StringWriter();
    CommandLine line = ServeCommand.commandLine(LocalStore::open, Map.of());
    line.setErr(new PrintWriter(told));
    assertEquals(64, line.execute(arguments));
    return told.toString();
  }

  @Test
  void aBadFileKeepsTheDaemonFromStarting() throws IOException {
    Path file = rules("drop a\nwhen a = then drop b\n");
    String data = directory.resolve("d").toString();
    String told = serveFails("--data", data, "--set", "transforms=" + file);
    assertTrue(told.contains("transforms: " + file + ": line 2: expected a value"), told);
    assertFalse(Files.exists(directory.resolve("d")), "nothing was opened");
    told = serveFails("--check-config", "--set", "transforms=" + directory.resolve("none"));
    assertTrue(told.contains("transforms: cannot read " + directory.resolve("none")), told);
    rules("key \"a key for tests only\"\n");
    Files.setPosixFilePermissions(
        file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
    told = serveFails("--check-config", "--set", "transforms=" + file);
    assertTrue(told.contains(file + ": it has a key and must have mode 0600"), told);
    assertThrows(
        IllegalArgumentException.class,
        () -> io.widerow.ingest.transform.TransformFile.read(directory, 0).size());
  }
}
