package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.RemoteRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow alerts`: lists, sets, removes and checks alert rules.
@Command(
    description = {
      "An alert rule is an aggregate with a threshold: it fires while the aggregate exceeds the"
          + " threshold, or is below it, in each step of time, for a given time. Nothing is sent:"
          + " Prometheus reads /metrics; cron and Nagios read the exit code of `widerow alerts"
          + " check`."
    },
    footer = {
      "Examples:",
      "  widerow alerts set errors --stats count --where 'status >= 500' \\",
      "      --every 1m --above 100 --for 5m",
      "  widerow alerts set silent --stats count --type heartbeat --below 1",
      "  widerow alerts check errors",
      "  widerow alerts unset errors",
      "The store keeps the rules. A token needs the scope query to list and check, admin to set and"
          + " unset.",
      "Exit codes of check: 0 quiet, 2 firing, 3 unknown. Other exit codes: see `widerow query"
          + " --help`."
    })
public final class AlertsCommand {
  private static final String PATH = "/v1/alerts";
  private static final List<String> HEADS =
      RemoteTable.heads("rule stats type where every above below for state value step why");

  private final Shell shell;
  private final RemoteTable rules;

  /// The options of an alert rule.
  static final class Definition {
    @Option(
        names = "--stats",
        required = true,
        paramLabel = "AGGREGATE",
        description = "The aggregate, such as count or p99(ms).")
    String stats = "";

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        description = "Types, by name or glob; may be given several times. Default: all.")
    List<String> types = new ArrayList<>();

    @Option(names = "--where", paramLabel = "FILTER", description = "Aggregate only these events.")
    @Nullable String where;

    @Option(
        names = "--every",
        paramLabel = "TIME",
        description = "The width of a step. Default: 1m.")
    @Nullable String every;

    @Option(
        names = "--above",
        paramLabel = "N",
        description = "Fire if the aggregate is above this limit.")
    @Nullable String above;

    @Option(
        names = "--below",
        paramLabel = "N",
        description = "Fire if the aggregate is below this limit.")
    @Nullable String below;

    @Option(
        names = "--for",
        paramLabel = "TIME",
        description =
            "Fire when every step of this time is above or below the limit. Default: one step.")
    @Nullable String lasting;

    @Option(
        names = "--lag",
        paramLabel = "AGE",
        description = "Evaluate a step this long after its end. Default: 2s.")
    @Nullable String lag;

    Map<String, List<String>> parameters(String name) {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      parameters.put("rule", List.of(name));
      parameters.put("stats", List.of(stats));
      if (!types.isEmpty()) {
        parameters.put("type", types);
      }
      ParameterText.put(parameters, "where", where);
      ParameterText.put(parameters, "every", every);
      ParameterText.put(parameters, "above", above);
      ParameterText.put(parameters, "below", below);
      ParameterText.put(parameters, "for", lasting);
      ParameterText.put(parameters, "lag", lag);
      return parameters;
    }
  }

  public AlertsCommand(Shell shell) {
    this.shell = shell;
    rules = new RemoteTable(shell, PATH, HEADS);
  }

  @Command(name = "list", mixinStandardHelpOptions = true)
  int list(@Mixin RemoteOptions how) {
    return rules.list(how, "widerow alerts: no rule is set");
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = "Replaces an alert rule of the same name. The store keeps the rule.")
  int set(
      @Parameters(
              paramLabel = "NAME",
              description = "One word of letters, digits, '.', '_' and '-'.")
          String name,
      @Mixin Definition definition,
      @Mixin RemoteOptions how) {
    return rules.set(how, definition.parameters(name));
  }

  @Command(name = "unset", mixinStandardHelpOptions = true)
  int unset(
      @Parameters(paramLabel = "NAME", description = "The alert rule.") String name,
      @Mixin RemoteOptions how) {
    return rules.unset(how, Map.of("rule", List.of(name)));
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      description =
          "Prints the state in one line. Exit code: 0 quiet, 2 firing, 3 unknown, also if there is"
              + " no such rule or no response.")
  int check(
      @Parameters(paramLabel = "NAME", description = "The alert rule.") String name,
      @Mixin DaemonOptions daemon) {
    List<Cell> row;
    try {
      Map<String, List<String>> parameters = Map.of("rule", List.of(name));
      row = RemoteRows.change(daemon.address(shell), "GET", PATH, parameters, HEADS).first();
    } catch (QueryException.Remote unknown) {
      print("unknown", name + ": " + unknown.getMessage());
      return ExitCode.UNKNOWN.number;
    }
    String state = text(row, "state");
    String why = text(row, "why");
    print(state, name + ": " + (why.isEmpty() ? aggregate(row) : why));
    return switch (state) {
      case "quiet" -> ExitCode.OK.number;
      case "firing" -> ExitCode.FIRING.number;
      default -> ExitCode.UNKNOWN.number;
    };
  }

  private static String aggregate(List<Cell> row) {
    StringBuilder line = new StringBuilder(text(row, "stats"));
    String value = text(row, "value");
    line.append(value.isEmpty() ? " of no events" : " is " + value);
    line.append(" in the ").append(text(row, "every")).append(" from ");
    line.append(text(row, "step"));
    for (String threshold : List.of("above", "below")) {
      String limit = text(row, threshold);
      line.append(limit.isEmpty() ? "" : "; fires %s %s".formatted(threshold, limit));
    }
    String lasting = text(row, "for");
    return line.append(lasting.isEmpty() ? "" : " for " + lasting).toString();
  }

  private static String text(List<Cell> row, String head) {
    return row.get(HEADS.indexOf(head)).text();
  }

  private void print(String state, String sentence) {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put(state + " " + TextWriter.escaped(sentence) + "\n");
    shell.write(out);
  }
}
