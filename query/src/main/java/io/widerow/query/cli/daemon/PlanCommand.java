package io.widerow.query.cli.daemon;

import io.widerow.query.QueryException;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.figures.Cell;
import io.widerow.query.figures.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.query.sizing.Load;
import io.widerow.query.sizing.RowSize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow plan`: how large wide rows become, described or in a running store.
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Says how large wide rows become: one that is described by its columns (--rows), those",
      "of events that come at a rate (--rate), or those of a running store (neither)."
    },
    footer = {
      "",
      "Formulas of a described row:",
      "  cells = rows * (columns - key columns - static columns) + static columns",
      "  bytes = key + static + rows * (regular + clustering) + 8 * cells",
      "Examples:",
      "  widerow plan --rows 73000 --columns 4 --key-columns 3 --static-columns 0",
      "  widerow plan --rows 73000 --columns 4 --key-columns 3 \\",
      "               --key-bytes 16,4 --clustering-bytes 8 --regular-bytes 120",
      "  widerow plan --rate 5000 --event-bytes 237 --rest-bytes 18 --attributes 9",
      "  widerow plan --url http://127.0.0.1:7380",
      "A partition of weight 1 has 8 MiB at rest or 1,000,000 events, whichever it reaches",
      "first. Of a running store, bytes of a partition are estimated from its events.",
      "The token for a running store needs the scope admin. Exit codes are those of widerow",
      "query."
    })
public final class PlanCommand implements Callable<Integer> {
  private static final List<String> TYPE_HEADS =
      List.of(
          "type",
          "events",
          "bytes",
          "partitions",
          "weight",
          "rate",
          "width",
          "shards",
          "plannedWidth",
          "plannedShards",
          "verdict");

  private final Shell shell;

  @ArgGroup(exclusive = false, heading = "A described row:%n")
  @Nullable Row row;

  @ArgGroup(exclusive = false, heading = "Events at a rate:%n")
  @Nullable Rate rate;

  @Mixin Asked asked = new Asked();

  /// The columns of a row.
  static final class Row {
    @Option(
        names = "--rows",
        required = true,
        paramLabel = "N",
        description = "Rows of a partition.")
    long rows;

    @Option(names = "--columns", required = true, paramLabel = "N", description = "All columns.")
    int columns;

    @Option(
        names = "--key-columns",
        required = true,
        paramLabel = "N",
        description = "Columns of the primary key, with the clustering columns.")
    int keyColumns;

    @Option(
        names = "--static-columns",
        paramLabel = "N",
        description = "Columns that a partition has once. Default: 0.")
    int staticColumns;

    @Option(
        names = "--key-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "Mean bytes of each column that names the partition, with commas.")
    List<Integer> keyBytes = new ArrayList<>();

    @Option(
        names = "--clustering-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "The same of each column of the primary key that orders the rows.")
    List<Integer> clusteringBytes = new ArrayList<>();

    @Option(
        names = "--static-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "The same of each static column.")
    List<Integer> staticBytes = new ArrayList<>();

    @Option(
        names = "--regular-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "The same of each other column.")
    List<Integer> regularBytes = new ArrayList<>();

    RowSize size() {
      return RowSize.of(
          new RowSize.Table(rows, columns, keyColumns, staticColumns),
          new RowSize.Sizes(keyBytes, staticBytes, regularBytes, clusteringBytes));
    }
  }

  /// Events of one type.
  static final class Rate {
    @Option(names = "--rate", required = true, paramLabel = "N", description = "Events a second.")
    double perSecond;

    @Option(
        names = "--event-bytes",
        paramLabel = "BYTES",
        description = "Mean bytes of an event as it is taken in.")
    @Nullable Double eventBytes;

    @Option(
        names = "--rest-bytes",
        paramLabel = "BYTES",
        description = "Mean bytes of an event on disk. Default: a tenth of --event-bytes.")
    @Nullable Double restBytes;

    @Option(
        names = "--attributes",
        paramLabel = "N",
        description = "Attributes of an event, for the number of cells.")
    @Nullable Integer attributes;

    Load load() {
      return Load.of(perSecond, eventBytes, restBytes, attributes);
    }
  }

  PlanCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new PlanCommand(shell), shell);
  }

  @Override
  public Integer call() {
    Row described = row;
    Rate given = rate;
    int kinds =
        (described == null ? 0 : 1) + (given == null ? 0 : 1) + (asked.daemon.isGiven() ? 1 : 0);
    if (kinds > 1) {
      throw new QueryException.Refused("rows", "give one of --rows, --rate and --url");
    }
    OutputFormat format = asked.format(shell);
    OutputBuffer out = new OutputBuffer(1 << 12);
    if (described != null) {
      PlanTables.write(described.size(), format, out);
    } else if (given != null) {
      PlanTables.write(given.load(), format, out);
    } else {
      running(format, out);
    }
    shell.write(out);
    return ExitCode.OK.number;
  }

  private void running(OutputFormat format, OutputBuffer out) {
    RemoteDocument plan = RemoteDocument.ask(asked.address(shell), "/v1/admin/plan");
    List<List<Cell>> types = plan.rows("types", TYPE_HEADS);
    if (format == OutputFormat.json) {
      out.put(plan.text() + "\n");
    } else {
      new StatsWriter(format).write(TYPE_HEADS, types, out);
    }
    if (types.isEmpty()) {
      shell.err().println("widerow plan: no events are stored yet, or not looked at yet");
    }
  }
}
