package io.widerow.cli.remote;

import io.widerow.cli.DamageWarnings;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteFields;
import io.widerow.query.remote.RemoteResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow explore fields`: counts the fields and values of events, and compares some events with
/// the rest.
@Command(
    description = {
      "Lists the fields of a daemon's events with their most frequent values. With --pick, it"
          + " compares some of the events with the rest."
    },
    footer = {
      "Examples:",
      "  widerow explore fields 'shop.*' --from 1h",
      "  widerow explore fields 'shop.*' --from 1d --field host",
      "  widerow explore fields 'shop.*' --from 1d --pick 'level = \"error\"'",
      "score is 0 for a field with the same values in the picked events and in the rest, and 1 for"
          + " a field with no value in common. The most different fields come first.",
      "Exit codes: see `widerow query --help`."
    })
public final class FieldsCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("field", "kind", "events", "distinct", "score", "values");
  private static final List<String> CSV_HEADS = List.of("field", "value", "count", "picked");

  private final Shell shell;

  @Mixin SurveyOptions of = new SurveyOptions();

  @Option(
      names = "--field",
      paramLabel = "NAME",
      description = "Only this field, with more values.")
  @Nullable String field;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Number of values. Default: 8, or 100 with --field.")
  @Nullable String top;

  @Option(
      names = "--pick",
      paramLabel = "FILTER",
      description = "Compare the events of this filter with the rest.")
  @Nullable String pick;

  @Option(
      names = "--pick-from",
      paramLabel = "TIME",
      description = "Pick events from this time on.")
  @Nullable String pickFrom;

  @Option(names = "--pick-to", paramLabel = "TIME", description = "Pick events before this time.")
  @Nullable String pickTo;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public FieldsCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = of.parameters();
    ParameterText.put(parameters, "top", top);
    ParameterText.put(parameters, "pick", pick);
    ParameterText.put(parameters, "pickfrom", pickFrom);
    ParameterText.put(parameters, "pickto", pickTo);
    String one = field == null ? "" : "/" + URLEncoder.encode(field, StandardCharsets.UTF_8);
    RemoteFields answer =
        RemoteFields.ask(
            asked.address(shell), "/v1/fields" + one + "?" + RemoteResponse.encode(parameters));
    OutputBuffer out = new OutputBuffer(1 << 12);
    switch (asked.format(shell)) {
      case json -> answer.lines().forEach(line -> out.put(line + "\n"));
      case csv -> new StatsWriter(OutputFormat.csv).write(CSV_HEADS, values(answer), out);
      case table, raw, logfmt ->
          new StatsWriter(OutputFormat.table).write(HEADS, rows(answer), out);
    }
    shell.write(out);
    if (answer.fields().isEmpty()) {
      shell.err().println("widerow explore fields: no event has any");
    } else if (!answer.exact()) {
      shell.err().println("widerow explore fields: an estimate; give it more time with --budget");
    }
    return DamageWarnings.tell("widerow explore fields", answer.unread(), ZoneOffset.UTC, shell)
        .number;
  }

  private static List<List<Cell>> rows(RemoteFields answer) {
    return answer.fields().stream()
        .map(field -> {
          String values =
              field.values().stream()
                  .map(FieldsCommand::valueAndCount)
                  .collect(Collectors.joining(", "));
          String many = field.text("many").isEmpty() ? "" : "about ";
          return List.of(
              Cell.ofText(field.text("field")),
              Cell.ofText(field.text("kind")),
              Cell.ofNumber(field.text("events")),
              Cell.ofNumber(many + field.text("distinct")),
              Cell.ofNumber(field.text("score")),
              values.isEmpty() ? Cell.MISSING : Cell.ofText(values));
        })
        .toList();
  }

  private static String valueAndCount(Map<String, Cell> value) {
    Cell picked = value.get("picked");
    String text = value.getOrDefault("value", Cell.MISSING).text();
    String count = value.getOrDefault("count", Cell.MISSING).text();
    return picked == null
        ? "%s %s".formatted(text, count)
        : "%s %s/%s".formatted(text, picked.text(), count);
  }

  private static List<List<Cell>> values(RemoteFields answer) {
    List<List<Cell>> rows = new ArrayList<>();
    for (RemoteFields.Field field : answer.fields()) {
      for (Map<String, Cell> value : field.values()) {
        rows.add(
            List.of(
                Cell.ofText(field.text("field")),
                value.getOrDefault("value", Cell.MISSING),
                value.getOrDefault("count", Cell.MISSING),
                value.getOrDefault("picked", Cell.MISSING)));
      }
    }
    return rows;
  }
}
