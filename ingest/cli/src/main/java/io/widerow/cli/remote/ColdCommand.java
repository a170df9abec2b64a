package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.query.remote.RemoteRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      "  widerow cold verify --read",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class ColdCommand {
  private static final String PATH = "/v1/admin/cold";
  private static final List<String> HEADS =
      RemoteTable.heads("segment from until events bytes place object");

  private static final List<String> DAMAGED =
      RemoteTable.heads("segment from until bytes object found");
  private static final String VERIFY = PATH + "/verify";

  private final Shell shell;

  /// Which segments are meant.
  static final class Range {
    @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
    List<String> types = new ArrayList<>();

    @Option(
        names = "--from",
        paramLabel = "TIME",
        description = "Only segments that end after this time, as in 90d or 2026-11-20.")
    @Nullable String from;

    @Option(
        names = "--to",
        paramLabel = "TIME",
        description = "Only segments that begin before this time.")
    @Nullable String to;

    private Map<String, List<String>> parameters() {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      if (!types.isEmpty()) {
        parameters.put("type", types);
      }
      ParameterText.put(parameters, "from", from);
      ParameterText.put(parameters, "to", to);
      return parameters;
    }
  }

  public ColdCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists the cold segments, the oldest first.")
  int list(@Mixin Range range, @Mixin RemoteOptions how) {
    RemoteRows all = RemoteRows.change(how.address(shell), "GET", PATH, range.parameters(), HEADS);
    how.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow cold: no segment of this range is kept elsewhere");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "recall",
      mixinStandardHelpOptions = true,
      description =
          "Fetches cold segments back to the disk of the daemon. They stay for a day at least,"
              + " unless it is started again: raise cold-after before.")
  int recall(@Mixin Range range, @Mixin RemoteOptions how) {
    how.show(
        shell,
        RemoteRows.change(
            how.address(shell),
            "POST",
            PATH + "/recall",
            range.parameters(),
            List.of("segments", "bytes")));
    return ExitCode.OK.number;
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description =
          "Looks whether the object of each cold segment is there and has its size, and lists the"
              + " others. Exit code 1: there are such.")
  int verify(
      @Mixin Range range,
      @Option(names = "--read", description = "Read each object whole, and compare its SHA-256.")
          boolean read,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = range.parameters();
    ParameterText.put(parameters, "read", read ? "true" : null);
    String asked = parameters.isEmpty() ? "" : "?" + ParameterText.encode(parameters);
    RemoteDocument found = RemoteDocument.ask(how.address(shell), "POST", VERIFY + asked);
    List<List<Cell>> bad = found.rows("damaged", DAMAGED);
    how.show(shell, new RemoteRows(DAMAGED, bad));
    shell
        .err()
        .printf(
            "widerow cold: %s segments, %s bytes: %s%n",
            found.member("segments"),
            found.member("bytes"),
            bad.isEmpty() ? "no damage" : bad.size() + " damaged");
    return (bad.isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }
}
