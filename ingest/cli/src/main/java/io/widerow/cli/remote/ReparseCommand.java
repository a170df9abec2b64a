package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.remote.RemoteRows;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow transforms reparse`: changes stored events by transforms.
@Command(
    description = {
      "Applies transforms to stored events: parse, set, rename, drop of fields and redact. Events"
          + " stay, with their type, time and id. Files that hold such events are written again,"
          + " one bucket in each step; what was written is read back and compared by digest before"
          + " it replaces anything. An interrupted run is continued by running it again."
    },
    footer = {
      "Examples:",
      "  widerow transforms reparse --with nginx.rules --type 'nginx*' --dry-run",
      "  widerow transforms reparse --with nginx.rules --type 'nginx*' --from 30d",
      "Columns:",
      "  events         events that were changed; with --dry-run those that would be",
      "  partitions     partitions with such events",
      "  files          files that were written again",
      "  before, after  digests of the events of these files, before and after; with",
      "                 --dry-run of the events of these types and times",
      "  open           events of these types that were not sealed in 30 s and stay",
      "  damaged        damaged files that were left out",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class ReparseCommand implements Callable<Integer> {
  private static final String PATH = "/v1/admin/reparse";
  private static final List<String> HEADS =
      RemoteTable.heads("events partitions files before after open damaged");

  private final Shell shell;

  @Option(
      names = "--with",
      paramLabel = "FILE",
      required = true,
      description = "The file of transforms.")
  Path file = Path.of("");

  @Option(
      names = "--type",
      paramLabel = "GLOB",
      required = true,
      description = "Types, by name or glob; repeatable.")
  List<String> types = List.of();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Start of the range, as in 30d or 2026-11-20. Default: all.")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "End of the range (exclusive).")
  @Nullable String to;

  @Option(names = "--dry-run", description = "Count the events that would change.")
  boolean dry;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public ReparseCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", types);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    parameters.put("dry", List.of(Boolean.toString(dry)));
    asked.show(
        shell,
        RemoteRows.post(
            asked.address(shell), PATH, parameters, RemoteOptions.text("with", file), HEADS));
    return ExitCode.OK.number;
  }
}
