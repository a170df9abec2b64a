package io.widerow.query.sizing;

import java.util.List;

/// The form of the partitions of one type: how much time each has, and how many of them share it.
///
/// ```
/// weight <= 2              one partition
/// weight >  2, width > 1   the next narrower width, if a child weighs 0.5 or more; again
/// otherwise                n = round(weight) shards
/// ```
///
/// @param widthMinutes time of a bucket, in minutes
/// @param shards partitions of one bucket
public record PlannedForm(int widthMinutes, int shards) {
  private static final int MINUTES_PER_DAY = 1_440;
  private static final List<Integer> LADDER = List.of(1_440, 720, 360, 180, 60, 30, 15, 5, 1);

  /// The form for a load that comes evenly.
  ///
  /// @param weightPerDay weight of a day in one partition
  public static PlannedForm of(double weightPerDay) {
    int width = MINUTES_PER_DAY;
    for (int narrower : LADDER) {
      boolean wide = weight(weightPerDay, width) > Weight.MOST;
      if (wide && weight(weightPerDay, narrower) >= Weight.LEAST) {
        width = narrower;
      }
    }
    double weight = weight(weightPerDay, width);
    long shards = weight <= Weight.MOST ? 1 : Math.round(weight);
    return new PlannedForm(width, (int) Math.min(shards, Integer.MAX_VALUE));
  }

  private static double weight(double perDay, int width) {
    return perDay * width / MINUTES_PER_DAY;
  }

  /// Partitions of a day.
  public long partitionsPerDay() {
    return (long) MINUTES_PER_DAY / widthMinutes * shards;
  }
}
