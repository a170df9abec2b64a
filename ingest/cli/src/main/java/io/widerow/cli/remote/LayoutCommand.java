package io.widerow.cli.remote;

import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow layout`: shows and sets the bucket width and the shard count of types.
@Command(
    description = {
      "The daemon chooses the width of buckets and the number of shards of each type by size and"
          + " rate, unless an override sets them. A change applies to events from then on; stored"
          + " events stay as they are."
    },
    footer = {
      "Examples:",
      "  widerow layout",
      "  widerow layout set 'nginx.*' --width 15m --shards 4",
      "  widerow layout set 'nginx.*' --width auto",
      "  widerow layout unset 'nginx.*'",
      "An exact type takes precedence over a pattern, and more literal characters over fewer. Of"
          + " equals, an override that was set takes precedence over one of the configuration.",
      "A token needs the scope admin. Exit codes: see `widerow query --help`."
    })
public final class LayoutCommand {
  private static final String PATH = "/v1/layout";
  private static final List<String> HEADS =
      List.of("type", "width", "shards", "rate", "state", "fixed");
  private static final List<String> OVERRIDE_HEADS =
      List.of("type", "width", "shards", "source", "types");

  private final RemoteTable types;
  private final RemoteTable overrides;

  public LayoutCommand(Shell shell) {
    types = new RemoteTable(shell, PATH, HEADS);
    overrides = new RemoteTable(shell, PATH + "/overrides", OVERRIDE_HEADS);
  }

  @Command(name = "show", mixinStandardHelpOptions = true)
  int show(@Mixin RemoteOptions how) {
    return types.list(how, "widerow layout: no events are stored yet");
  }

  @Command(name = "overrides", mixinStandardHelpOptions = true)
  int overrides(@Mixin RemoteOptions how) {
    return overrides.list(how, "widerow layout overrides: none is set");
  }

  @Command(
      name = "set",
      mixinStandardHelpOptions = true,
      description = {
        "Sets the width of buckets or the number of shards, or lets the daemon choose them (auto)."
            + " A value that is not given stays as it is. The store keeps the override."
      })
  int set(
      @Parameters(paramLabel = "GLOB", description = "A type, or a pattern with * and ?.")
          String glob,
      @Option(
              names = "--width",
              paramLabel = "WIDTH",
              description = "Width of buckets: 1m to 1d, dividing a day, or auto.")
          @Nullable String width,
      @Option(
              names = "--shards",
              paramLabel = "N",
              description = "Shards of each bucket and type, a multiple of the lanes, or auto.")
          @Nullable String shards,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", List.of(glob));
    ParameterText.put(parameters, "width", width);
    ParameterText.put(parameters, "shards", shards);
    return overrides.at(PATH).set(how, parameters);
  }

  @Command(name = "unset", mixinStandardHelpOptions = true)
  int unset(
      @Parameters(paramLabel = "GLOB", description = "The type or pattern, as it was set.")
          String glob,
      @Mixin RemoteOptions how) {
    return types.unset(how, Map.of("type", List.of(glob)));
  }
}
