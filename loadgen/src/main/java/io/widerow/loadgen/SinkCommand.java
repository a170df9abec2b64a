package io.widerow.loadgen;

import io.widerow.loadgen.wire.NullSink;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `widerow load sink`: the null sink as a separate process, so that it can be pinned to a core.
@Command(
    name = "sink",
    mixinStandardHelpOptions = true,
    description =
        "Discards every request and answers 204, until standard input ends. Send to it with"
            + " --target null --url HOST:PORT.")
final class SinkCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(names = "--port", defaultValue = "0", description = "default: a free port")
  private int port;

  @Override
  public Integer call() throws IOException {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("--port cannot be " + port);
    }
    try (NullSink sink = new NullSink(port)) {
      PrintWriter out = spec.commandLine().getOut();
      out.println("127.0.0.1:" + sink.port());
      out.flush();
      System.in.transferTo(OutputStream.nullOutputStream()); // nothing is asked of it
      return ExitCode.OK;
    }
  }
}
