package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.storage.ScanWatch;
import java.util.SplittableRandom;

/// The memory of a scan in which there is seldom or never room for blocks that wait, so that merges
/// keep slices of few events.
public final class Crowded implements ScanWatch.Memory {
  private final SplittableRandom random;
  private final int roomOneIn;
  private long held;
  private long most;
  private int turns;

  /// @param roomOneIn there is room for one block in so many; 0 for none
  public Crowded(long seed, int roomOneIn) {
    this.random = new SplittableRandom(seed);
    this.roomOneIn = roomOneIn;
  }

  @Override
  public void hold(long bytesMore) {
    held += bytesMore;
    most = Math.max(most, held);
  }

  @Override
  public boolean tryHoldBlock(long bytesMore) {
    if (roomOneIn == 0 || random.nextInt(roomOneIn) > 0) {
      return false;
    }
    hold(bytesMore);
    return true;
  }

  @Override
  public boolean isCrowded() {
    return random.nextBoolean();
  }

  @Override
  public void takeTurn() {
    turns++;
  }

  @Override
  public void endTurn() {
    turns--;
  }

  @Override
  public long sliceBytes() {
    return random.nextInt(4_000);
  }

  /// The most that was held at a time.
  public long most() {
    return most;
  }

  public void assertGivenBack() {
    assertEquals(0, held, "bytes that are still held");
    assertEquals(0, turns, "turns that were not ended");
  }
}
