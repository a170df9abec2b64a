package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
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

/// `widerow layout`: lists and sets how wide the buckets of types are and how many shards they
/// have.
@Command(
    name = "layout",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists how wide the buckets of each type are, in minutes, and how many shards they",
      "have. The daemon chooses both by size and rate, unless a rule fixes them. A change",
      "counts for events that come from then on; what is there stays where it is."
    },
    footer = {
      "",
      "Examples:",
      "  widerow layout                                        what each type has now",
      "  widerow layout set 'nginx.*' --width 15m --shards 4   fixed from now on",
      "  widerow layout set 'nginx.*' --width auto             the daemon chooses again",
      "  widerow layout rules                                  what is fixed",
      "  widerow layout unset 'nginx.*'                        as the configuration says",
      "Of several rules an exact type goes before a pattern, more literal characters",
      "before fewer; of equals one that was set before one of the configuration.",
      "The token needs the scope admin. Exit codes are those of widerow query."
    })
public final class LayoutCommand implements Callable<Integer> {
  private static final String PATH = "/v1/layout";
  private static final List<String> HEADS =
      List.of("type", "width", "shards", "rate", "state", "fixed");
  private static final List<String> RULE_HEADS =
      List.of("type", "width", "shards", "source", "types");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  LayoutCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new LayoutCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), PATH, HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow layout: no events are stored yet");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Fixes the width of buckets or the number of shards of some types, or lets the",
        "daemon choose them. The store remembers it. What is not named stays as it is."
      })
  int set(
      @Parameters(paramLabel = "GLOB", description = "A type, or a pattern with * and ?.")
          String glob,
      @Option(
              names = "--width",
              paramLabel = "WIDTH",
              description = "Width of buckets: 1m to 1d, dividing a day, or auto.")
          @Nullable String width,
      @Option(
              names = "--shards",
              paramLabel = "N",
              description = "Shards of each bucket and type, a multiple of the lanes, or auto.")
          @Nullable String shards,
      @Mixin Asked how) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", List.of(glob));
    ParameterText.put(parameters, "width", width);
    ParameterText.put(parameters, "shards", shards);
    how.show(shell, RemoteRows.change(how.address(shell), "PUT", PATH, parameters, RULE_HEADS));
    return ExitCode.OK.number;
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Removes a rule that was set.")
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
      name = "rules",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Lists what is fixed, the rule that decides first first.")
  int rules(@Mixin Asked how) {
    how.show(shell, RemoteRows.ask(how.address(shell), PATH + "/rules", RULE_HEADS));
    return ExitCode.OK.number;
  }
}
