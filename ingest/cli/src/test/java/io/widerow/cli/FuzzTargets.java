package io.widerow.cli;

import io.widerow.cli.ship.ShipFuzz;
import io.widerow.fuzz.FuzzReader;
import io.widerow.fuzz.FuzzTarget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The readers of log files that are shipped, and of the checkpoint between runs. Any input gives
/// records, or a refusal.
@SuppressWarnings("ImmutableEnumChecker") // method references
public enum FuzzTargets implements FuzzTarget {
  SHIP_LINES(ShipFuzz::lineSeeds, ShipFuzz::lines),
  SHIP_CHECKPOINT(ShipFuzz::checkpointSeeds, ShipFuzz::checkpoint);

  private final FuzzReader reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader) {
    this.reader = new FuzzReader(seeds, reader);
  }

  @Override
  public FuzzReader reader() {
    return reader;
  }
}
