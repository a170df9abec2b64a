package io.widerow.cli;

import io.widerow.cli.ship.ShipFuzz;
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

  private final Supplier<List<byte[]>> seeds;
  private final Consumer<byte[]> reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader) {
    this.seeds = seeds;
    this.reader = reader;
  }

  @Override
  public List<byte[]> seeds() {
    return seeds.get();
  }

  @Override
  public void read(byte[] input) {
    reader.accept(input);
  }

  @Override
  public long heapBytesMax() {
    return 64L << 20;
  }
}
