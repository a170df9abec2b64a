package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Of which events, and for how long it may read: options of commands that look a range over.
final class SurveyOptions {
  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(names = "--shard", paramLabel = "N", description = "Only the wide rows of this shard.")
  @Nullable String shard;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "First instant wanted: a date and time, or 2h for so long ago.")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "First instant not wanted.")
  @Nullable String to;

  @Option(names = "--where", paramLabel = "FILTER", description = "Only events it keeps.")
  @Nullable String where;

  @Option(
      names = "--damage",
      paramLabel = "MODE",
      description = "What cannot be read: refuse (default), or skip it, with a warning.")
  @Nullable String damage;

  @Option(
      names = "--budget",
      paramLabel = "TIME",
      defaultValue = "10s",
      description = "How long to read; then the answer is an estimate (${DEFAULT-VALUE}).")
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
