package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.remote.RemoteAnswer;
import io.widerow.query.remote.RemoteRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow partitions`: lists the partitions of a daemon's store and what is in them.
@Command(
    name = "partitions",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the partitions (wide rows) of a daemon's store: bucket|type|shard, events,",
      "and bytes at rest. It reads the catalog, no event."
    },
    footer = {
      "",
      "Examples:",
      "  widerow partitions 'nginx.*' --from 2h",
      "  widerow partitions --output csv | sort -t, -k4 -n      the heaviest last",
      "Columns:",
      "  partition  2026-11-20T19 is an hour, 2026-11-20 a day, T19:15+15m 15 minutes",
      "  bytes      in sealed files; events of the last minutes have none yet",
      "  weight     1 is 8 MiB or a million events (partition-bytes, partition-events)",
      "  state      open: takes events; sealed: will be merged; final: merged",
      "An event that was written again counts until a merge keeps the last write.",
      "Exit codes are those of widerow query."
    })
public final class PartitionsCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("partition", "events", "bytes", "weight", "state");

  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only buckets that end after this: a date and time, or 2h for so long ago.")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Only buckets that begin before this.")
  @Nullable String to;

  @Mixin Asked asked = new Asked();

  PartitionsCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new PartitionsCommand(shell), shell);
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", types);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    String path = "/v1/partitions?" + RemoteAnswer.encode(parameters);
    RemoteRows all = RemoteRows.ask(asked.address(shell), path, HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow partitions: there are none");
    }
    return ExitCode.OK.number;
  }
}
