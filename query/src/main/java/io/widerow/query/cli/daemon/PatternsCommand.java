package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.Shell;
import io.widerow.query.cli.ShownWithout;
import io.widerow.query.remote.RemoteAnswer;
import io.widerow.query.remote.RemoteSurvey;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow patterns`: which kinds of log lines there are.
@Command(
    name = "patterns",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the patterns of a daemon's log lines, the most frequent first: what is the",
      "same in all lines of a kind, and <_> for what differs; with how many there are,",
      "and the first of them as a sample."
    },
    footer = {
      "",
      "Examples:",
      "  widerow patterns 'kafka.*' --from 1d",
      "  widerow patterns nginx --where 'status >= 500' --field path",
      "Exit codes are those of widerow query."
    })
public final class PatternsCommand implements Callable<Integer> {
  private static final List<String> HEADS = List.of("count", "share", "type", "pattern");
  private static final List<String> CSV_HEADS =
      List.of("count", "share", "type", "pattern", "first", "last", "id", "sample");

  private final Shell shell;

  @Mixin SurveyOptions of = new SurveyOptions();

  @Option(
      names = "--field",
      paramLabel = "NAME",
      description = "Texts of this attribute. Default: body.")
  @Nullable String field;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many patterns: 100.")
  @Nullable String limit;

  @Mixin Asked asked = new Asked();

  PatternsCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new PatternsCommand(shell), shell);
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = of.parameters();
    ParameterText.put(parameters, "field", field);
    ParameterText.put(parameters, "limit", limit);
    RemoteSurvey answer =
        RemoteSurvey.ask(asked.address(shell), "/v1/patterns?" + RemoteAnswer.encode(parameters));
    asked.show(shell, answer, HEADS, CSV_HEADS);
    if (answer.rows().isEmpty()) {
      shell.err().println("widerow patterns: no event has such a text");
    } else if (!answer.exact()) {
      shell.err().println("widerow patterns: an estimate; give it more time with --budget");
    }
    return ShownWithout.tell("widerow patterns", answer.unread(), ZoneOffset.UTC, shell).number;
  }
}
