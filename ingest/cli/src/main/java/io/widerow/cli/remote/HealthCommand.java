package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.query.remote.RemoteDocument;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow check health`: the health check of a container. It needs no token.
@Command(
    description = {
      "Checks whether a daemon works: it answers, and writing has not ended. With --ready also"
          + " whether it takes writes now, which a full disk or a stop prevents."
    },
    footer = {
      "A health check gets no arguments of the daemon: set WIDEROW_URL, and WIDEROW_CACERT for TLS,"
          + " if the daemon does not listen on 127.0.0.1:7380.",
      "Exit codes: 0 it works, 1 it does not; others: see `widerow query --help`."
    })
public final class HealthCommand implements Callable<Integer> {
  private final Shell shell;

  @Option(names = "--ready", description = "Check whether the daemon takes writes now.")
  boolean ready;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  public HealthCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    try {
      RemoteDocument _ = RemoteDocument.ask(daemon.address(shell), ready ? "/ready" : "/health");
      return ExitCode.OK.number;
    } catch (QueryException.Remote failed) {
      shell.err().println("widerow check health: " + failed.getMessage());
      return ExitCode.DAMAGE_FOUND.number;
    }
  }
}
