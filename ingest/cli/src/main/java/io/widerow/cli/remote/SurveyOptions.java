package io.widerow.cli.remote;

import io.widerow.query.ParameterText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The events and the time limit of commands that summarize a range.
final class SurveyOptions {
  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(names = "--shard", paramLabel = "N", description = "Only partitions of this shard.")
  @Nullable String shard;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Start of the range (inclusive), as in 2h or 2026-11-20.")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "End of the range (exclusive).")
  @Nullable String to;

  @Option(
      names = "--where",
      paramLabel = "FILTER",
      description = "Only events that match this filter.")
  @Nullable String where;

  @Option(
      names = "--damage",
      paramLabel = "MODE",
      description = "Unreadable data: refuse (default), or skip, with a warning.")
  @Nullable String damage;

  @Option(
      names = "--budget",
      paramLabel = "TIME",
      defaultValue = "10s",
      description =
          "Time limit; a result that reaches it is an estimate. Default: ${DEFAULT-VALUE}.")
  String budget = "10s";

  /// As parameters of a request, to which a command adds its own.
  Map<String, List<String>> parameters() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", types);
    ParameterText.put(parameters, "shard", shard);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    ParameterText.put(parameters, "where", where);
    ParameterText.put(parameters, "damage", damage);
    ParameterText.put(parameters, "budget", budget);
    return parameters;
  }
}
