package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.cli.StoppedRepartition;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow layout repartition`: splits or combines old partitions that are too large or too small.
@Command(
    description = {
      "Rewrites merged partitions (wide rows) of closed buckets under other keys if their weight is"
          + " above 2 or below 0.5 and other keys fit. Nothing else changes: a digest over all"
          + " events of each step is the same before and after."
    },
    footer = {
      "Examples:",
      "  widerow layout repartition --dry-run",
      "  widerow layout repartition 'nginx.*' --from 30d",
      "  widerow layout repartition --data DIR",
      "Columns:",
      "  partitions  partitions above or below the limits",
      "  before      partitions that got other keys, with their neighbours",
      "  after       the partitions that replace them",
      "A file holds many types and is rewritten whole. A step is a bucket, or days that are joined;"
          + " an interrupted run has changed all of a step or nothing of it.",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class RepartitionCommand implements Callable<Integer> {
  private static final String PATH = "/v1/admin/repartition";

  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only buckets that end after this time, as in 2h or 2026-11-20.")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only buckets that begin before this time.")
  @Nullable String to;

  @Option(names = "--dry-run", description = "List partitions that do not fit; change nothing.")
  boolean dry;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Use a stopped store in this directory, not a daemon.")
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

  @Mixin RemoteOptions asked = new RemoteOptions();

  public RepartitionCommand(Shell shell) {
    this.shell = shell;
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
              "widerow layout repartition: %s do not fit; %s would become %s%n",
              sum.get(0), sum.get(1), sum.get(2));
    }
  }
}
