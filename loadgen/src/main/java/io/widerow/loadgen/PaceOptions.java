package io.widerow.loadgen;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that decide how fast and how long.
final class PaceOptions {
  @Option(
      names = "--rate",
      paramLabel = "EVENTS",
      description = "events per second on a fixed schedule; left out: as fast as answers come")
  private @Nullable String rate;

  @Option(
      names = "--duration",
      defaultValue = "10s",
      description = "how long is measured (default ${DEFAULT-VALUE})")
  private String duration = "";

  @Option(
      names = "--warmup",
      defaultValue = "2s",
      description = "sent before that and not measured (default ${DEFAULT-VALUE})")
  private String warmup = "";

  @Option(names = "--events", description = "end after so many, warm-up included")
  private @Nullable String events;

  @Option(
      names = "--connections",
      defaultValue = "4",
      description = "each with a thread of its own (default ${DEFAULT-VALUE})")
  private int connections;

  @Option(
      names = "--timeout",
      defaultValue = "10s",
      description = "longest wait for an answer (default ${DEFAULT-VALUE})")
  private String timeout = "";

  @Option(
      names = "--stages",
      paramLabel = "EVENTS",
      split = ",",
      description = "one run after the other at these rates, each with its own report")
  private List<String> stages = List.of();

  List<Double> stages() {
    return stages.stream().map(stage -> (double) Quantity.count(stage)).toList();
  }

  double rate() {
    if (rate == null) {
      return 0;
    }
    long asked = Quantity.count(rate);
    if (asked < 1) {
      throw new IllegalArgumentException("--rate must be at least 1, got " + rate);
    }
    return asked;
  }

  Pace pace() {
    return new Pace(
        rate(),
        Quantity.nanos(warmup),
        Quantity.nanos(duration),
        events == null ? Long.MAX_VALUE : Quantity.count(events),
        connections,
        Quantity.nanos(timeout));
  }
}
