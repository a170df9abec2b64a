package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow retention`: lists, plans, sets and removes retention policies.
@Command(
    description = {
      "An exact type takes precedence over a pattern, and more literal characters over fewer. Of"
          + " equals, a policy that was set takes precedence over one of the configuration, and a"
          + " later one over an earlier one. Policies with --where apply in addition: each hides"
          + " the events that its filter selects."
    },
    footer = {
      "Examples:",
      "  widerow retention plan 'nginx.*' --age 7d",
      "  widerow retention set 'nginx.*' --age 7d",
      "  widerow retention set '*' --bytes 100GiB",
      "  widerow retention set 'shop.*' --where 'level <= debug' --age 1d",
      "  widerow retention unset 'nginx.*'",
      "Columns:",
      "  types, atRest  types of the policy, bytes of their sealed files",
      "  hiddenPartitions, hiddenEvents, hiddenBytes",
      "                 hidden by a change, and dropped at dropsAt; until then the",
      "                 opposite change shows them again",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class RetentionCommand {
  private static final List<String> HEADS =
      RemoteTable.heads(
          "type where age bytes grace source types atRest hiddenPartitions hiddenEvents"
              + " hiddenBytes dropsAt");
  private static final List<String> PLAN_HEADS = List.of("partition", "events", "bytes");
  private static final List<String> SUM_HEADS = List.of("partitions", "events", "bytes");

  private final Shell shell;
  private final RemoteTable policies;

  /// The limits of a policy.
  static final class Limits {
    @Parameters(paramLabel = "GLOB", description = "A type, or a pattern with * and ?.")
    String glob = "";

    @Option(
        names = "--age",
        paramLabel = "AGE",
        description = "Retention period of an event: 7d, 12h, 10m, 5s or forever.")
    @Nullable String age;

    @Option(
        names = "--bytes",
        paramLabel = "SIZE",
        description = "Bytes of all these types together: 10GiB, 500MB. The oldest events go.")
    @Nullable String bytes;

    @Option(
        names = "--where",
        paramLabel = "FILTER",
        description = "Only events that this filter selects, by their own age: level <= debug.")
    @Nullable String where;

    Map<String, List<String>> parameters() {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      parameters.put("type", List.of(glob));
      ParameterText.put(parameters, "age", age);
      ParameterText.put(parameters, "bytes", bytes);
      ParameterText.put(parameters, "where", where);
      return parameters;
    }
  }

  public RetentionCommand(Shell shell) {
    this.shell = shell;
    policies = new RemoteTable(shell, "/v1/retention", HEADS);
  }

  @Command(name = "list", mixinStandardHelpOptions = true)
  int list(@Mixin RemoteOptions how) {
    return policies.list(how, "widerow retention: no policy; events are kept indefinitely");
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Expired events are hidden at once and dropped after the grace. The store keeps the policy."
      })
  int set(
      @Mixin Limits limits,
      @Option(
              names = "--grace",
              paramLabel = "AGE",
              description =
                  "Time from hiding to dropping; 0s drops at once. Default: the daemon's"
                      + " retention-grace, 15m.")
          @Nullable String grace,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = limits.parameters();
    ParameterText.put(parameters, "grace", grace);
    return policies.set(how, parameters);
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      description = {
        "Events that expire by the other policies are hidden at once and dropped after the grace"
            + " of the removed one."
      })
  int unset(
      @Parameters(paramLabel = "GLOB", description = "The type or pattern, as it was set.")
          String glob,
      @Option(
              names = "--where",
              paramLabel = "FILTER",
              description = "The filter, as it was set, of a policy with one.")
          @Nullable String where,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", List.of(glob));
    ParameterText.put(parameters, "where", where);
    return policies.unset(how, parameters);
  }

  @Command(
      name = "plan",
      mixinStandardHelpOptions = true,
      description = {
        "Lists the partitions that the policy would hide and later drop. Changes nothing. The sum"
            + " comes last, with a table on standard error."
      })
  int plan(@Mixin Limits limits, @Mixin RemoteOptions how) {
    String path = policies.path() + "/plan?" + RemoteResponse.encode(limits.parameters());
    RemoteRows.Summed plan = RemoteRows.askSummed(how.address(shell), path, PLAN_HEADS, SUM_HEADS);
    how.show(shell, plan.rows());
    if (how.format(shell) == OutputFormat.json) {
      how.show(shell, plan.sums());
    } else {
      List<String> sums = plan.sums().rows().getFirst().stream().map(cell -> cell.text()).toList();
      shell
          .err()
          .printf(
              "widerow retention plan: %s partitions, %s events, %s bytes would expire%n",
              sums.get(0), sums.get(1), sums.get(2));
    }
    return ExitCode.OK.number;
  }
}
