package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteSurvey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow kafka`: shows how far a daemon has read the topics of its key `kafka`.
@Command(
    description = {
      "Shows how far a daemon has read each partition of the topics in its key kafka. Offsets are"
          + " those of Kafka."
    },
    footer = {
      "Columns:",
      "  state       reading, paused (no room for more) or waiting (see reason)",
      "  next        first offset that is not stored yet",
      "  end         end of the partition; lag is the number of offsets to it",
      "  lagSeconds  age of the record that was read last, while there are more",
      "  rejected    events that were refused; reason has the last one",
      "  gaps        offsets that were gone before they were read, and why",
      "Counts begin with the start of the daemon. Gaps stay until `widerow kafka seen`.",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class KafkaCommand {
  private static final String PATH = "/v1/kafka";
  private static final String GAPS = "gaps";
  private static final List<String> HEADS =
      RemoteTable.heads(
          "source topic partition state next end lag lagSeconds records rejected gaps reason");
  private static final Pattern GAP =
      Pattern.compile("\"from\":(\\d+),\"until\":(\\d+),\"why\":\"([a-z]+)\"");

  private final Shell shell;

  public KafkaCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(name = "list", mixinStandardHelpOptions = true)
  int list(@Mixin RemoteOptions how) {
    DaemonAddress daemon = how.address(shell);
    RemoteSurvey all = RemoteSurvey.linesOf(daemon, PATH, "source", Set.of("source"));
    how.show(shell, withPlainGaps(all), HEADS, HEADS);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow kafka: no partition is read");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "seen",
      mixinStandardHelpOptions = true,
      description =
          "The lists of gaps are empty afterwards, and the finding kafka-gap is gone. No event"
              + " changes.")
  int seen(@Mixin RemoteOptions how) {
    how.show(
        shell,
        RemoteRows.change(
            how.address(shell), "POST", PATH + "/seen", Map.of(), List.of("cleared")));
    return ExitCode.OK.number;
  }

  /// The gaps of a row as `2-4 expired`, the last offset included.
  private static RemoteSurvey withPlainGaps(RemoteSurvey all) {
    List<Map<String, Cell>> rows = new ArrayList<>();
    for (Map<String, Cell> row : all.rows()) {
      Map<String, Cell> plain = new HashMap<>(row);
      List<String> gaps = new ArrayList<>();
      Matcher gap = GAP.matcher(row.getOrDefault(GAPS, Cell.MISSING).text());
      while (gap.find()) {
        long last = Long.parseLong(gap.group(2)) - 1;
        gaps.add("%s-%d %s".formatted(gap.group(1), last, gap.group(3)));
      }
      plain.put(GAPS, gaps.isEmpty() ? Cell.MISSING : Cell.ofText(String.join(", ", gaps)));
      rows.add(plain);
    }
    return new RemoteSurvey(all.lines(), all.whole(), rows, all.unread());
  }
}
