package io.widerow.cli.export;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.cli.StoreOptions;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.export.ExportFormat;
import java.io.IOException;
import java.nio.file.Files;
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

/// The options and the help text of `widerow export`. [ExportRun] does the work.
@Command(
    description = {
      "Writes all events of a range, oldest first, into files for DuckDB, Spark, pandas and other"
          + " programs. `widerow import` reads the files and keeps the ids."
    },
    footer = {
      "Examples:",
      "  widerow export web --from 2026-11-01 --to 2026-12-01 --out nov.parquet",
      "  widerow export --out all/ --format parquet",
      "  widerow export --where 'status >= 500' | gzip > errors.ndjson.gz",
      "  widerow export --data DIR --out all/ --format csv",
      "A directory gets events-00001.parquet and so on, and _widerow-export.ndjson with the"
          + " progress: the same command continues after the last complete file. Only a complete"
          + " file has its name. An export ends at the time of its start.",
      "Columns and values: query/EXPORT.md. Times without a zone are in UTC.",
      "Exit codes: see `widerow query --help`."
    })
public final class ExportCommand implements Callable<Integer> {
  private static final long MEGABYTE = 1_000_000;

  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: by the name of the file, else ndjson.")
  @Nullable ExportFormat format;

  @Option(
      names = "--out",
      paramLabel = "PATH",
      description =
          "A file, or a directory (an existing one, or with / at its end). Default: standard"
              + " output.")
  @Nullable String out;

  @Option(names = "--from", paramLabel = "TIME", description = "Start of the range (inclusive).")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "End of the range (exclusive). Default: the start of the export.")
  @Nullable String to;

  @Option(names = "--since", paramLabel = "TIME", description = "Same as --from.")
  @Nullable String since;

  @Option(
      names = "--where",
      paramLabel = "FILTER",
      description = "Only events that match this filter.")
  @Nullable String where;

  @Option(
      names = "--after",
      paramLabel = "TOKEN",
      description = "Continue after this token, of an earlier export or a query.")
  @Nullable String after;

  @Option(
      names = "--file-mb",
      paramLabel = "N",
      defaultValue = "256",
      description = "In a directory: size of a file in MB. Default: ${DEFAULT-VALUE}.")
  int fileMegabytes;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Mixin final StoreOptions source = new StoreOptions();

  public ExportCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (fileMegabytes < 1) {
      throw new QueryException.Refused("file-mb", "must be at least 1, got " + fileMegabytes);
    }
    ExportFormat chosen = format();
    String path = out;
    if (path == null) {
      if (chosen == ExportFormat.parquet && shell.outToTerminal()) {
        throw new QueryException.Refused("out", "Parquet cannot go to a terminal; name a file");
      }
      new ExportRun(this, chosen, shell).toStandardOutput();
    } else if (path.endsWith("/") || Files.isDirectory(Path.of(path))) {
      new ExportRun(this, chosen, shell).toDirectory(Path.of(path), fileMegabytes * MEGABYTE);
    } else {
      new ExportRun(this, chosen, shell).toFile(Path.of(path));
    }
    return ExitCode.OK.number;
  }

  private ExportFormat format() {
    ExportFormat given = format;
    if (given != null) {
      return given;
    }
    String name = String.valueOf(out);
    for (ExportFormat each : ExportFormat.values()) {
      if (name.endsWith("." + each)) {
        return each;
      }
    }
    return ExportFormat.ndjson;
  }

  /// The options that select events, under their HTTP parameter names.
  Map<String, List<String>> parameters() {
    Map<String, List<String>> given = new LinkedHashMap<>();
    if (!types.isEmpty()) {
      given.put("type", types);
    }
    ParameterText.put(given, "from", from);
    ParameterText.put(given, "to", to);
    ParameterText.put(given, "since", since);
    ParameterText.put(given, "where", where);
    ParameterText.put(given, "after", after);
    return given;
  }
}
