package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.cli.StoppedRepartition;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.sizing.Weight;
import java.nio.file.Path;
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

/// `widerow repartition`: gives old partitions keys that fit what is in them.
@Command(
    name = "repartition",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Writes merged partitions (wide rows) of closed buckets that weigh more than 2 or",
      "less than 0.5 again under other keys, if those would fit. Nothing else changes: a",
      "digest over all events of each step is the same before and after."
    },
    footer = {
      "",
      "Examples:",
      "  widerow repartition --dry-run                     what does not fit",
      "  widerow repartition 'nginx.*' --from 30d",
      "  widerow repartition --data DIR                    of a stopped store",
      "Columns:",
      "  partitions  how many weighed too much or too little",
      "  before      partitions that got other keys, those beside them included",
      "  after       what they have become",
      "A file holds many types and is written again as a whole. Stopped at any time it has",
      "changed all of a step or nothing of it; steps are buckets, or days that are joined.",
      "The token needs the scope admin. Exit codes are those of widerow query."
    })
public final class RepartitionCommand implements Callable<Integer> {
  private static final String PATH = "/v1/admin/repartition";

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

  @Option(names = "--dry-run", description = "List what does not fit; change nothing.")
  boolean dry;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Directory of a stopped store, instead of a daemon's.")
  @Nullable Path data;

  @Option(
      names = "--partition-bytes",
      paramLabel = "N",
      description = "With --data: bytes at rest of a weight of 1. Default: ${DEFAULT-VALUE}.")
  long partitionBytes = Weight.BYTES;

  @Option(
      names = "--partition-events",
      paramLabel = "N",
      description = "With --data: events of a weight of 1. Default: ${DEFAULT-VALUE}.")
  long partitionEvents = Weight.EVENTS;

  @Mixin Asked asked = new Asked();

  RepartitionCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new RepartitionCommand(shell), shell);
  }

  @Override
  public Integer call() throws InterruptedException {
    Path directory = data;
    if (directory != null) {
      ofStopped(directory.toAbsolutePath());
    } else if (dry) {
      show(
          RemoteRows.changeSummed(
              asked.address(shell),
              "POST",
              PATH,
              parameters("true"),
              StoppedRepartition.HEADS,
              StoppedRepartition.SUMS));
    } else {
      asked.show(
          shell,
          RemoteRows.change(
              asked.address(shell), "POST", PATH, parameters("false"), StoppedRepartition.SUMS));
    }
    return ExitCode.OK.number;
  }

  private Map<String, List<String>> parameters(String dryRun) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    if (!types.isEmpty()) {
      parameters.put("type", types);
    }
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    parameters.put("dry", List.of(dryRun));
    return parameters;
  }

  private void ofStopped(Path directory) throws InterruptedException {
    if (asked.daemon.isGiven()) {
      throw new QueryException.Refused("data", "give --data or --url, not both");
    }
    var stopped =
        new StoppedRepartition(directory, types, from, to, partitionBytes, partitionEvents);
    if (dry) {
      show(stopped.plan());
    } else {
      asked.show(shell, stopped.run());
    }
  }

  private void show(RemoteRows.Summed plan) {
    RemoteRows sums = plan.sums();
    asked.show(shell, plan.rows());
    if (asked.format(shell) == OutputFormat.json) {
      asked.show(shell, sums);
    } else {
      List<String> sum = sums.rows().getFirst().stream().map(Cell::text).toList();
      shell
          .err()
          .printf(
              "widerow repartition: %s do not fit; %s would become %s%n",
              sum.get(0), sum.get(1), sum.get(2));
    }
  }
}
