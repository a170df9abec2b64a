package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the daemon for other machines that SECURITY.md sets up step by step works with every
/// command, and errors of TLS name the solution. Method: the two blocks of the document as they are
/// written, with openssl, the daemon and the commands as processes; only the port is a free one and
/// the address a loopback one.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("process")
class OwnTlsTest {
  private static final Pattern BLOCKS =
      Pattern.compile("(?s)step by step:\n\n```\n(.*?)```\n.*?```\n(export WIDEROW_URL.*?)```");

  @TempDir private Path directory = Path.of(".");
  private Process daemon = new ProcessBuilder("true").start();
  private int port;

  OwnTlsTest() throws IOException {}

  @BeforeEach
  void launcher() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    StringBuilder script = new StringBuilder("#!/bin/sh\nexec");
    QuickJvm.plain(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"))
        .forEach(part -> script.append(" '").append(part).append('\''));
    Path file = directory.resolve("widerow");
    Files.writeString(
        file, script.append(" %s \"$@\"%n".formatted(Main.class.getName())).toString());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  @AfterEach
  void stop() throws InterruptedException {
    daemon.descendants().forEach(ProcessHandle::destroyForcibly);
    daemon.destroyForcibly();
    int _ = daemon.waitFor();
  }

  /// What a shell did.
  private record Ran(int code, String out) {}

  private ProcessBuilder shell(String script) {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", script.replace("7380", "" + port))
            .directory(directory.toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("WIDEROW_"));
    return builder;
  }

  private Ran sh(String script) throws IOException, InterruptedException {
    Process process = shell(script).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), out);
  }

  private void await(String text, Path log) throws IOException {
    Await.until(
        () -> {
          assertTrue(daemon.isAlive(), Files.readString(log));
          return Files.readString(log).contains(text);
        },
        text);
  }

  private void serve(String script) throws IOException {
    Path log = directory.resolve("serve.log");
    daemon = shell("exec " + script).redirectOutput(log.toFile()).start();
    await("; ready", log);
  }

  @Test
  void theDocumentedDaemonAnswersEveryCommand() throws IOException, InterruptedException {
    Matcher blocks = BLOCKS.matcher(Files.readString(Path.of("../docs/SECURITY.md")));
    assertTrue(blocks.find(), "the steps are in the document");
    String setUp = blocks.group(1);
    int serve = setUp.indexOf("./widerow serve");
    Ran made = sh("set -e\n" + setUp.substring(0, serve) + "echo");
    assertEquals(0, made.code(), made.out());
    List<String> tokens = made.out().lines().filter(line -> line.matches("[0-9a-f]{64}")).toList();
    assertEquals(2, tokens.size(), made.out());
    serve(setUp.substring(serve).replace("0.0.0.0", "127.0.0.1"));
    Ran sent =
        sh(
            "curl -sS --cacert cert.pem -H 'Authorization: Bearer %s' -H 'content-type: text/plain'"
                    .formatted(tokens.getFirst())
                + " --data-binary hello 'https://localhost:7380/v1/events?type=app'");
    assertEquals("{\"accepted\":1,\"rejected\":[],\"durability\":\"disk\"}\n", sent.out());

    String ask = "export WIDEROW_TOKEN=" + tokens.get(1) + "\n";
    List<String> lines = blocks.group(2).lines().toList();
    String export = lines.getFirst() + "\n";
    for (String line : lines.subList(1, lines.size())) {
      if (line.equals("./widerow tail")) {
        tailFollows(ask + export + "exec " + line, tokens.getFirst());
        continue;
      }
      Ran ran = sh(ask + export + line);
      assertEquals(0, ran.code(), line + ": " + ran.out());
    }
    Ran types = sh(ask + export + "./widerow explore types");
    assertTrue(types.out().contains("{\"type\":\"app\""), types.out());
    assertTrue(Files.exists(directory.resolve("widerow-data-snapshots/first/FORMAT")));
    mistakesSayWhatToDo(ask);
  }

  private void tailFollows(String typed, String ingest) throws IOException, InterruptedException {
    Path log = directory.resolve("tail.log");
    Process tail = shell(typed + " --mode now --limit 1").redirectOutput(log.toFile()).start();
    while (tail.isAlive()) { // what comes before it has begun is not shown
      Ran _ =
          sh(
              "curl -sS --cacert cert.pem -H 'Authorization: Bearer %s'".formatted(ingest)
                  + " -H 'content-type: text/plain' --data-binary followed"
                  + " 'https://localhost:7380/v1/events?type=app'");
    }
    assertEquals(0, tail.waitFor(), Files.readString(log));
    assertTrue(Files.readString(log).contains("followed"), Files.readString(log));
  }

  private void mistakesSayWhatToDo(String ask) throws IOException, InterruptedException {
    String query = ask + "exec ./widerow query --last 1 ";
    says(0, "app", query + "--url localhost:7380 --cacert cert.pem");
    says(
        69,
        "http://localhost:7380 speaks TLS: use --url https://localhost:7380, and with"
            + " --cacert FILE when",
        query + "--url localhost:7380");
    says(
        69,
        "is not trusted: name its PEM file with --cacert FILE or WIDEROW_CACERT",
        query + "--url https://localhost:7380");
    String other =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -keyout other.key -out other.pem"
            + " -subj /CN=other 2>&1\n";
    says(
        69,
        "is not in other.pem, nor signed by one in it",
        other + query + "--url localhost:7380 --cacert other.pem");
    says(
        0,
        "app",
        "cat other.pem cert.pem > both.pem\n" + query + "--url localhost:7380 --cacert both.pem");
    says(64, "a PRIVATE KEY: give the daemon's tls-certificate", query + "--cacert key.pem");
    says(
        69,
        "; the daemon does not accept the token in WIDEROW_TOKEN",
        "WIDEROW_TOKEN=x WIDEROW_URL=localhost:7380 ./widerow explore types --cacert cert.pem");
    says(
        69,
        "; put a token into WIDEROW_TOKEN",
        "./widerow snapshot --to a --url localhost:7380 --cacert cert.pem");
    says(
        69,
        "no daemon answers at https://127.0.0.1:1;",
        query + "--url 127.0.0.1:1 --cacert cert.pem");
  }

  private void says(int code, String text, String script) throws IOException, InterruptedException {
    Ran ran = sh(script);
    assertTrue(ran.out().contains(text.replace("7380", "" + port)), ran.out());
    assertEquals(code, ran.code(), ran.out());
  }

  @Test
  void aDaemonWithoutTlsSaysSo() throws IOException, InterruptedException {
    serve("./widerow serve --data d --http 127.0.0.1:7380");
    Ran made =
        sh(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -keyout key.pem -out cert.pem"
                + " -subj /CN=localhost 2>&1");
    assertEquals(0, made.code(), made.out());
    says(
        69,
        "https://localhost:7380 does not speak TLS: use --url http://localhost:7380",
        "./widerow explore types --url localhost:7380 --cacert cert.pem");
    says(0, "no events are stored yet", "WIDEROW_URL=localhost:7380 ./widerow explore types");
    says(
        0,
        "no events are stored yet",
        "WIDEROW_CACERT=cert.pem ./widerow explore types --url http://localhost:7380");
  }
}
