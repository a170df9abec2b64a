package io.widerow.cli.backup;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.RemoteDocument;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow cold`: lists the segments that a daemon keeps elsewhere, and fetches some back.
@Command(
    description =
        "A daemon with the key `cold` moves old segments to another place and reads them there.",
    footer = {
      "Examples:",
      "  widerow cold list --from 2026-01-01 --to 2026-02-01",
      "  widerow cold recall --from 2026-01-01 --to 2026-02-01 nginx.access",
      "Exit codes: 0 ok, 64 usage, 69 no answer."
    })
public final class ColdCommand {
  private static final String PATH = "/v1/admin/cold";
  private static final List<String> MEMBERS =
      List.of("segment", "from", "until", "events", "bytes", "place", "object");

  private final Shell shell;

  /// Which segments are meant.
  static final class Range {
    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "Segments with a time at or after this one. Default: all.")
    @Nullable String from;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        description = "Segments with a time before this one. Default: all.")
    @Nullable String to;

    @Parameters(
        arity = "0..*",
        paramLabel = "TYPE",
        description = "Types, also with * and ?. Default: all.")
    List<String> types = new ArrayList<>();

    private String query() {
      List<String> all = new ArrayList<>();
      add(all, "from", from);
      add(all, "to", to);
      types.forEach(type -> add(all, "type", type));
      return all.isEmpty() ? "" : "?" + String.join("&", all);
    }

    private static void add(List<String> all, String name, @Nullable String value) {
      if (value != null) {
        all.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
    }
  }

  public ColdCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description =
          "Prints the cold segments, the oldest first: number, span of time, events, bytes, place"
              + " and object.")
  int list(@Mixin DaemonOptions daemon, @Mixin Range range) {
    OutputBuffer out = new OutputBuffer(1 << 10);
    RemoteDocument answer = RemoteDocument.ask(daemon.address(shell), PATH + range.query());
    for (List<Cell> row : answer.rows("cold", MEMBERS)) {
      out.put(row.stream().map(Cell::text).collect(Collectors.joining("  ", "", "\n")));
    }
    shell.write(out);
    return ExitCode.OK.number;
  }

  @Command(
      name = "recall",
      mixinStandardHelpOptions = true,
      description =
          "Fetches cold segments back to the disk of the daemon. They stay for a day at least,"
              + " unless it is started again: raise cold-after before.")
  int recall(@Mixin DaemonOptions daemon, @Mixin Range range) {
    OutputBuffer out = new OutputBuffer(1 << 10);
    String path = PATH + "/recall" + range.query();
    out.put(RemoteDocument.ask(daemon.address(shell), "POST", path).text().strip() + "\n");
    shell.write(out);
    return ExitCode.OK.number;
  }
}
