package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.Shell;
import io.widerow.query.cli.ShownWithout;
import io.widerow.query.figures.Cell;
import io.widerow.query.remote.RemoteAnswer;
import io.widerow.query.remote.RemoteSurvey;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow diff`: what is different between two ranges of time.
@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Compares the values of fields in two ranges of time: which are new, gone, or a",
      "greater or smaller share of the events than before; the most striking first."
    },
    footer = {
      "",
      "Examples:",
      "  widerow diff 'shop.*' --from 1h                 the last hour, and the one before",
      "  widerow diff 'shop.*' --from 1h --before-from 25h --before-to 24h",
      "  widerow diff --from 2026-11-20 --to 2026-11-21 --where 'level = \"error\"'",
      "weight is the log-likelihood ratio G2: what chance alone shows has 10.8 or less in 999",
      "of 1,000 cases. Shares grow and shrink from there on; what is new or gone is told always.",
      "Fields nearly all of whose values differ are left out.",
      "Exit codes are those of widerow query."
    })
public final class DiffCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("change", "field", "value", "before", "after", "weight");

  private final Shell shell;

  @Mixin SurveyOptions of = new SurveyOptions();

  @Option(
      names = "--before-from",
      paramLabel = "TIME",
      description = "First instant to compare with. Default: as long before its end.")
  @Nullable String beforeFrom;

  @Option(
      names = "--before-to",
      paramLabel = "TIME",
      description = "First instant that is not compared with. Default: --from.")
  @Nullable String beforeTo;

  @Option(names = "--limit", paramLabel = "N", description = "At most so many differences: 50.")
  @Nullable String limit;

  @Mixin Asked asked = new Asked();

  DiffCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new DiffCommand(shell), shell);
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = of.parameters();
    ParameterText.put(parameters, "beforefrom", beforeFrom);
    ParameterText.put(parameters, "beforeto", beforeTo);
    ParameterText.put(parameters, "limit", limit);
    RemoteSurvey answer =
        RemoteSurvey.ask(asked.address(shell), "/v1/diff?" + RemoteAnswer.encode(parameters));
    asked.show(shell, withValues(answer), HEADS, HEADS);
    for (String range : List.of("events", "before")) {
      if (answer.text(range).equals("0")) {
        String which = range.equals("events") ? "" : range;
        shell
            .err()
            .printf(
                "widerow diff: no event between %s and %s%n",
                answer.text(which + "from"), answer.text(which + "to"));
      }
    }
    if (!answer.exact()) {
      shell.err().println("widerow diff: an estimate; give it more time with --budget");
    }
    return ShownWithout.tell("widerow diff", answer.unread(), ZoneOffset.UTC, shell).number;
  }

  /// A part of a histogram has bounds in place of a value.
  private static RemoteSurvey withValues(RemoteSurvey answer) {
    List<Map<String, Cell>> rows = new ArrayList<>();
    for (Map<String, Cell> row : answer.rows()) {
      Map<String, Cell> with = new HashMap<>(row);
      Cell from = row.get("from");
      Cell to = row.get("to");
      if (from != null && to != null) {
        with.put("value", Cell.ofText(from.text() + " .. " + to.text()));
      }
      rows.add(with);
    }
    return new RemoteSurvey(answer.lines(), answer.whole(), rows, answer.unread());
  }
}
