package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for rate and duration.
public final class PaceOptions {
  @Option(
      names = "--rate",
      paramLabel = "EVENTS",
      description =
          "events per second on a fixed schedule; 10k..200k rises evenly over --duration; left"
              + " out: as fast as responses arrive")
  private @Nullable String rate;

  @Option(names = "--duration", defaultValue = "10s", description = "measured time")
  private String duration = "";

  @Option(
      names = "--warmup",
      defaultValue = "2s",
      description = "time before it that is not measured")
  private String warmup = "";

  @Option(names = "--events", description = "end after this many events, warm-up included")
  private @Nullable String events;

  @Option(names = "--connections", defaultValue = "4", description = "one thread each")
  private int connections;

  @Option(names = "--timeout", defaultValue = "10s", description = "longest wait for a response")
  private String timeout = "";

  @Option(
      names = "--stages",
      paramLabel = "EVENTS",
      split = ",",
      description =
          "one run after the other at these rates, each with its own report; 50k/30s lasts 30"
              + " seconds, 10k..200k/60s is a ramp of a minute")
  private List<String> stages = List.of();

  public List<Stage> stages() {
    return stages.stream().map(Stage::parse).toList();
  }

  /// @throws IllegalArgumentException when there are stages; `command` has none
  public void refuseStages(String command) {
    if (!stages.isEmpty()) {
      throw new IllegalArgumentException(
          "%s has no --stages, got %s".formatted(command, String.join(",", stages)));
    }
  }

  /// The mean rate; 0 when none is asked for.
  public double rate() {
    return rates().meanPerSecond();
  }

  private Rate rates() {
    try {
      return rate == null ? Rate.CLOSED : Rate.parse(rate);
    } catch (IllegalArgumentException impossible) {
      throw new IllegalArgumentException("--rate: " + impossible.getMessage(), impossible);
    }
  }

  public Pace pace() {
    return new Pace(
        rates(),
        Quantity.nanos("--warmup", warmup),
        Quantity.nanos("--duration", duration),
        events == null ? Long.MAX_VALUE : Quantity.count("--events", events),
        connections,
        Quantity.nanos("--timeout", timeout));
  }
}
