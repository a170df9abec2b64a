package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.remote.RemoteRows;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
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

/// `widerow rollup`: lists, defines and removes the rollups of a daemon's store.
@Command(
    name = "rollup",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the rollups of a daemon's store: figures by group that it keeps with the",
      "events, so that widerow query --stats need not look at these. Answers are the",
      "same, byte for byte; every type has count by minute without being asked."
    },
    footer = {
      "",
      "Examples:",
      "  widerow rollup set http-status --type 'http*' --by status --stats 'count,p99(ms)'",
      "  widerow rollup set http-days --type 'http*' --stats count --every 1h --keep 400d",
      "  widerow query 'http*' --since 30d --stats 'p99(ms)' --by status --every 1h --explain",
      "  widerow rollup unset http-status",
      "Columns:",
      "  segments, without   files that have events of its types, and how many of them have",
      "                      no cells yet: merging fills them, the newest first; until then",
      "                      their events are counted",
      "  keep, kept          how long figures are kept when their events are gone, and how many",
      "                      events these count now",
      "distinct(x) keeps up to 65,536 hashes of 64 bits for each group and step, and counts",
      "events where there are more; it is exact unless two values share a hash. A step of",
      "more than 10,000 groups is counted from events.",
      "A token needs the scope query to list, admin to set and unset. Exit codes are those",
      "of widerow query."
    })
public final class RollupCommand implements Callable<Integer> {
  private static final String PATH = "/v1/rollups";
  private static final List<String> HEADS =
      List.of("rollup", "type", "by", "stats", "every", "segments", "without", "keep", "kept");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  RollupCommand(Shell shell) {
    this.shell = shell;
  }

  /// What a rollup keeps.
  static final class Definition {
    @Option(
        names = "--type",
        required = true,
        paramLabel = "GLOB",
        description = "A type, or a pattern with * and ?.")
    String type = "";

    @Option(
        names = "--by",
        paramLabel = "NAMES",
        description = "Attributes that group, up to 4, with commas. Default: none.")
    @Nullable String by;

    @Option(
        names = "--stats",
        required = true,
        paramLabel = "AGGREGATES",
        description = "count, sum(x), min(x), max(x), avg(x), p99(x), distinct(x), with commas.")
    String stats = "";

    @Option(
        names = "--every",
        paramLabel = "TIME",
        description = "The width of a step: 1m (default) or 1h.")
    @Nullable String every;

    @Option(
        names = "--keep",
        paramLabel = "TIME",
        description = {
          "How long figures are kept when retention drops their events: 400d. Default: they",
          "go with the events."
        })
    @Nullable String keep;

    Map<String, List<String>> parameters() {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      parameters.put("type", List.of(type));
      ParameterText.put(parameters, "by", by);
      parameters.put("stats", List.of(stats));
      ParameterText.put(parameters, "every", every);
      ParameterText.put(parameters, "keep", keep);
      return parameters;
    }
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new RollupCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), PATH, HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow rollup: none is defined; every type has count by minute");
    }
    return ExitCode.OK.number;
  }

  private static String pathOf(String name) {
    return PATH + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Defines a rollup, in place of the one of this name. The store remembers it. What is",
        "written from now on has its figures; merging adds them to what is there."
      })
  int set(
      @Parameters(
              paramLabel = "NAME",
              description = "One word of letters, digits, '_', '-' and, inside, '.'.")
          String name,
      @Mixin Definition definition,
      @Mixin Asked how) {
    how.show(
        shell,
        RemoteRows.change(how.address(shell), "PUT", pathOf(name), definition.parameters(), HEADS));
    return ExitCode.OK.number;
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Removes a rollup. No event changes. Figures that it alone keeps beyond their events",
        "are hidden; they come back when it is defined again in time."
      })
  int unset(
      @Parameters(paramLabel = "NAME", description = "The rollup.") String name, @Mixin Asked how) {
    how.show(
        shell,
        RemoteRows.change(how.address(shell), "DELETE", pathOf(name), Map.of(), List.of("unset")));
    return ExitCode.OK.number;
  }
}
