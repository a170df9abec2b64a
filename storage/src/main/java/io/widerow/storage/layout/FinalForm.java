package io.widerow.storage.layout;

import io.widerow.event.Bucket;
import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import java.util.ArrayList;
import java.util.List;

/// The final form of what one lane has of a type's bucket, chosen when it is merged: sizes in, keys
/// out. By then the sizes are known, and a merge writes every event anyway, so giving it another
/// key costs nothing.
///
/// ```
///   weight <= 2              one partition: the shards of a lane fold
///   weight >  2, width > 1   the next narrower width, if a child weighs 0.5 in the mean; each
///                            child again
///   otherwise                as many shards as it weighs
/// ```
///
/// Time is split before shards are: buckets that follow each other are read one after the other,
/// shards must be merged.
public final class FinalForm {
  /// Greatest weight of a partition that is not split.
  public static final double WEIGHT_MAX = 2;

  /// Least mean weight of the children of a split.
  public static final double WEIGHT_MIN = 0.5;

  private static final double ROUNDING = 1e-9;

  private final Bucket bucket;
  private final double[] until; // by minute: weight of all that is before
  private final List<Part> parts = new ArrayList<>();

  /// Events that lie between two times, evenly as far as is known.
  ///
  /// @param firstNanos time of the first, nanoseconds since the Unix epoch
  /// @param lastNanos time of the last
  /// @param weight of all of them
  public record Piece(long firstNanos, long lastNanos, double weight) {
    /// The weight of what of it lies in a bucket.
    public double weightIn(Bucket part) {
      long first = minuteOf(firstNanos);
      long last = minuteOf(lastNanos);
      long from = Math.max(first, part.startMinutes());
      long until = Math.min(last + 1, part.startMinutes() + (long) part.widthMinutes());
      return until <= from ? 0 : weight * (until - from) / (last - first + 1);
    }
  }

  /// A part of the final form.
  ///
  /// @param shards number of its partitions
  public record Part(Bucket bucket, int shards) {}

  private FinalForm(Bucket bucket, List<Piece> pieces) {
    this.bucket = bucket;
    this.until = new double[bucket.widthMinutes() + 1];
    for (Piece piece : pieces) {
      add(piece);
    }
    for (int minute = 0; minute < bucket.widthMinutes(); minute++) {
      until[minute + 1] += until[minute];
    }
  }

  /// True when a partition has neither too much in it nor too little.
  public static boolean isGood(double weight) {
    return weight >= WEIGHT_MIN - ROUNDING && !isHeavy(weight);
  }

  /// True when a partition has too much in it.
  public static boolean isHeavy(double weight) {
    return weight > WEIGHT_MAX + ROUNDING;
  }

  /// The final form of a bucket of a day at most.
  ///
  /// @param pieces the contents of the bucket
  /// @return parts in ascending order; together they cover all events
  public static List<Part> of(Bucket bucket, List<Piece> pieces) {
    var form = new FinalForm(bucket, pieces);
    form.divide(0, bucket.widthMinutes());
    return List.copyOf(form.parts);
  }

  /// Until the sums are made, a minute has its own weight in the place of the sum after it.
  private void add(Piece piece) {
    int first = minute(piece.firstNanos);
    int last = minute(piece.lastNanos);
    for (int minute = first; minute <= last; minute++) {
      until[minute + 1] += piece.weight / (last - first + 1);
    }
  }

  private int minute(long nanos) {
    return Math.clamp(minuteOf(nanos) - bucket.startMinutes(), 0, bucket.widthMinutes() - 1);
  }

  private static long minuteOf(long nanos) {
    return Math.floorDiv(nanos, PartitionKey.NANOS_PER_MINUTE);
  }

  /// @param from minute of the bucket at which a child begins
  private void divide(int from, int width) {
    double weight = until[from + width] - until[from];
    if (!isHeavy(weight)) {
      add(from, width, 1);
      return;
    }
    int next = narrower(width);
    if (next > 0 && weight * next / width >= WEIGHT_MIN - ROUNDING) {
      for (int child = from; child < from + width; child += next) {
        divide(child, next);
      }
    } else {
      add(from, width, Math.clamp(Math.round(weight), 1, LayoutOverride.SHARDS_MAX));
    }
  }

  private void add(int from, int width, int shards) {
    parts.add(new Part(new Bucket(bucket.startMinutes() + from, width), shards));
  }

  /// The next width of the ladder into which one divides; 0 when there is none.
  private static int narrower(int width) {
    return LayoutControl.LADDER.stream()
        .filter(next -> next < width && width % next == 0)
        .findFirst()
        .orElse(0);
  }

  /// The shard of an id among those of a part, whatever its lane was.
  ///
  /// @param hash of the id, see [IdHash]
  public static int shardOf(long hash, int shards) {
    return (int) Long.remainderUnsigned(hash, shards);
  }
}
