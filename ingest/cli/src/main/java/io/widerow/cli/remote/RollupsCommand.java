package io.widerow.cli.remote;

import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow rollups`: lists, defines and removes the rollups of a daemon's store.
@Command(
    description = {
      "A rollup is a set of aggregates by group that the store keeps with the events, so that"
          + " `widerow query --stats` need not read them. Results are the same, byte for byte."
          + " Every type has a count by minute without a rollup."
    },
    footer = {
      "Examples:",
      "  widerow rollups set http-status --type 'http*' --by status \\",
      "      --stats 'count,p99(ms)'",
      "  widerow rollups set days --type 'http*' --stats count --keep 400d",
      "  widerow query 'http*' --since 30d --stats 'p99(ms)' --by status --explain",
      "  widerow rollups unset http-status",
      "Columns:",
      "  segments  files with events of its types",
      "  without   those files that have none of its cells yet; merging adds them, the",
      "            newest first, and until then queries count the events",
      "  keep      retention period of aggregates whose events were dropped",
      "  kept      number of dropped events that these aggregates count",
      "distinct(x) keeps up to 65,536 hashes of 64 bits for each group and step, and counts events"
          + " beyond that number. It is exact unless two values share a hash. A step with more than"
          + " 10,000 groups is counted from events.",
      "A token needs the scope query to list, admin to set and unset. Exit codes: see `widerow"
          + " query --help`."
    })
public final class RollupsCommand {
  private static final String PATH = "/v1/rollups";
  private static final List<String> HEADS =
      List.of("rollup", "type", "by", "stats", "every", "segments", "without", "keep", "kept");

  private final RemoteTable rollups;

  /// The options of a rollup.
  static final class Definition {
    @Option(
        names = "--type",
        required = true,
        paramLabel = "GLOB",
        description = "A type, or a pattern with * and ?.")
    String type = "";

    @Option(
        names = "--by",
        paramLabel = "NAMES",
        description = "Attributes to group by, up to 4, comma-separated. Default: none.")
    @Nullable String by;

    @Option(
        names = "--stats",
        required = true,
        paramLabel = "AGGREGATES",
        description =
            "count, sum(x), min(x), max(x), avg(x), p99(x), distinct(x), comma-separated.")
    String stats = "";

    @Option(
        names = "--every",
        paramLabel = "TIME",
        description = "The width of a step: 1m (default) or 1h.")
    @Nullable String every;

    @Option(
        names = "--keep",
        paramLabel = "TIME",
        description =
            "Retention period of the aggregates of dropped events: 400d. Default: drop them with"
                + " the events.")
    @Nullable String keep;

    Map<String, List<String>> parameters() {
      Map<String, List<String>> parameters = new LinkedHashMap<>();
      parameters.put("type", List.of(type));
      ParameterText.put(parameters, "by", by);
      parameters.put("stats", List.of(stats));
      ParameterText.put(parameters, "every", every);
      ParameterText.put(parameters, "keep", keep);
      return parameters;
    }
  }

  public RollupsCommand(Shell shell) {
    rollups = new RemoteTable(shell, PATH, HEADS);
  }

  @Command(name = "list", mixinStandardHelpOptions = true)
  int list(@Mixin RemoteOptions how) {
    return rollups.list(how, "widerow rollups: none is defined; every type has count by minute");
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description =
          "Replaces a rollup of the same name. The store keeps it. New events get its aggregates at"
              + " once; merging adds them to stored events.")
  int set(
      @Parameters(
              paramLabel = "NAME",
              description = "One word of letters, digits, '_', '-' and, inside, '.'.")
          String name,
      @Mixin Definition definition,
      @Mixin RemoteOptions how) {
    return of(name).set(how, definition.parameters());
  }

  @Command(
      name = "unset",
      mixinStandardHelpOptions = true,
      description =
          "No event changes. Aggregates of dropped events that only this rollup keeps are hidden;"
              + " defining it again in time shows them again.")
  int unset(
      @Parameters(paramLabel = "NAME", description = "The rollup.") String name,
      @Mixin RemoteOptions how) {
    return of(name).unset(how, Map.of());
  }

  private RemoteTable of(String name) {
    String part = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    return rollups.at(PATH + "/" + part);
  }
}
