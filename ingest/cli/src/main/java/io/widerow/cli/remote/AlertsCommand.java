package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteSurvey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow alerts`: lists, sets, removes and checks alert rules.
@Command(
    description = {
      "Alert rules are those of the rule files of the daemon, and those that are set here: an"
          + " aggregate with a threshold, which fires while the aggregate exceeds the threshold, or"
          + " is below it, in each step of time, for a given time. The daemon sends alerts to its"
          + " Alertmanagers; Prometheus reads /metrics; cron and Nagios read the exit code of"
          + " `widerow alerts check`."
    },
    footer = {
      "Examples:",
      "  widerow alerts set errors --stats count --where 'status >= 500' \\",
      "      --every 1m --above 100 --for 5m",
      "  widerow alerts set silent --stats count --type heartbeat --below 1",
      "  widerow alerts check errors",
      "  widerow alerts check rules.yml",
      "  widerow alerts history --from 7d",
      "  widerow alerts backtest rules.yml --from 30d",
      "  widerow alerts unset errors",
      "The store keeps the rules that are set. A token needs the scope admin to set and unset, and"
          + " query for all others.",
      "Exit codes of check: 0 quiet, 2 firing, 3 unknown. Other exit codes: see `widerow query"
          + " --help`."
    })
public final class AlertsCommand {
  private static final String PATH = "/v1/alerts";
  private static final List<String> HEADS =
      RemoteTable.heads(
          "rule stats type where every above below for state value step why group expr");
  private static final List<String> CHANGES = RemoteTable.heads("ts alert labels from to value");
  private static final String LOGQL = "logql";

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
          "Prints the state of a rule in one line. Exit code: 0 quiet, 2 firing, 3 unknown, also if"
              + " there is no such rule or no response. Of a rule file: checks it, and prints its"
              + " first mistake.")
  int check(
      @Parameters(
              paramLabel = "NAME|FILE",
              description = "The alert rule, or a rule file, *.yml or *.yaml.")
          String name,
      @Option(names = "--logql", description = "The rule file has LogQL.") boolean logql,
      @Mixin DaemonOptions daemon) {
    if (name.endsWith(".yml") || name.endsWith(".yaml")) {
      RemoteSurvey found =
          RemoteSurvey.post(
              daemon.address(shell),
              PATH + "/check",
              language(logql),
              RemoteOptions.text("file", Path.of(name)));
      OutputBuffer out = new OutputBuffer(1 << 8);
      found.lines().forEach(line -> out.put(line + "\n"));
      shell.write(out);
      return ExitCode.OK.number;
    }
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

  private static Map<String, List<String>> language(boolean logql) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    ParameterText.put(parameters, "language", logql ? LOGQL : null);
    return parameters;
  }

  @Command(
      name = "history",
      mixinStandardHelpOptions = true,
      description = "Lists the changes of alerts in the order of time.")
  int history(
      @Option(names = "--from", paramLabel = "TIME", description = "First time. Default: 1d ago.")
          @Nullable String from,
      @Option(names = "--to", paramLabel = "TIME", description = "Last time. Default: now.")
          @Nullable String to,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    String path = PATH + "/history?" + RemoteResponse.encode(parameters);
    how.show(
        shell,
        RemoteSurvey.linesOf(how.address(shell), path, "ts", Set.of("ts")),
        CHANGES,
        CHANGES);
    return ExitCode.OK.number;
  }

  @Command(
      name = "backtest",
      mixinStandardHelpOptions = true,
      description =
          "Evaluates a rule file over the past, and lists the changes of alerts that it would have"
              + " led to.")
  int backtest(
      @Parameters(paramLabel = "FILE", description = "The rule file.") Path file,
      @Option(names = "--from", paramLabel = "TIME", description = "First time. Default: 1d ago.")
          @Nullable String from,
      @Option(names = "--to", paramLabel = "TIME", description = "Last time. Default: now.")
          @Nullable String to,
      @Option(names = "--logql", description = "The rule file has LogQL.") boolean logql,
      @Option(
              names = "--as-seen",
              description =
                  "Repeat the evaluations that were made: each reads only what had arrived.")
          boolean asSeen,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = language(logql);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    ParameterText.put(parameters, "as-seen", asSeen ? "true" : null);
    how.show(
        shell,
        RemoteSurvey.post(
            how.address(shell), PATH + "/backtest", parameters, RemoteOptions.text("file", file)),
        CHANGES,
        CHANGES);
    return ExitCode.OK.number;
  }
}
