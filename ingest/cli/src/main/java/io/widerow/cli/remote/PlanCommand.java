package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.query.sizing.Load;
import io.widerow.query.sizing.RowSize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow layout plan`: estimates the sizes of partitions, as described or of a running store.
@Command(
    description = {
      "Estimates partitions (wide rows) from the columns of a table (--rows), from a rate of events"
          + " (--rate), or from a daemon's store (neither)."
    },
    footer = {
      "Formulas of --rows:",
      "  cells = rows * (columns - key columns - static columns) + static columns",
      "  bytes = key + static + rows * (regular + clustering) + 8 * cells",
      "Examples:",
      "  widerow layout plan --rows 73000 --columns 4 --key-columns 3",
      "  widerow layout plan --rows 73000 --columns 4 --key-columns 3 \\",
      "      --key-bytes 16,4 --clustering-bytes 8 --regular-bytes 120",
      "  widerow layout plan --rate 5000 --event-bytes 237 --rest-bytes 18",
      "  widerow layout plan --url http://127.0.0.1:7380",
      "A partition of weight 1 has 8 MiB at rest or 1,000,000 events, whichever comes first. For a"
          + " daemon's store, the bytes of a partition are estimated from its events.",
      "A token for a daemon needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class PlanCommand implements Callable<Integer> {
  private static final List<String> TYPE_HEADS =
      RemoteTable.heads(
          "type events bytes partitions weight rate width shards plannedWidth"
              + " plannedShards verdict");

  private final Shell shell;

  @ArgGroup(exclusive = false, heading = "%nThe columns of a table:%n")
  @Nullable Row row;

  @ArgGroup(exclusive = false, heading = "%nEvents at a rate:%n")
  @Nullable Rate rate;

  @Mixin RemoteOptions asked = new RemoteOptions();

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
        description = "Columns of the primary key, clustering columns included.")
    int keyColumns;

    @Option(
        names = "--static-columns",
        paramLabel = "N",
        description = "Columns stored once a partition. Default: 0.")
    int staticColumns;

    @Option(
        names = "--key-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "Mean bytes of each partition key column, comma-separated.")
    List<Integer> keyBytes = new ArrayList<>();

    @Option(
        names = "--clustering-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "Mean bytes of each clustering column.")
    List<Integer> clusteringBytes = new ArrayList<>();

    @Option(
        names = "--static-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "Mean bytes of each static column.")
    List<Integer> staticBytes = new ArrayList<>();

    @Option(
        names = "--regular-bytes",
        split = ",",
        paramLabel = "BYTES",
        description = "Mean bytes of each other column.")
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
        description = "Mean bytes of a received event.")
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

  public PlanCommand(Shell shell) {
    this.shell = shell;
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
      shell.err().println("widerow layout plan: no events are stored yet, or none was sampled yet");
    }
  }
}
