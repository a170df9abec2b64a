package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.remote.RemoteRows;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow check senders`: lists the senders of a daemon.
@Command(
    description = {
      "Lists the senders of a daemon with their rate, their lag and their last refusal. The sender"
          + " of the newest batch comes first."
    },
    footer = {
      "Columns:",
      "  sender       name of its token or certificate, else its address",
      "  agent        its User-Agent; without HTTP its host",
      "  type         of the first event of its last batch",
      "  perSecond    events stored, over the last minute",
      "  lateSeconds  from the time of an event to its arrival, the most in a minute",
      "  duplicate    events of retried batches, stored once",
      "  rejected     refused events of batches whose other events were stored",
      "  refused      requests or connections refused, or datagrams dropped",
      "  refusal      time and reason of the last refusal",
      "Counts begin with the start of the daemon, which keeps the last 1,000 senders.",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class SendersCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      RemoteTable.heads(
          "protocol sender agent type perSecond lateSeconds accepted duplicate"
              + " rejected refused last refusal");

  private final Shell shell;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public SendersCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), "/v1/senders", HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow check senders: no batch since the daemon started");
    }
    return ExitCode.OK.number;
  }
}
