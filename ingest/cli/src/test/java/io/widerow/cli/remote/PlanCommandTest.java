package io.widerow.cli.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: what `widerow layout plan` prints of a described workload is what the documents show.
/// Method: the command in this process.
class PlanCommandTest {
  private static Ran run(boolean terminal, String... arguments) {
    return CommandDaemon.run(
        Map.of(),
        shell ->
            Main.commandLine(
                new Shell(shell.out(), shell.err(), terminal, false, true, Map.of()),
                "layout plan"),
        arguments);
  }

  @Test
  void rowAsJson() {
    Ran ran =
        run(
            true,
            "--rows=73000",
            "--columns=4",
            "--key-columns=3",
            "--static-columns=0",
            "--output=json");
    assertEquals(
        "{\"cells\":73000,\"rows\":73000,\"bytes\":null,\"verdict\":\"ok\","
            + "\"limits\":{\"cells\":2000000000,\"rows\":1000000}}\n",
        ran.out());
    assertEquals(0, ran.code(), ran.err());
  }

  @Test
  void wideRowWithSizes() {
    String[] arguments = {
      "--rows",
      "100000",
      "--columns",
      "4",
      "--key-columns",
      "3",
      "--key-bytes",
      "16,4",
      "--clustering-bytes",
      "8",
      "--regular-bytes",
      "120"
    };
    assertEquals(
        "{\"cells\":100000,\"rows\":100000,\"bytes\":13600020,\"verdict\":\"too-wide\","
            + "\"partitions\":2,\"limits\":{\"cells\":2000000000,\"rows\":1000000,"
            + "\"bytes\":8388608}}\n",
        run(false, arguments).out());
    String table = run(true, arguments).out();
    assertTrue(table.startsWith("cells   rows    bytes     verdict   partitions\n"), table);
    assertTrue(table.contains("divide it into 2 partitions"), table);
  }

  @Test
  void rateAsTable() {
    String[] arguments = {
      "--rate", "5000", "--event-bytes", "237", "--rest-bytes", "18", "--attributes", "9"
    };
    assertEquals(
        """
        type        events/h    bytes/h   weight/h    width   shards   partitions/day   at rest/day
        -         18,000,000    309 MiB       38.6    1m      1        1,440            7.2 GiB
        """,
        run(true, arguments).out());
    assertEquals(
        "{\"type\":\"-\",\"eventsPerHour\":18000000,\"bytesPerHour\":324000000,"
            + "\"weightPerHour\":38.624,\"width\":1,\"shards\":1,\"partitionsPerDay\":1440,"
            + "\"bytesPerDay\":7776000000,\"cellsPerPartition\":2700000}\n",
        run(false, arguments).out());
  }

  @Test
  void mistakesAreOneSentence() {
    Ran both = run(false, "--rows=1", "--columns=2", "--key-columns=1", "--rate=5");
    assertEquals(64, both.code());
    assertEquals("widerow layout plan: rows: give one of --rows, --rate and --url\n", both.err());
    Ran none = run(false, "--rows=0", "--columns=2", "--key-columns=1");
    assertEquals("widerow layout plan: rows: must be at least 1, got 0\n", none.err());
    assertEquals(64, none.code());
    Ran half = run(false, "--rows=5");
    assertEquals(64, half.code());
    assertTrue(half.err().contains("--columns"), half.err());
    Ran away = run(false, "--url=127.0.0.1:1");
    assertEquals(69, away.code(), away.err());
  }
}
