package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import picocli.CommandLine;

/// A daemon with a store on the disk as an operator meets it: over HTTP and by commands.
public class CommandDaemon extends OperatedDaemon {
  /// What a command wrote, and its exit code.
  public record Ran(int code, String out, String err) {}

  /// @param directory for the store, in `store`
  /// @param keys of the configuration
  public CommandDaemon(Path directory, Map<String, String> keys) {
    super(directory, keys);
  }

  /// Sends 60 events, one a minute from 19:00 on.
  ///
  /// @param members of the event of a minute, without its time
  public final void writeHour(IntFunction<String> members)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int minute = 0; minute < 60; minute++) {
      lines.append(
          "{\"ts\":\"2025-11-20T19:%02d:00Z\",%s}%n".formatted(minute, members.apply(minute)));
    }
    assertEquals(200, http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }

  /// @param command its name, as of the table of commands
  public final Ran run(String command, String... arguments) {
    return run(shell -> Main.commandLine(shell, command), arguments);
  }

  public final Ran run(Function<Shell, CommandLine> command, String... arguments) {
    return run(Map.of("WIDEROW_URL", url()), command, arguments);
  }

  /// @param command its name, as of the table of commands
  public static Ran run(Map<String, String> environment, String command, String... arguments) {
    return run(environment, shell -> Main.commandLine(shell, command), arguments);
  }

  /// Runs a command in a shell that is no terminal.
  public static Ran run(
      Map<String, String> environment, Function<Shell, CommandLine> command, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var shell =
        new Shell(
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            true,
            environment);
    int code = command.apply(shell).execute(arguments);
    return new Ran(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
