package io.widerow.cli;

import io.widerow.query.output.OutputBuffer;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/// `widerow completion`: prints a script that completes commands and options in bash and zsh.
@Command(
    description = {"The script completes commands and options in bash and zsh."},
    footer = {"Example:", "  source <(widerow completion)"})
public final class CompletionCommand implements Callable<Integer> {
  private final Shell shell;

  public CompletionCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    CommandLine root = new CommandLine(CommandSpec.create().mixinStandardHelpOptions(true));
    for (CommandTable.Row row : CommandTable.rows()) {
      if (row.isCommand()) {
        root.addSubcommand(row.name(), Main.commandLine(shell, row.name()));
      }
    }
    OutputBuffer out = new OutputBuffer(1 << 16);
    out.put(AutoComplete.bash("widerow", root));
    shell.write(out);
    return 0;
  }
}
