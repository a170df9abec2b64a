package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteRows;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `widerow queries`: lists and removes queries that are saved by name.
@Command(
    name = "queries",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the queries that a daemon's store keeps by name. The page at /ui/ lists",
      "them too."
    },
    footer = {
      "",
      "Examples:",
      "  widerow query 'shop.*' --since 1h --where 'level = \"error\"' --save shop-errors",
      "  widerow query --saved shop-errors",
      "  widerow query --saved shop-errors --since 1d --stats count --every 1h",
      "  widerow queries unset shop-errors",
      "A token needs the scope query to list and ask, admin to save and unset.",
      "Exit codes are those of widerow query."
    })
public final class QueriesCommand implements Callable<Integer> {
  private static final String PATH = "/v1/queries";
  private static final List<String> HEADS = List.of("query", "parameters");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  QueriesCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new QueriesCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), PATH, HEADS);
    asked.show(shell, asked.format(shell) == OutputFormat.table ? readable(all) : all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow queries: none is saved; see widerow query --save");
    }
    return ExitCode.OK.number;
  }

  /// With parameters as people write them.
  private static RemoteRows readable(RemoteRows queries) {
    return new RemoteRows(
        HEADS,
        queries.rows().stream()
            .map(row -> List.of(row.getFirst(), Cell.ofText(readable(row.getLast().text()))))
            .toList());
  }

  private static String readable(String parameters) {
    return ParameterText.decode(parameters).entrySet().stream()
        .map(parameter -> parameter.getKey() + "=" + String.join(",", parameter.getValue()))
        .collect(Collectors.joining("  "));
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Removes a query.")
  int unset(
      @Parameters(paramLabel = "NAME", description = "The query.") String name, @Mixin Asked how) {
    Map<String, List<String>> parameters = Map.of("query", List.of(name));
    how.show(
        shell, RemoteRows.change(how.address(shell), "DELETE", PATH, parameters, List.of("unset")));
    return ExitCode.OK.number;
  }
}
