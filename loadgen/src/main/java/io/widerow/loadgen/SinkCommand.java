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

/// `widerow load sink`: the null sink as a process of its own, so that it can have a core of its
/// own.
@Command(
    name = "sink",
    mixinStandardHelpOptions = true,
    description =
        "Throws away what it is sent and says thanks, until its input ends: --target null --url"
            + " HOST:PORT sends to it.")
final class SinkCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(names = "--port", defaultValue = "0", description = "default: one that is free")
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
