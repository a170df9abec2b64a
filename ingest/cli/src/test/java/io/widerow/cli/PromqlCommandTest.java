package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `widerow promql` has the same values from a daemon and from a stopped store, as rows and
/// as a plot. Method: a counter of two hosts, both sources, and whole outputs.
class PromqlCommandTest {
  private static final String[] RANGE = {
    "--from", "2025-11-20T19:10:00Z", "--to", "2025-11-20T19:40:00Z"
  };

  @TempDir Path directory;

  private static String[] with(String[] more, String... arguments) {
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return all;
  }

  @Test
  void bothSourcesHaveTheSameValues() throws IOException, InterruptedException {
    String query = "sum by (host) (rate(web_hits[5m]))";
    CommandDaemon.Ran rows;
    CommandDaemon.Ran plot;
    try (CommandDaemon daemon = new CommandDaemon(directory, Map.of())) {
      daemon.writeHour(minute ->
          "\"type\":\"web\",\"host\":\"%s\",\"hits\":%d"
              .formatted(minute % 2 == 0 ? "a" : "b", minute * minute));
      CommandDaemon.Ran one =
          daemon.run("promql", "web_hits", "--to", "2025-11-20T19:41:00Z", "--output", "csv");
      assertEquals(
          """
          ts,series,value
          2025-11-20T19:41:00.000000000Z,"web_hits{host=""a""}",1600
          2025-11-20T19:41:00.000000000Z,"web_hits{host=""b""}",1681
          """,
          one.out().replace("\r", ""));
      rows = daemon.run("promql", with(RANGE, query, "--step", "10m", "--output", "table"));
      assertEquals(0, rows.code(), rows.err());
      assertTrue(rows.out().contains("2025-11-20T19:20:00.000000000Z  {host=\"a\"}"), rows.out());
      plot = daemon.run("promql", with(RANGE, query, "--plot"));
      assertTrue(plot.out().startsWith("▁▁▁"), plot.out());
      assertTrue(plot.out().contains("█  min "), plot.out());
      assertEquals(2, plot.out().lines().count());
      assertTrue(plot.err().contains("metric might not be a counter"), plot.err());
      CommandDaemon.Ran wrong = daemon.run("promql", "sum(");
      assertEquals(64, wrong.code());
      assertTrue(wrong.err().contains("1:5: parse error: unexpected end of input"), wrong.err());
    }
    String[] local = with(RANGE, query, "--data", directory.resolve("store").toString());
    assertEquals(
        rows.out(),
        CommandDaemon.run(Map.of(), "promql", with(local, "--step", "10m", "--output", "table"))
            .out());
    assertEquals(plot.out(), CommandDaemon.run(Map.of(), "promql", with(local, "--plot")).out());
  }
}
