package io.widerow.cli.ship;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of `widerow import`. [ImportRun] does the work.
@Command(
    description = {
      "Sends the files of `widerow export` to a daemon. Events keep their ids and the kinds of"
          + " their values, so importing the same files again changes nothing."
    },
    footer = {
      "Examples:",
      "  widerow import november.parquet",
      "  widerow import all/",
      "  widerow import --url https://other:7380 errors.ndjson.gz",
      "The files are Parquet, CSV or NDJSON, the latter two also compressed (gzip, zstd). A file of"
          + " another program is refused before anything is sent. Refused events are listed with"
          + " their line and counted. After an interruption, run the command again.",
      "Times are kept to 100 ns. Use `widerow ship` for log files. A token needs the scope ingest.",
      "Exit codes: 0 ok, 1 events refused, 64 usage or no export, 65 damaged file, 66 no such file,"
          + " 69 daemon unavailable or refusing, 70 bug, 74 input/output, 130 stopped."
    })
public final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_BYTES_MAX = 64 << 20;
  private static final int LISTED = 1_000; // refused events of each kind

  private final Shell shell;
  private final StopSignal stop;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Files of an export, or directories with them.")
  List<Path> files = new ArrayList<>();

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "quorum, disk, os or memory. Default: that of the daemon.")
  ShipCommand.@Nullable Level durability;

  @Option(
      names = "--batch-bytes",
      paramLabel = "N",
      defaultValue = "1048576",
      description = "Bytes of events in one request. Default: ${DEFAULT-VALUE}.")
  int batchBytes;

  @Option(
      names = "--give-up-after",
      paramLabel = "TIME",
      defaultValue = "1m",
      description = "End if the daemon is unavailable for this time. Default: ${DEFAULT-VALUE}.")
  String giveUpAfter = "1m";

  public ImportCommand(Shell shell) {
    this.shell = shell;
    this.stop = new StopSignal();
  }

  @Override
  public Integer call() throws IOException {
    if (batchBytes < 1 || batchBytes > BATCH_BYTES_MAX) {
      throw new QueryException.Refused(
          "batch-bytes", "must be 1 to %d, got %d".formatted(BATCH_BYTES_MAX, batchBytes));
    }
    List<Path> all = new ArrayList<>();
    for (Path given : files) {
      add(given, all);
    }
    Console console = new Console("import", shell.err(), shell.errToTerminal());
    Tally tally = new Tally(console, LISTED);
    String level = durability == null ? "" : durability.name();
    long giveUp = TimeText.positive("give-up-after", giveUpAfter);
    ExitCode code;
    try (Sender sender = new Sender(daemon.address(shell), level, tally, console, stop, giveUp)) {
      code = new ImportRun(batchBytes, sender, tally, console, stop).run(all);
    } finally {
      console.end();
    }
    shell.out().write((tally.summary() + "\n").getBytes(StandardCharsets.UTF_8));
    shell.out().flush();
    return code.number;
  }

  private static void add(Path given, List<Path> all) throws IOException {
    if (!Files.exists(given)) {
      throw new StorageException.Incompatible(given, "no such file");
    }
    if (!Files.isDirectory(given)) {
      all.add(given);
      return;
    }
    int before = all.size();
    try (Stream<Path> names = Files.list(given)) {
      names
          .filter(
              file -> file.getFileName().toString().matches("events-\\d+\\.(parquet|csv|ndjson)"))
          .sorted()
          .forEach(all::add);
    }
    if (all.size() == before) {
      throw new StorageException.Incompatible(given, "no files of an export in it");
    }
  }
}
