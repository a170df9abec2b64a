package io.widerow.cli.remote;

import io.widerow.cli.DamageWarnings;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteSurvey;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow explore diff`: compares two ranges of time.
@Command(
    description = {
      "Compares the values of fields in two ranges of time: new values, gone values, and values"
          + " with a larger or smaller share of the events. The most significant come first."
    },
    footer = {
      "Examples:",
      "  widerow explore diff 'shop.*' --from 1h",
      "  widerow explore diff 'shop.*' --from 1h --before-from 25h --before-to 24h",
      "  widerow explore diff --from 2026-11-20 --to 2026-11-21",
      "Without --before-from, the range of the same length before --from is compared.",
      "weight is the log-likelihood ratio G2. Chance alone stays at or below 10.8 in 999 of 1,000"
          + " cases; a share that grows or shrinks is listed from there on. New and gone values are"
          + " always listed. Fields whose values nearly all differ are left out.",
      "Exit codes: see `widerow query --help`."
    })
public final class DiffCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("change", "field", "value", "before", "after", "weight");

  private final Shell shell;

  @Mixin SurveyOptions of = new SurveyOptions();

  @Option(
      names = "--before-from",
      paramLabel = "TIME",
      description = "Start of the earlier range. Default: same length as the later one.")
  @Nullable String beforeFrom;

  @Option(
      names = "--before-to",
      paramLabel = "TIME",
      description = "End of the earlier range. Default: --from.")
  @Nullable String beforeTo;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of differences. Default: 50.")
  @Nullable String limit;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public DiffCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = of.parameters();
    ParameterText.put(parameters, "beforefrom", beforeFrom);
    ParameterText.put(parameters, "beforeto", beforeTo);
    ParameterText.put(parameters, "limit", limit);
    RemoteSurvey answer =
        RemoteSurvey.ask(asked.address(shell), "/v1/diff?" + RemoteResponse.encode(parameters));
    asked.show(shell, withValues(answer), HEADS, HEADS);
    for (String range : List.of("events", "before")) {
      if (answer.text(range).equals("0")) {
        String which = range.equals("events") ? "" : range;
        shell
            .err()
            .printf(
                "widerow explore diff: no event between %s and %s%n",
                answer.text(which + "from"), answer.text(which + "to"));
      }
    }
    if (!answer.exact()) {
      shell.err().println("widerow explore diff: an estimate; give it more time with --budget");
    }
    return DamageWarnings.tell("widerow explore diff", answer.unread(), ZoneOffset.UTC, shell)
        .number;
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
