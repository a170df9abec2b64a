package io.widerow.query.cli;

import io.widerow.query.QueryException;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;

/// What all commands share: a failure becomes one sentence and an exit code, the same for the same
/// failure.
public final class CommandLines {
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
    CommandLine line = of(command);
    line.setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(shell.err(), true, StandardCharsets.UTF_8));
    return line;
  }

  /// A command that writes to the streams of this process.
  public static CommandLine of(Object command) {
    CommandLine line = new CommandLine(command);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.getCommandSpec().versionProvider(new Version());
    line.getCommandSpec().usageMessage().synopsisHeading("Usage: widerow ");
    line.setParameterExceptionHandler((failure, _) -> {
      complain(failure.getCommandLine(), failure);
      return ExitCode.USAGE.number;
    });
    line.setExecutionExceptionHandler((failure, given, _) -> {
      ExitCode code =
          switch (failure) {
            case StorageException failed -> ExitCode.of(failed);
            case QueryException failed -> ExitCode.of(failed);
            case IOException _ -> ExitCode.INPUT_OUTPUT;
            default -> throw failure;
          };
      complain(given, failure);
      return code.number;
    });
    line.setExitCodeExceptionMapper(_ -> ExitCode.BUG.number);
    return line;
  }

  private static void complain(CommandLine command, Exception failure) {
    command.getErr().println("widerow " + command.getCommandName() + ": " + sentence(failure));
  }

  /// The message of a file system's refusal may be the name of the file alone.
  private static String sentence(Exception failure) {
    return failure instanceof FileSystemException refused && refused.getReason() == null
        ? refused.getFile() + ": " + refused.getClass().getSimpleName()
        : String.valueOf(failure.getMessage());
  }
}
