package io.widerow.cli;

import io.widerow.event.NearestName;
import io.widerow.query.Variables;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Code that all commands share: a failure becomes one sentence and an exit code, the same for the
/// same failure.
final class CommandLines {
  private CommandLines() {}

  /// Prints the version of this build and its commit.
  public static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {
        "widerow %s, commit %s".formatted(BuildVersion.value(), BuildVersion.commit())
      };
    }
  }

  /// Lets a command write to the streams of a shell.
  ///
  /// @param checked whether it refuses misspelt variables; a daemon does so with all its keys
  static void adapt(CommandLine line, Shell shell, boolean checked) {
    adapt(line);
    line.setOut(shell.outWriter());
    line.setErr(shell.errWriter());
    if (checked) {
      line.setExecutionStrategy(parsed -> run(parsed, shell));
    }
  }

  private static void adapt(CommandLine line) {
    adapt(line.getCommandSpec());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler((failure, _) -> {
      complain(failure.getCommandLine(), sentence(failure) + advice(failure));
      return ExitCode.USAGE.number;
    });
    line.setExecutionExceptionHandler((failure, given, _) -> {
      ExitCode code = ExitCode.of(failure);
      if (code == ExitCode.BUG) {
        throw failure;
      }
      complain(given, sentence(failure));
      return code.number;
    });
    line.setExitCodeExceptionMapper(_ -> ExitCode.BUG.number);
  }

  /// The same form of help for a command and its sub-commands. The first sub-command runs when none
  /// is named.
  private static void adapt(CommandSpec spec) {
    spec.versionProvider(new Version());
    if (!spec.mixinStandardHelpOptions()) {
      if (spec.userObject()
          instanceof Method method) { // whose arguments picocli counts after these
        throw new IllegalStateException("without the options of help: " + method);
      }
      spec.mixinStandardHelpOptions(true);
    }
    spec.usageMessage()
        .synopsisHeading("Usage: widerow ")
        .abbreviateSynopsis(spec.requiredArgs().stream().noneMatch(ArgSpec::isOption))
        .sortOptions(false)
        .parameterListHeading("%nArguments:%n")
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands (the first is the default):%n")
        .footerHeading(spec.usageMessage().footer().length == 0 ? "" : "%n")
        .footer(spaced(spec.usageMessage().footer()));
    if (!spec.subcommands().isEmpty()) {
      String first = spec.subcommands().keySet().iterator().next();
      spec.preprocessor((arguments, _, _, _) -> {
        if (arguments.isEmpty() || isOption(arguments.peek(), spec)) {
          arguments.push(first);
        }
        return false;
      });
    }
    spec.subcommands().values().forEach(below -> adapt(below.getCommandSpec()));
  }

  /// A blank line before each paragraph but the first: lines that belong to one begin with a space.
  private static String[] spaced(String[] footer) {
    List<String> lines = new ArrayList<>();
    for (String line : footer) {
      if (!lines.isEmpty() && !line.startsWith(" ") && !line.isEmpty()) {
        lines.add("");
      }
      lines.add(line);
    }
    return lines.toArray(String[]::new);
  }

  private static boolean isOption(String argument, CommandSpec command) {
    return argument.startsWith("-") && !command.optionsMap().containsKey(argument);
  }

  /// Gives a command its name and the first sentence of its help.
  static void describe(CommandSpec spec, CommandTable.Row row) {
    spec.name(row.word());
    List<String> lines = new ArrayList<>(List.of(row.summary() + "."));
    String[] further = spec.usageMessage().description();
    if (further.length > 0) {
      lines.add("");
      lines.addAll(List.of(further));
    }
    spec.usageMessage().description(lines.toArray(String[]::new));
  }

  private static void complain(CommandLine command, String why) {
    command.getErr().println("widerow " + command.getCommandSpec().qualifiedName(" ") + ": " + why);
  }

  static String sentence(Exception failure) {
    return switch (failure) {
      case FileSystemException refused -> refused.getFile() + ": " + FailureReason.of(refused);
      case IOException failed -> FailureReason.of(failed);
      default -> String.valueOf(failure.getMessage());
    };
  }

  /// Runs a command, or shows its help, which works even with a misspelt variable.
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

  /// The nearest option or sub-command to one that there is not, and where all are.
  private static String advice(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    CommandSpec command = failure.getCommandLine().getCommandSpec();
    String given = unmatched.getUnmatched().getFirst().replaceAll("=.*", "");
    boolean option = unmatched.isUnknownOption();
    if (!option && command.subcommands().isEmpty()) {
      return "";
    }
    return "%s `widerow %s --help` lists all %s"
        .formatted(
            NearestName.question(
                given,
                option ? command.optionsMap().keySet() : command.subcommands().keySet(),
                ";"),
            command.qualifiedName(" "),
            option ? "options" : "commands");
  }
}
