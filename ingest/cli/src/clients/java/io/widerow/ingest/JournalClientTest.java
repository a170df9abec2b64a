package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what `systemd-journal-upload` reads from a journal is stored whole and once. Method: the
/// program itself, with a journal that `systemd-journal-remote` wrote, against a daemon that is a
/// process. Without them (Debian: `apt-get install systemd-journal-remote`) it is skipped.
@Timeout(300)
@Tag("process")
class JournalClientTest {
  private static final Path CLIENT = Path.of("/lib/systemd/systemd-journal-upload");
  private static final Path MAKER = Path.of("/lib/systemd/systemd-journal-remote");
  private static final String SECRET = "a-secret-of-thirty-two-characters";

  @TempDir private Path directory = Path.of(".");

  @BeforeEach
  void requirePrograms() {
    boolean there = Files.isExecutable(CLIENT) && Files.isExecutable(MAKER);
    assumeTrue(there, "needs Debian's systemd-journal-remote");
  }

  /// Makes a journal of numbered entries; the first one has fields of every form.
  private Path journal(int entries) throws IOException, InterruptedException {
    ByteArrayOutputStream export = new ByteArrayOutputStream();
    for (int i = 0; i < entries; i++) {
      String text =
          """
          PRIORITY=%d
          SYSLOG_FACILITY=3
          SYSLOG_IDENTIFIER=shop
          _HOSTNAME=web1
          _PID=%d
          __REALTIME_TIMESTAMP=%d
          __MONOTONIC_TIMESTAMP=%d
          _BOOT_ID=0123456789abcdef0123456789abcdef
          """
              .formatted(i % 8, i + 1, 1_767_323_045_000_000L + i, 1_000 + i);
      export.writeBytes(text.getBytes(UTF_8));
      if (i == 0) {
        field(export, "MESSAGE", "two\nlines ü".getBytes(UTF_8));
        field(export, "COREDUMP", new byte[] {0x7f, 'E', 'L', 'F', 0, -1, -2});
        export.writeBytes("OBJ=x\nOBJ=y\n".getBytes(UTF_8));
      } else {
        export.writeBytes("MESSAGE=line %d\n".formatted(i).getBytes(UTF_8));
      }
      export.write('\n');
    }
    Path journal = directory.resolve("made.journal");
    Run made = run(export.toByteArray(), MAKER.toString(), "-o", journal.toString(), "-");
    assertEquals(0, made.code, made.said);
    return journal;
  }

  private static void field(ByteArrayOutputStream out, String name, byte[] value) {
    ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.writeBytes((name + "\n").getBytes(UTF_8));
    out.writeBytes(length.putLong(value.length).array());
    out.writeBytes(value);
    out.write('\n');
  }

  private record Run(int code, String said) {}

