package io.widerow.loadgen;

import io.widerow.loadgen.wire.NullSink;
import java.io.IOException;
import java.io.OutputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `widerow load sink`: the null sink as a separate process, so that it can be pinned to a core.
@Command(
    name = "sink",
    description =
        "Discards every request and answers 204, until standard input ends. Send to it with"
            + " --target null --url HOST:PORT.")
final class SinkCommand extends LoadgenCommand {
  @Option(names = "--port", defaultValue = "0", description = "default: a free port")
  private int port;

  @Override
  public Integer call() throws IOException {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("--port cannot be " + port);
    }
    try (NullSink sink = new NullSink(port)) {
      print("127.0.0.1:" + sink.port());
      System.in.transferTo(OutputStream.nullOutputStream()); // nothing is asked of it
      return ExitCode.OK;
    }
  }
}
