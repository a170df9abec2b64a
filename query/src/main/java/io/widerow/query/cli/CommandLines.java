package io.widerow.query.cli;

import io.widerow.event.NearestName;
import io.widerow.query.QueryException;
import io.widerow.query.Variables;
import io.widerow.storage.FailureReason;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// What all commands share: a failure becomes one sentence and an exit code, the same for the same
/// failure.
public final class CommandLines {
  private CommandLines() {}

  /// Prints the version of this build.
  public static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String built = Version.class.getPackage().getImplementationVersion();
      return new String[] {"widerow " + (built == null ? "(not packaged)" : built)};
    }
  }

  /// A command that writes to the streams of a shell, and refuses misspelt variables.
  public static CommandLine of(Object command, Shell shell) {
    CommandLine line = of(command);
    line.setOut(new PrintWriter(shell.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(shell.err(), true, StandardCharsets.UTF_8));
    line.setExecutionStrategy(parsed -> run(parsed, shell));
    return line;
  }

  /// A command that writes to the streams of this process.
  public static CommandLine of(Object command) {
    CommandLine line = new CommandLine(command);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.getCommandSpec().versionProvider(new Version());
    line.getCommandSpec().usageMessage().synopsisHeading("Usage: widerow ");
    line.setParameterExceptionHandler((failure, _) -> {
      complain(failure.getCommandLine(), sentence(failure) + advice(failure));
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
      complain(given, sentence(failure));
      return code.number;
    });
    line.setExitCodeExceptionMapper(_ -> ExitCode.BUG.number);
    return line;
  }

  private static void complain(CommandLine command, String why) {
    command.getErr().println("widerow " + command.getCommandSpec().qualifiedName(" ") + ": " + why);
  }

  private static String sentence(Exception failure) {
    return switch (failure) {
      case FileSystemException refused -> refused.getFile() + ": " + FailureReason.of(refused);
      case IOException failed -> FailureReason.of(failed);
      default -> String.valueOf(failure.getMessage());
    };
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

  /// The nearest option to one that there is not, and where all are.
  private static String advice(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)
        || !unmatched.isUnknownOption()) {
      return "";
    }
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    String given = unmatched.getUnmatched().getFirst().replaceAll("=.*", "");
    return "%s `widerow %s --help` lists all options"
        .formatted(
            NearestName.question(given, command.optionsMap().keySet(), ";"),
            command.qualifiedName(" "));
  }
}
