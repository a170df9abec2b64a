package io.widerow.cli.remote;

import io.widerow.cli.DamageWarnings;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteSurvey;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow explore patterns`: groups log lines by pattern.
@Command(
    description = {
      "Lists the patterns of a daemon's log lines, the most frequent first: the common text of"
          + " similar lines, with <_> for the parts that differ, the number of the lines, and the"
          + " first one as a sample."
    },
    footer = {
      "Examples:",
      "  widerow explore patterns 'kafka.*' --from 1d",
      "  widerow explore patterns nginx --where 'status >= 500' --field path",
      "Exit codes: see `widerow query --help`."
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
      description = "Attribute with the text. Default: body.")
  @Nullable String field;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Maximum number of patterns. Default: 100.")
  @Nullable String limit;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public PatternsCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = of.parameters();
    ParameterText.put(parameters, "field", field);
    ParameterText.put(parameters, "limit", limit);
    RemoteSurvey answer =
        RemoteSurvey.ask(asked.address(shell), "/v1/patterns?" + RemoteResponse.encode(parameters));
    asked.show(shell, answer, HEADS, CSV_HEADS);
    if (answer.rows().isEmpty()) {
      shell.err().println("widerow explore patterns: no event has this attribute");
    } else if (!answer.exact()) {
      shell.err().println("widerow explore patterns: an estimate; give it more time with --budget");
    }
    return DamageWarnings.tell("widerow explore patterns", answer.unread(), ZoneOffset.UTC, shell)
        .number;
  }
}
