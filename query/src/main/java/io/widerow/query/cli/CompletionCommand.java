package io.widerow.query.cli;

import io.widerow.storage.embedded.EmbeddedStore;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `widerow completion`: prints a script that completes commands and options in bash and zsh. Load
/// it with `source <(./widerow completion)`.
public final class CompletionCommand {
  private CompletionCommand() {}

  /// The commands of the launcher.
  @Command(name = "widerow")
  private static final class Root {}

  /// A command that completion knows by name only.
  @Command
  private static final class Named {}

  /// Prints the script.
  public static void main(String[] arguments) {
    System.out.print(script(Shell.ofProcess()));
  }

  static String script(Shell shell) {
    CommandLine root = new CommandLine(new Root());
    root.addSubcommand("query", QueryCommand.commandLine(EmbeddedStore::openForReading, shell));
    root.addSubcommand("types", TypesCommand.commandLine(EmbeddedStore::openForReading, shell));
    root.addSubcommand("tail", TailCommand.commandLine(shell));
    root.addSubcommand("verify", VerifyCommand.commandLine(shell));
    root.addSubcommand("snapshot", SnapshotCommand.commandLine(shell));
    root.addSubcommand("repair", RepairCommand.commandLine(shell));
    for (String name : new String[] {"serve", "demo", "test", "completion", "help"}) {
      root.addSubcommand(name, new CommandLine(new Named()));
    }
    return AutoComplete.bash("widerow", root);
  }
}
