package io.widerow.cli;

import io.widerow.ingest.OperatedDaemon;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
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
