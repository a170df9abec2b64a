package io.widerow.storage.layout;

import io.widerow.event.PartitionKey;

/// The live layout of one type: where its new events go. Stored events stay where they are.
///
/// @param widthMinutes width of the buckets, 1 to 1,440 minutes, dividing a day
/// @param shardsPerLane shards of a bucket in each lane, 1 at least
/// @param widthFixed whether an override fixes the width
/// @param shardsFixed whether an override fixes the number of shards
/// @param balanced whether a batch goes to the shard of its lane that has the fewest bytes;
///   otherwise its placement selects one
public record Layout(
    int widthMinutes,
    int shardsPerLane,
    boolean widthFixed,
    boolean shardsFixed,
    boolean balanced) {
  /// Width of a type that is new.
  public static final int WIDTH_NEW = 60;

  /// The greatest width.
  public static final int WIDTH_MAX = PartitionKey.MINUTES_PER_DAY;

  /// Shards of a lane of a type that is new.
  public static final int SHARDS_NEW = 1;

  public Layout {
    PartitionKey.requireWidth(widthMinutes);
    if (shardsPerLane < 1) {
      throw new IllegalArgumentException("%d shards a lane".formatted(shardsPerLane));
    }
  }

  /// One that the owner of a store fixed: placements select shards.
  public static Layout ofOwner(int widthMinutes, int shardsPerLane) {
    return new Layout(widthMinutes, shardsPerLane, true, true, false);
  }

  /// Width in minutes of the bucket that decides whether an arriving event has expired. A width
  /// that may change at any time does not count: an event that a narrower bucket would hide at once
  /// is refused.
  public int admittedMinutes() {
    return widthFixed ? widthMinutes : 1;
  }

  public boolean isFixed() {
    return widthFixed || shardsFixed;
  }
}
