package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteAnswer;
import io.widerow.query.remote.RemoteRows;
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

/// `widerow retention`: lists, sets and plans how long a daemon's store keeps what.
@Command(
    name = "retention",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists how long a daemon's store keeps what, the policy that decides first first.",
      "An exact type goes before a pattern, more literal characters before fewer; of",
      "equals one that was set before one of the configuration, the later before the",
      "earlier."
    },
    footer = {
      "",
      "Examples:",
      "  widerow retention plan 'nginx.*' --age 7d      what would go",
      "  widerow retention set 'nginx.*' --age 7d       hidden at once, dropped in 15 min",
      "  widerow retention set '*' --bytes 100GiB       the oldest of all these types goes",
      "  widerow retention unset 'nginx.*'",
      "Columns:",
      "  types, atRest            types for which it decides, bytes of their sealed files",
      "  hiddenPartitions, hiddenEvents, hiddenBytes",
      "                           what a change hid and dropsAt drops; until then a change",
      "                           back shows it again",
      "The token needs the scope admin. Exit codes are those of widerow query."
    })
public final class RetentionCommand implements Callable<Integer> {
  private static final String PATH = "/v1/retention";
  private static final List<String> HEADS =
      List.of(
          "type",
          "age",
          "bytes",
          "grace",
          "source",
          "types",
          "atRest",
          "hiddenPartitions",
          "hiddenEvents",
          "hiddenBytes",
          "dropsAt");
  private static final List<String> PLAN_HEADS = List.of("partition", "events", "bytes");
  private static final List<String> SUM_HEADS = List.of("partitions", "events", "bytes");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  RetentionCommand(Shell shell) {
    this.shell = shell;
  }

  /// What is to be kept.
  static final class Limits {
    @Option(
        names = "--age",
        paramLabel = "AGE",
        description = "Keep events for so long: 7d, 12h, 10m, 5s or forever.")
    @Nullable String age;

    @Option(
        names = "--bytes",
        paramLabel = "SIZE",
        description = "Keep so much of these types together: 10GiB, 500MB.")
    @Nullable String bytes;

    Map<String, List<String>> parameters(String glob) {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      parameters.put("type", List.of(glob));
      ParameterText.put(parameters, "age", age);
      ParameterText.put(parameters, "bytes", bytes);
      return parameters;
    }
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new RetentionCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), PATH, HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow retention: everything is kept forever");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Sets how long, or how much of, some types is kept. What that no longer keeps is",
        "hidden at once and dropped after the grace. The store remembers it."
      })
  int set(
      @Parameters(paramLabel = "GLOB", description = "A type, or a pattern with * and ?.")
          String glob,
      @Mixin Limits limits,
      @Option(
              names = "--grace",
              paramLabel = "AGE",
              description =
                  "Drop what this hides after so long; 0s for at once. Default: the daemon's"
                      + " retention-grace, 15m.")
          @Nullable String grace,
      @Mixin Asked how) {
    Map<String, List<String>> parameters = limits.parameters(glob);
    ParameterText.put(parameters, "grace", grace);
    how.show(shell, RemoteRows.change(how.address(shell), "PUT", PATH, parameters, HEADS));
    return ExitCode.OK.number;
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Removes a policy that was set. What the others do not keep is hidden at once and",
        "dropped after the grace of the one removed."
      })
  int unset(
      @Parameters(paramLabel = "GLOB", description = "The type or pattern, as it was set.")
          String glob,
      @Mixin Asked how) {
    Map<String, List<String>> parameters = Map.of("type", List.of(glob));
    how.show(
        shell, RemoteRows.change(how.address(shell), "DELETE", PATH, parameters, List.of("unset")));
    return ExitCode.OK.number;
  }

  @Command(
      name = "plan",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Lists what would be hidden, and dropped later, if a policy were set now. Changes",
        "nothing. The sum comes last, in a table on standard error."
      })
  int plan(
      @Parameters(paramLabel = "GLOB", description = "A type, or a pattern with * and ?.")
          String glob,
      @Mixin Limits limits,
      @Mixin Asked how) {
    String path = PATH + "/plan?" + RemoteAnswer.encode(limits.parameters(glob));
    RemoteRows.Summed plan = RemoteRows.askSummed(how.address(shell), path, PLAN_HEADS, SUM_HEADS);
    how.show(shell, plan.rows());
    OutputFormat format = how.format(shell);
    if (format == OutputFormat.json) {
      how.show(shell, plan.sums());
    } else {
      List<String> sums = plan.sums().rows().getFirst().stream().map(cell -> cell.text()).toList();
      shell
          .err()
          .printf(
              "widerow retention plan: %s partitions, %s events, %s bytes would go%n",
              sums.get(0), sums.get(1), sums.get(2));
    }
    return ExitCode.OK.number;
  }
}