  private static Run run(byte[] input, String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input);
    }
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Run(process.waitFor(), said);
  }

  private static String[] upload(Path journal, String url, Path state) {
    return new String[] {
      CLIENT.toString(), "--file=" + journal, "--url=" + url, "--follow=no", "--save-state=" + state
    };
  }

  private static String url(ServeProcess daemon) {
    return "http://127.0.0.1:" + daemon.port();
  }

  private static long count(ServeProcess daemon) throws IOException, InterruptedException {
    return Long.parseLong(daemon.get("/v1/query?stats=count").body().replaceAll("\\D", ""));
  }

  @Test
  void aJournalIsStoredWithEachField() throws IOException, InterruptedException {
    Path journal = journal(5_000);
    Path state = directory.resolve("state");
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"))) {
      Run first = run(new byte[0], upload(journal, url(daemon), state));
      assertEquals(0, first.code, first.said);
      assertEquals(5_000, count(daemon));
      assertTrue(Files.readString(state).contains("LAST_CURSOR="), first.said);
      List<String> lines =
          daemon
              .get("/v1/query?limit=5000")
              .body()
              .lines()
              .filter(line -> line.startsWith("{\"id\""))
              .map(line -> line.replaceAll("\"id\":\"[^\"]*\",", ""))
              .toList();
      assertEquals(
          "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"journal\",\"body\":\"two\\nlines"
              + " ü\",\"COREDUMP\":\"f0VMRgD//g==\",\"OBJ\":\"x\",\"OBJ.2\":\"y\",\"_BOOT_ID\":"
              + "\"0123456789abcdef0123456789abcdef\",\"app\":\"shop\",\"facility\":3,\"host\":"
              + "\"web1\",\"pid\":1,\"severity\":0}",
          lines.getFirst());
      for (int i = 1; i < 5_000; i++) {
        String line = lines.get(i);
        assertTrue(line.contains("\"body\":\"line %d\",".formatted(i)), line);
        assertTrue(line.contains("\"pid\":%d,\"severity\":%d}".formatted(i + 1, i % 8)), line);
      }
      Run again = run(new byte[0], upload(journal, url(daemon), state));
      assertEquals(0, again.code, again.said);
      Files.delete(state); // now it begins from the start
      Run all = run(new byte[0], upload(journal, url(daemon), state));
      assertEquals(0, all.code, all.said);
      assertEquals(5_000, count(daemon));
      assertTrue(daemon.get("/v1/senders").body().contains("\"systemd-journal-upload 2"));
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }

  @Test
  void itsTokenIsInTheUrl() throws IOException, InterruptedException {
    Path journal = journal(10);
    Path tokens = directory.resolve("tokens");
    Files.writeString(tokens, TokenDaemon.line("journal", SECRET, "ingest,query"));
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    try (ServeProcess daemon =
        ServeProcess.start(directory.resolve("d"), "--set", "tokens=" + tokens)) {
      for (String url : List.of(url(daemon), url(daemon) + "/wrong")) {
        Run refused = run(new byte[0], upload(journal, url, directory.resolve("none")));
        assertNotEquals(0, refused.code);
        assertTrue(refused.said.contains("failed with code 401: needs a token"), refused.said);
      }
      assertTrue(Files.notExists(directory.resolve("none")));
      String withUser = url(daemon).replace("//", "//journal:" + SECRET + "@");
      for (String url : List.of(url(daemon) + "/" + SECRET, withUser)) {
        Path state = Files.createTempDirectory(directory, "state").resolve("state");
        Run run = run(new byte[0], upload(journal, url, state));
        assertEquals(0, run.code, run.said);
      }
    }
  }

  @Test
  void aFullDiskEndsItAndItBeginsAgain() throws IOException, InterruptedException {
    Path journal = journal(3_000);
    Path data = directory.resolve("d");
    Path state = directory.resolve("state");
    String[] full = {"--set", "disk-reserve-bytes=" + (1L << 50)}; // more than any disk has
    try (ServeProcess daemon = ServeProcess.start(data, full)) {
      Run refused = run(new byte[0], upload(journal, url(daemon), state));
      assertNotEquals(0, refused.code);
      assertTrue(refused.said.contains("failed with code 507: "), refused.said);
      assertTrue(Files.notExists(state));
      assertEquals(0, count(daemon));
    }
    try (ServeProcess daemon = ServeProcess.start(data)) {
      for (int time = 0; time < 2; time++) {
        Run run = run(new byte[0], upload(journal, url(daemon), state));
        assertEquals(0, run.code, run.said);
        assertEquals(3_000, count(daemon));
        Files.delete(state);
      }
    }
  }

  /// The unit starts the client again, from the cursor that it has saved.
  @Test
  void aDaemonKilledInBetweenLosesNothing() throws IOException, InterruptedException {
    int entries = 60_000;
    Path journal = journal(entries);
    Path data = directory.resolve("d");
    Path state = directory.resolve("state");
    for (int kill = 0; kill < 2; kill++) {
      try (ServeProcess daemon = ServeProcess.start(data)) {
        long before = count(daemon);
        Process client =
            new ProcessBuilder(upload(journal, url(daemon), state))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("client.out").toFile())
                .start();
        long stored = count(daemon);
        while (stored == before && client.isAlive() && kill == 0) {
          Await.pauseNanos(1_000_000);
          stored = count(daemon);
        }
        daemon.kill();
        assertTrue(client.waitFor(Await.SECONDS, TimeUnit.SECONDS));
        assertNotEquals(0, client.exitValue(), Files.readString(directory.resolve("client.out")));
        assertTrue(Files.notExists(state));
      }
    }
    try (ServeProcess daemon = ServeProcess.start(data)) {
      long kept = count(daemon);
      assertTrue(kept > 0 && kept < entries, "kept " + kept);
      Run last = run(new byte[0], upload(journal, url(daemon), state));
      assertEquals(0, last.code, last.said);
      assertEquals(entries, count(daemon));
      String answer = daemon.get("/v1/query?limit=" + (entries + 1)).body();
      Matcher found = Pattern.compile("\"pid\":(\\d+)").matcher(answer);
      boolean[] seen = new boolean[entries];
      List<Integer> twice = new ArrayList<>();
      while (found.find()) {
        int number = Integer.parseInt(found.group(1)) - 1;
        if (seen[number]) {
          twice.add(number);
        }
        seen[number] = true;
      }
      assertEquals(List.of(), twice);
      boolean[] all = new boolean[entries];
      Arrays.fill(all, true);
      assertTrue(Arrays.equals(all, seen), "some are lost");
    }
  }
}
