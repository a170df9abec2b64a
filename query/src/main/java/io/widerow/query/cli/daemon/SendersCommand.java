package io.widerow.query.cli.daemon;

import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.remote.RemoteRows;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow senders`: lists who sends to a daemon.
@Command(
    name = "senders",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists who sends what to a daemon: how fast, how late, what was refused last.",
      "The one that sent last comes first."
    },
    footer = {
      "",
      "Columns:",
      "  sender       name of its token or certificate, else the address it sends from",
      "  agent        what it says it is: User-Agent, or without HTTP its host",
      "  type         of the first event of its last batch",
      "  perSecond    events stored, over the last minute",
      "  lateSeconds  from the time of an event to its arrival, the most in a minute",
      "  duplicate    events of batches sent again, stored once",
      "  rejected     events that were refused, while others of their batch were stored",
      "  refused      requests or connections refused as a whole, or datagrams dropped",
      "  refusal      time and reason of the last refusal",
      "Counts begin with the start of the daemon; the last 1,000 senders are kept.",
      "The token needs the scope admin. Exit codes are those of widerow query."
    })
public final class SendersCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of(
          "protocol",
          "sender",
          "agent",
          "type",
          "perSecond",
          "lateSeconds",
          "accepted",
          "duplicate",
          "rejected",
          "refused",
          "last",
          "refusal");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  SendersCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new SendersCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), "/v1/senders", HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow senders: nothing was sent since the daemon started");
    }
    return ExitCode.OK.number;
  }
}
