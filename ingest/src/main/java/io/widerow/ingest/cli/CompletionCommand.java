package io.widerow.ingest.cli;

import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.Shell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `widerow completion`: prints a script that completes commands and options in bash and zsh. Load
/// it with `source <(widerow completion)`.
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script that completes commands and options in bash and zsh. Load it with",
      "  source <(widerow completion)"
    })
public final class CompletionCommand implements Callable<Integer> {
  @Parameters(
      hidden = true,
      paramLabel = "COMMAND",
      description = "The launcher's commands. Default: those with options of their own.")
  private List<String> names = new ArrayList<>();

  @Spec private @Nullable CommandSpec spec;

  private CompletionCommand() {}

  /// The commands of the launcher.
  @Command(name = "widerow", mixinStandardHelpOptions = true)
  private static final class Root {}

  /// A command that completion knows by name only, because another program has its options.
  @Command
  private static final class Named {}

  /// Prints the script, and ends the process with an exit code.
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /// The command with its error handling.
  static CommandLine commandLine() {
    return CommandLines.of(new CompletionCommand());
  }

  @Override
  public Integer call() {
    CommandSpec own = spec;
    if (own == null) {
      throw new IllegalStateException("called without picocli");
    }
    own.commandLine().getOut().print(script());
    own.commandLine().getOut().flush();
    return 0;
  }

  private String script() {
    Map<String, CommandLine> commands = Commands.in(Shell.ofProcess());
    CommandLine root = new CommandLine(new Root());
    for (String name : names.isEmpty() ? commands.keySet() : names) {
      CommandLine command = commands.get(name);
      root.addSubcommand(name, command == null ? new CommandLine(new Named()) : command);
    }
    return AutoComplete.bash("widerow", root);
  }
}
