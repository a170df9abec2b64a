package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.compare.ServerProcess;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: tool and daemon understand each other, and the daemon keeps what it acknowledged, also
/// when it is killed. Method: small runs against the daemon that this build has packaged, started
/// by a script that stands where the launcher would.
class RealDaemonTest {
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path home;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void writeLauncher() throws IOException {
    Path libraries = TOP.resolve("ingest/target/lib");
    assertTrue(
        Files.isDirectory(libraries), "no daemon in " + libraries + ": package ingest first");
    String pom = Files.readString(TOP.resolve("pom.xml"));
    Path java =
        Path.of(ProcessHandle.current().info().command().orElseThrow()); // this JDK runs it as well
    String options =
        String.join(
            " ",
            property(pom, "chronicle.opens"),
            property(pom, "jvm.native"),
            property(pom, "jvm.serve"));
    Path launcher = home.resolve("widerow");
    Files.writeString(
        launcher,
        """
        #!/bin/sh
        shift
        exec '%s' %s -cp '%s/classes:%s/*' io.widerow.ingest.ServeCommand "$@"
        """
            .formatted(java, options, libraries.getParent(), libraries));
    assertTrue(launcher.toFile().setExecutable(true));
  }

  private static String property(String pom, String name) {
    Matcher matcher = Pattern.compile("<" + name + ">(.*)</" + name + ">").matcher(pom);
    assertTrue(matcher.find(), name);
    return matcher.group(1);
  }

  private int load(String... arguments) {
    return LoadCommand.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }

  @Test
  void whatAKilledDaemonAcknowledgedIsThereOnce() {
    int code =
        load(
            "kill",
            "widerow-json:disk",
            "--home=" + home,
            "--work=" + home,
            "--batch=20",
            "--distinct=2000",
            "--connections=2",
            "--rate=1000",
            "--warmup=0s",
            "--duration=3s",
            "--every=1s",
            "--timeout=60s");
    assertEquals(0, code, err.toString() + out);
    assertTrue(out.toString().contains("each once, in order, nothing invented"), out.toString());
  }

  @Test
  void everyTargetIsReadBack() throws Exception {
    InetSocketAddress http = ServerProcess.freeAddress();
    InetSocketAddress syslog = ServerProcess.freeAddress();
    List<String> command =
        List.of(
            home.resolve("widerow").toString(),
            "serve",
            "--data=" + home.resolve("data"),
            "--http=127.0.0.1:" + http.getPort(),
            "--syslog=127.0.0.1:" + syslog.getPort());
    try (ServerProcess server = ServerProcess.start(command, home.resolve("log"))) {
      server.await(() -> HttpText.get(http, "/ready").status() == 200);
      int minute = 0;
      for (Target target :
          List.of(
              Target.WIDEROW_TEXT,
              Target.WIDEROW_JSON,
              Target.WIDEROW_LINES,
              Target.SYSLOG,
              Target.SYSLOG_UDP)) {
        // Times do not overlap, so that each run reads back its own events alone.
        String from = "--from=2026-11-20T00:%02d:00Z".formatted(minute++);
        InetSocketAddress address = target.isSyslog() ? syslog : http;
        int code =
            load(
                "--target=" + target.label,
                "--url=127.0.0.1:" + address.getPort(),
                "--query-url=127.0.0.1:" + http.getPort(),
                "--ledger=" + home.resolve("ledger"),
                "--scenario=broker",
                from,
                "--batch=20",
                "--distinct=400",
                "--rate=2000",
                "--warmup=0s",
                "--duration=300ms",
                "--verify");
        assertEquals(0, code, target + ": " + err + out);
      }
      server.stop();
    }
    long whole = out.toString().lines().filter(line -> line.contains("each once")).count();
    assertEquals(5, whole, out.toString());
  }
}
