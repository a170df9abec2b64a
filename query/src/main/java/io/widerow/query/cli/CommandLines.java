package io.widerow.query.cli;

import io.widerow.query.QueryException;
import io.widerow.query.Variables;
import io.widerow.storage.StorageException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// What the commands share: a failure becomes one sentence and an exit code.
final class CommandLines {
  private CommandLines() {}

  /// Prints the version of this build.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String built = Version.class.getPackage().getImplementationVersion();
      return new String[] {"widerow " + (built == null ? "(not packaged)" : built)};
    }
  }

  static CommandLine of(Object command, Shell shell) {
    CommandLine line = new CommandLine(command);
    line.setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(shell.err(), true, StandardCharsets.UTF_8));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.getCommandSpec().usageMessage().synopsisHeading("Usage: widerow ");
    line.setExecutionStrategy(parsed -> run(parsed, shell));
    line.setParameterExceptionHandler((failure, _) -> {
      complain(failure.getCommandLine(), failure);
      return ExitCode.USAGE.number;
    });
    line.setExecutionExceptionHandler((failure, given, _) -> {
      ExitCode code =
          switch (failure) {
            case StorageException failed -> ExitCode.of(failed);
            case QueryException failed -> ExitCode.of(failed);
            default -> throw failure;
          };
      complain(given, failure);
      return code.number;
    });
    line.setExitCodeExceptionMapper(_ -> ExitCode.BUG.number);
    return line;
  }

  /// Runs a command, or shows its help, which also helps somebody with a misspelt variable.
  private static int run(ParseResult parsed, Shell shell) {
    if (!parsed.isUsageHelpRequested() && !parsed.isVersionHelpRequested()) {
      try {
        Variables.check(shell.environment());
      } catch (IllegalArgumentException unknown) {
        throw new ParameterException(
            parsed.commandSpec().commandLine(), String.valueOf(unknown.getMessage()), unknown);
      }
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static void complain(CommandLine command, Exception failure) {
    command.getErr().println("widerow " + command.getCommandName() + ": " + failure.getMessage());
  }
}
