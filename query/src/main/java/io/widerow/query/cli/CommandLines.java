package io.widerow.query.cli;

import io.widerow.event.NearestName;
import io.widerow.query.QueryException;
import io.widerow.query.Variables;
import io.widerow.storage.StorageException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

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
      complain(failure.getCommandLine(), failure.getMessage() + advice(failure));
      return ExitCode.USAGE.number;
    });
    line.setExecutionExceptionHandler((failure, given, _) -> {
      ExitCode code =
          switch (failure) {
            case StorageException failed -> ExitCode.of(failed);
            case QueryException failed -> ExitCode.of(failed);
            default -> throw failure;
          };
      complain(given, failure.getMessage());
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

  /// The nearest option to one that there is not, and where all are.
  private static String advice(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)
        || !unmatched.isUnknownOption()) {
      return "";
    }
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    String given = unmatched.getUnmatched().getFirst().replaceAll("=.*", "");
    return "%s `widerow %s --help` lists all options"
        .formatted(NearestName.question(given, command.optionsMap().keySet(), ";"), command.name());
  }

  private static void complain(CommandLine command, @Nullable String why) {
    command.getErr().println("widerow " + command.getCommandName() + ": " + why);
  }
}
