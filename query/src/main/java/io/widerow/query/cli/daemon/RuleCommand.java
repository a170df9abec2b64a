package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.DaemonOptions;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.RemoteRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow rule`: lists, sets, removes and checks the rules that watch.
@Command(
    name = "rule",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the rules that watch a daemon's store, and what each says now. A rule is a",
      "figure with a threshold: it fires while the figure of each step of time, for so",
      "long, is beyond it. Nothing is sent: Prometheus reads /metrics, cron and Nagios",
      "the exit code of widerow rule check."
    },
    footer = {
      "",
      "Examples:",
      "  widerow rule set errors --stats count --type 'http*' --where 'status >= 500' \\",
      "               --every 1m --above 100 --for 5m",
      "  widerow rule set silent --stats count --type heartbeat --below 1",
      "  widerow rule check errors",
      "  widerow rule unset errors",
      "The store remembers the rules. A token needs the scope query to list and check,",
      "admin to set and unset. Exit codes are those of widerow query, but those of check:",
      "0 quiet, 2 firing, 3 unknown."
    })
public final class RuleCommand implements Callable<Integer> {
  private static final String PATH = "/v1/rules";
  private static final List<String> HEADS =
      List.of(
          "rule", "stats", "type", "where", "every", "above", "below", "for", "state", "value",
          "step", "why");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  RuleCommand(Shell shell) {
    this.shell = shell;
  }

  /// What a rule says.
  static final class Definition {
    @Option(
        names = "--stats",
        required = true,
        paramLabel = "AGGREGATE",
        description = "The figure, such as count or p99(ms).")
    String stats = "";

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        description = "Types, by name or glob; may be given several times. Default: all.")
    List<String> types = new ArrayList<>();

    @Option(names = "--where", paramLabel = "FILTER", description = "Of these events only.")
    @Nullable String where;

    @Option(
        names = "--every",
        paramLabel = "TIME",
        description = "The width of a step. Default: 1m.")
    @Nullable String every;

    @Option(names = "--above", paramLabel = "N", description = "Fire when it is greater.")
    @Nullable String above;

    @Option(names = "--below", paramLabel = "N", description = "Fire when it is less.")
    @Nullable String below;

    @Option(
        names = "--for",
        paramLabel = "TIME",
        description = "Fire when all steps for so long are beyond. Default: one step.")
    @Nullable String lasting;

    @Option(
        names = "--lag",
        paramLabel = "AGE",
        description = "A step has passed when it ended so long ago. Default: 2s.")
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

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new RuleCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteRows all = RemoteRows.ask(asked.address(shell), PATH, HEADS);
    asked.show(shell, all);
    if (all.rows().isEmpty()) {
      shell.err().println("widerow rule: none is set");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Sets a rule, in place of the one of this name. The store remembers it.")
  int set(
      @Parameters(
              paramLabel = "NAME",
              description = "One word of letters, digits, '.', '_' and '-'.")
          String name,
      @Mixin Definition definition,
      @Mixin Asked how) {
    Map<String, List<String>> parameters = definition.parameters(name);
    how.show(shell, RemoteRows.change(how.address(shell), "PUT", PATH, parameters, HEADS));
    return ExitCode.OK.number;
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Removes a rule.")
  int unset(
      @Parameters(paramLabel = "NAME", description = "The rule.") String name, @Mixin Asked how) {
    Map<String, List<String>> parameters = Map.of("rule", List.of(name));
    how.show(
        shell, RemoteRows.change(how.address(shell), "DELETE", PATH, parameters, List.of("unset")));
    return ExitCode.OK.number;
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Says in one line what a rule says now. Exit code: 0 quiet, 2 firing, 3 unknown, also",
        "when there is no such rule or no answer."
      })
  int check(
      @Parameters(paramLabel = "NAME", description = "The rule.") String name,
      @Mixin DaemonOptions daemon) {
    List<Cell> row;
    try {
      Map<String, List<String>> parameters = Map.of("rule", List.of(name));
      RemoteRows found = RemoteRows.change(daemon.address(shell), "GET", PATH, parameters, HEADS);
      row = found.rows().getFirst();
    } catch (QueryException.Remote unknown) {
      say("unknown", name + ": " + unknown.getMessage());
      return ExitCode.UNKNOWN.number;
    }
    String state = text(row, "state");
    String why = text(row, "why");
    say(state, name + ": " + (why.isEmpty() ? figure(row) : why));
    return switch (state) {
      case "quiet" -> ExitCode.OK.number;
      case "firing" -> ExitCode.FIRING.number;
      default -> ExitCode.UNKNOWN.number;
    };
  }

  private static String figure(List<Cell> row) {
    StringBuilder figure = new StringBuilder(text(row, "stats"));
    String value = text(row, "value");
    figure.append(value.isEmpty() ? " of no events" : " is " + value);
    figure.append(" in the ").append(text(row, "every")).append(" from ");
    figure.append(text(row, "step"));
    for (String threshold : List.of("above", "below")) {
      String limit = text(row, threshold);
      figure.append(limit.isEmpty() ? "" : "; fires %s %s".formatted(threshold, limit));
    }
    String lasting = text(row, "for");
    return figure.append(lasting.isEmpty() ? "" : " for " + lasting).toString();
  }

  private static String text(List<Cell> row, String head) {
    return row.get(HEADS.indexOf(head)).text();
  }

  private void say(String state, String sentence) {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put(state + " " + TextWriter.escaped(sentence) + "\n");
    shell.write(out);
  }
}
