package io.widerow.storage.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Seeds;
import io.widerow.storage.layout.FinalForm.Part;
import io.widerow.storage.layout.FinalForm.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bucket becomes partitions of weight 0.5 to 2 where its events allow it, which together
/// cover it. Method: cases by hand, and random pieces whose parts are weighed again.
class FinalFormTest {
  private static final long MINUTE = PartitionKey.NANOS_PER_MINUTE;
  private static final int DAY_START = 28_333_440;
  private static final Bucket HOUR = new Bucket(DAY_START + 60, 60);

  static List<Long> seeds() {
    return Seeds.of(200);
  }

  /// Events that fill some minutes of a bucket.
  private static Piece piece(Bucket bucket, int fromMinute, int minutes, double weight) {
    long from = bucket.fromNanos() + fromMinute * MINUTE;
    return new Piece(from, from + minutes * MINUTE - 1, weight);
  }

  @ParameterizedTest
  @CsvSource({
    "0.001, 60, 1",
    "2, 60, 1",
    "2.1, 30, 2",
    "4, 30, 2",
    "4.1, 15, 4",
    "8, 15, 4",
    "8.1, 5, 12",
    "24, 5, 12",
    "31, 1, 60",
    "120, 1, 60"
  })
  void anEvenHourIsDividedUntilItFits(double weight, int width, int parts) {
    List<Part> found = FinalForm.of(HOUR, List.of(piece(HOUR, 0, 60, weight)));
    assertEquals(parts, found.size());
    assertTrue(found.stream().allMatch(part -> part.bucket().widthMinutes() == width));
    assertTrue(found.stream().allMatch(part -> part.shards() == 1));
  }

  @Test
  void aMinuteThatIsTooHeavyGetsShards() {
    var minute = new Bucket(DAY_START, 1);
    assertEquals(
        List.of(new Part(minute, 7)), FinalForm.of(minute, List.of(piece(minute, 0, 1, 7.4))));
    assertEquals(
        List.of(new Part(minute, 1_024)), FinalForm.of(minute, List.of(piece(minute, 0, 1, 1e9))));
  }

  @Test
  void aBucketWhoseChildrenWouldBeTooLightGetsShards() {
    // 30 minutes to 15 and 5: of weight 2.9 in 5 minutes a child of a minute has 0.58.
    var five = new Bucket(DAY_START, 5);
    assertEquals(5, FinalForm.of(five, List.of(piece(five, 0, 5, 2.9))).size());
    assertEquals(List.of(new Part(five, 2)), FinalForm.of(five, List.of(piece(five, 0, 5, 2.4))));
  }

  @Test
  void onlyTheHeavyPartOfABucketIsDivided() {
    List<Piece> pieces = List.of(piece(HOUR, 0, 60, 1), piece(HOUR, 20, 5, 6));
    List<Part> parts = FinalForm.of(HOUR, pieces);
    assertEquals(new Part(new Bucket(HOUR.startMinutes() + 30, 30), 1), parts.getLast());
    assertEquals(new Part(new Bucket(HOUR.startMinutes(), 15), 1), parts.getFirst());
    assertTrue(parts.contains(new Part(new Bucket(HOUR.startMinutes() + 20, 1), 1)));
    requireCovered(HOUR, parts);
  }

  @Test
  void aWidthBesideTheLadderIsDividedByOneOfIt() {
    var four = new Bucket(DAY_START, 240);
    List<Part> parts = FinalForm.of(four, List.of(piece(four, 0, 240, 6)));
    assertEquals(4, parts.size());
    requireCovered(four, parts);
  }

  private static void requireCovered(Bucket bucket, List<Part> parts) {
    long at = bucket.fromNanos();
    for (Part part : parts) {
      assertEquals(at, part.bucket().fromNanos());
      at = part.bucket().untilNanos();
    }
    assertEquals(bucket.untilNanos(), at);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void partsCoverTheBucketAndNoneIsTooHeavy(long seed) {
    var random = new SplittableRandom(seed);
    int width = LayoutControl.LADDER.get(random.nextInt(LayoutControl.LADDER.size()));
    var bucket = new Bucket(DAY_START, width);
    List<Piece> pieces = new ArrayList<>();
    double[] minutes = new double[width];
    for (int left = 1 + random.nextInt(50); left > 0; left--) {
      int from = random.nextInt(width);
      int length = 1 + random.nextInt(width - from);
      double weight = Math.pow(10, random.nextDouble(-3, 2));
      pieces.add(piece(bucket, from, length, weight));
      for (int minute = from; minute < from + length; minute++) {
        minutes[minute] += weight / length;
      }
    }
    List<Part> parts = FinalForm.of(bucket, pieces);
    requireCovered(bucket, parts);
    for (Part part : parts) {
      int from = part.bucket().startMinutes() - bucket.startMinutes();
      double weight = 0;
      for (int minute = from; minute < from + part.bucket().widthMinutes(); minute++) {
        weight += minutes[minute];
      }
      double each = weight / part.shards();
      assertTrue(each <= 2.0001, part + " weighs " + weight);
      if (part.shards() > 1) {
        assertTrue(each >= 0.79, part + " weighs " + weight);
      }
    }
  }
}
