package io.widerow.cql.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.cql.CqlCommand;
import io.widerow.ingest.TokenDaemon;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `widerow cql` shows a daemon's complete results in each format, and an error in one
/// sentence. Method: a daemon; statements, files, an input and a prompt.
@Timeout(300)
class CqlCommandTest {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  @TempDir private Path directory = Path.of(".");

  private static Ran ran(
      CqlDaemon daemon,
      Map<String, String> environment,
      String input,
      boolean typed,
      String... of) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("WIDEROW_CQL", "127.0.0.1:" + daemon.address().getPort());
    return CommandDaemon.run(
        all,
        shell ->
            Main.of(
                new CqlCommand(shell, new ByteArrayInputStream(input.getBytes(UTF_8)), typed),
                shell),
        of);
  }

  private static Ran ran(CqlDaemon daemon, String... arguments) {
    return ran(daemon, Map.of(), "", false, arguments);
  }

  @Test
  void rowsComeInEachFormat() throws IOException, InterruptedException {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      daemon.take(
          """
          {"ts":"2026-11-20T10:00:00Z","type":"web","body":"a, \\"b\\"","ms":4.5,"ok":true}
          {"ts":"2026-11-20T10:00:01Z","type":"web","ms":7}
          """);
      String select = "SELECT ts, body, numbers FROM widerow.events WHERE type = 'web'";
      Ran json = ran(daemon, select);
      assertEquals(
          """
          {"ts":"2026-11-20 10:00:00.000Z","body":"a, \\"b\\"","numbers":{"ms": 4.5}}
          {"ts":"2026-11-20 10:00:01.000Z","body":null,"numbers":{"ms": 7.0}}
          """,
          json.out());
      assertEquals(0, json.code());
      Ran csv = ran(daemon, "--output", "csv", select + "; SELECT count(*) FROM widerow.events");
      assertEquals(
          "ts,body,numbers\r\n"
              + "2026-11-20T10:00:00.000Z,\"a, \"\"b\"\"\",\"{\"\"ms\"\": 4.5}\"\r\n"
              + "2026-11-20T10:00:01.000Z,,\"{\"\"ms\"\": 7.0}\"\r\n"
              + "count\r\n2\r\n",
          csv.out());
      Ran table = ran(daemon, "--output", "table", "-k", "widerow", "SELECT type FROM events");
      assertEquals("type\nweb\nweb\n", table.out());
      Ran taken =
          ran(daemon, "INSERT INTO widerow.events (type, id, body) VALUES ('a', now(), 'b')");
      assertEquals(0, taken.code(), taken.err());
      Ran refused = ran(daemon, "DELETE FROM widerow.events WHERE type = 'a'");
      assertTrue(refused.err().contains("widerow.events takes only INSERT"), refused.err());
      Ran described = ran(daemon, "--output", "table", "DESCRIBE TABLE widerow.events");
      assertTrue(described.out().startsWith("CREATE TABLE widerow.events (\n"), described.out());
    }
  }

  @Test
  void everyPageIsShown() throws IOException, InterruptedException {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 2_345; i++) {
        lines.append(
            "{\"ts\":%d,\"type\":\"n\",\"body\":\"b%d\"}\n".formatted(1_763_600_000_000L + i, i));
      }
      daemon.take(lines.toString());
      for (String format : new String[] {"json", "csv", "table"}) {
        Ran all = ran(daemon, "--output", format, "SELECT body FROM widerow.events");
        long shown = all.out().lines().filter(line -> line.matches(".*\\bb\\d+\\b.*")).count();
        assertEquals(2_345, shown, format);
        assertTrue(
            all.out().stripTrailing().endsWith(format.equals("json") ? "\"b2344\"}" : "b2344"));
      }
    }
  }

  @Test
  void aFileEndsAtItsFirstError() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("s.cql"),
            """
            -- a file
            USE widerow;
            SELECT type FROM events;
            SELEC type
              FROM events;
            USE system;
            """);
    try (CqlDaemon daemon =
        new CqlDaemon(Files.createDirectory(directory.resolve("d")), Map.of())) {
      Ran ran = ran(daemon, "--file", file.toString());
      assertEquals(69, ran.code());
      assertTrue(ran.err().startsWith("widerow cql: line 4: "), ran.err());
      assertTrue(ran.err().strip().endsWith("(0x2000)"), ran.err());
      Ran input = ran(daemon, Map.of(), Files.readString(file), false);
      assertEquals(ran.err(), input.err());
      assertEquals(64, ran(daemon, "--file", file.toString(), "USE system").code());
      assertTrue(
          ran(daemon, "--file", "/no/such/file").err().contains("/no/such/file"), "names the file");
    }
  }

  @Test
  void aPromptGoesOnAfterAnError() throws IOException {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      Ran ran =
          ran(
              daemon,
              Map.of(),
              "help\nSELECT nothing;\nSELECT key\nFROM system.local;\nexit\nSELECT never;\n",
              true);
      assertEquals(0, ran.code());
      assertTrue(ran.out().contains("cql> ...> {\"key\":\"local\"}\ncql> "), ran.out());
      assertEquals(1, ran.err().lines().count(), ran.err());
    }
  }

  @Test
  void whatIsWrongIsSaidInOneSentence() throws IOException {
    Path tokens =
        Files.writeString(directory.resolve("tokens"), TokenDaemon.line("reader", TOKEN, "query"));
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    String select = "SELECT key FROM system.local";
    try (CqlDaemon daemon =
        new CqlDaemon(
            Files.createDirectory(directory.resolve("d")), Map.of("tokens", tokens.toString()))) {
      Ran none = ran(daemon, select);
      assertEquals(69, none.code());
      assertTrue(
          none.err().contains("put one with the scope query into WIDEROW_TOKEN"), none.err());
      Ran wrong = ran(daemon, Map.of("WIDEROW_TOKEN", "x" + TOKEN), "", false, select);
      assertTrue(wrong.err().contains("(0x0100)"), wrong.err());
      Ran right = ran(daemon, Map.of("WIDEROW_TOKEN", TOKEN), "", false, select);
      assertEquals("{\"key\":\"local\"}\n", right.out(), right.err());
      Ran http = ran(daemon, "--to", daemon.url().substring("http://".length()), select);
      assertEquals(69, http.code());
      assertTrue(http.err().matches("(?s)widerow cql: 127.0.0.1:\\d+ .*"), http.err());
    }
    Ran gone = CommandDaemon.run(Map.of(), "cql", "--to", "127.0.0.1:1", select);
    assertEquals(69, gone.code());
    assertTrue(gone.err().contains("no daemon answers CQL at 127.0.0.1:1; start"), gone.err());
    Ran bad = CommandDaemon.run(Map.of(), "cql", "--to", "a:b:c", select);
    assertEquals(64, bad.code());
    assertTrue(bad.err().contains("to: must be HOST or HOST:PORT, got a:b:c"), bad.err());
  }
}
