package io.widerow.storage.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.layout.LayoutControl.Phase;
import io.widerow.storage.layout.LayoutControl.Rate;
import io.widerow.storage.layout.Layouts.Learned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: shards follow the rate at once upwards and slowly downwards, and the width follows the
/// sizes at once towards narrow and slowly towards wide. Method: looks with times that the test
/// makes up.
class LayoutControlTest {
  private static final String TYPE = "cpu";
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long START_WALL = 1_700_000_000L * SECOND; // 22:13:20

  private final LayoutControl control = new LayoutControl(2, PartitionWeights.DEFAULT);
  private long nanos = -5 * MINUTE; // a monotonic clock starts anywhere

  private Learned learned() {
    return control.learned().getOrDefault(TYPE, Learned.NEW);
  }

  private int shardsAfter(long later, double events, double bytes) {
    return shardsAfter(later, new Rate(events, bytes, 1));
  }

  private int shardsAfter(long later, Rate rate) {
    nanos += later;
    control.rates(nanos, START_WALL + nanos, Map.of(TYPE, rate));
    return learned().shardsPerLane();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 1",
    "40000, 0, 1",
    "40001, 0, 2",
    "200000, 0, 5",
    "0, 8388608, 1",
    "100, 8388609, 2",
    "90000, 41943040, 5",
    "1e12, 0, 512"
  })
  void aRateAsksForShards(double events, double bytes, int shards) {
    assertEquals(1, shardsAfter(SECOND / 4, events, bytes), "one look is not enough");
    assertEquals(shards, shardsAfter(SECOND / 4, events, bytes));
  }

  @Test
  void eventsOfManySecondsAskForFewerShards() {
    var old = new Rate(400_000, 90_000_000, 300); // 1,334 events of each second of theirs
    assertEquals(1, shardsAfter(SECOND / 4, old));
    assertEquals(1, shardsAfter(SECOND / 4, old));
    assertEquals(300, control.spread(TYPE));
    shardsAfter(SECOND / 4, new Rate(400_000, 0, 4));
    assertEquals(3, shardsAfter(SECOND / 4, new Rate(400_000, 0, 4)));
    shardsAfter(SECOND / 4, 0, 0);
    assertEquals(4, control.spread(TYPE), "that of the events that came last");
  }

  @Test
  void twoLooksGiveWhatBothAskFor() {
    assertEquals(1, shardsAfter(SECOND, 1_000_000, 0));
    assertEquals(Phase.RISING, control.phase(TYPE));
    assertEquals(3, shardsAfter(SECOND, 110_000, 0));
    assertEquals(3, shardsAfter(SECOND, 1, 0));
  }

  @Test
  void shardsGoDownAtTheNextBucketAfterTenMinutesBelowHalf() {
    shardsAfter(SECOND, 320_000, 0);
    assertEquals(8, shardsAfter(SECOND, 320_000, 0));
    assertEquals(8, shardsAfter(SECOND, 161_000, 0), "more than half");
    assertEquals(Phase.STEADY, control.phase(TYPE));
    assertEquals(8, shardsAfter(SECOND, 50_000, 0));
    assertEquals(Phase.FALLING, control.phase(TYPE));
    assertEquals(8, shardsAfter(9 * MINUTE, 100_000, 0));
    assertEquals(8, shardsAfter(2 * MINUTE, 10_000, 0), "the bucket is not over");
    assertEquals(8, shardsAfter(30 * MINUTE, 10_000, 0), "the bucket is not over");
    assertEquals(3, shardsAfter(15 * MINUTE, 10_000, 0), "the most that was asked for meanwhile");
  }

  @Test
  void aRateAboveHalfStartsTheTenMinutesAnew() {
    shardsAfter(SECOND, 80_000, 0);
    assertEquals(2, shardsAfter(SECOND, 80_000, 0));
    for (int hour = 0; hour < 10; hour++) {
      assertEquals(2, shardsAfter(SECOND, 30_000, 0));
      assertEquals(2, shardsAfter(9 * MINUTE, 39_000, 0));
      assertEquals(2, shardsAfter(51 * MINUTE, 41_000, 0));
    }
  }

  /// A bucket of a width that starts so many widths after midnight.
  private static BucketSize bucket(
      int width, int number, double weight, double covered, boolean present) {
    return new BucketSize(new Bucket(28_333_440 + number * width, width), weight, covered, present);
  }

  private int widthAfter(long later, BucketSize... sizes) {
    nanos += later;
    control.sizes(nanos, Map.of(TYPE, List.of(sizes)));
    return learned().widthMinutes();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1440",
    "0.05833, 1440",
    "0.0584, 720",
    "0.11, 720",
    "0.2, 360",
    "0.4, 180",
    "0.5, 60",
    "1.4, 60",
    "1.41, 30",
    "2.9, 15",
    "5.7, 5",
    "16.9, 1",
    "1000, 1"
  })
  void theWidestThatIsNotTooHeavyIsChosen(double anHour, int width) {
    assertEquals(width, LayoutControl.width(anHour / 60));
  }

  @Test
  void aTypeWithAHistoryHasItsWidthAtOnce() {
    assertEquals(15, widthAfter(0, bucket(60, 1, 5, 60, false), bucket(60, 2, 0, 0, true)));
  }

  @Test
  void onlyTheLastThreeClosedBucketsCount() {
    List<BucketSize> sizes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sizes.add(bucket(60, i, 100, 60, false));
      sizes.add(bucket(60, 10 + i, 1, 60, false));
    }
    assertEquals(60, widthAfter(0, sizes.toArray(BucketSize[]::new)));
  }

  @Test
  void narrowerNeedsTwoLooksASecondApart() {
    BucketSize heavy = bucket(60, 3, 3, 30, true); // 6 when it is over
    assertEquals(60, widthAfter(0, heavy));
    assertEquals(60, widthAfter(SECOND / 2, heavy));
    assertEquals(Phase.RISING, control.phase(TYPE));
    assertEquals(5, widthAfter(SECOND / 2, heavy));
  }

  @Test
  void aBucketOfWhichLittleIsThereIsNotScaled() {
    for (int i = 0; i < 5; i++) {
      assertEquals(60, widthAfter(SECOND, bucket(60, 3, 0.6, 5.9, true)));
    }
    widthAfter(SECOND, bucket(60, 3, 0.6, 6, true));
    assertEquals(5, widthAfter(SECOND, bucket(60, 3, 0.6, 6, true)));
  }

  @Test
  void widerNeedsThirtyMinutesInWhichAllLooksAgree() {
    BucketSize light = bucket(60, 3, 0.05, 60, true); // fits into a day
    BucketSize less = bucket(60, 3, 0.1, 60, true); // into half a day
    assertEquals(60, widthAfter(0, light));
    assertEquals(60, widthAfter(20 * MINUTE, less));
    assertEquals(Phase.FALLING, control.phase(TYPE));
    assertEquals(60, widthAfter(9 * MINUTE, light));
    assertEquals(720, widthAfter(MINUTE, light), "what all of them agreed to");
    assertEquals(720, widthAfter(MINUTE, less));
    assertEquals(720, widthAfter(20 * MINUTE, light));
    assertEquals(720, widthAfter(SECOND, bucket(60, 3, 0.1, 60, true)), "one does not agree");
    assertEquals(720, widthAfter(29 * MINUTE, light));
    assertEquals(720, widthAfter(29 * MINUTE, light));
    assertEquals(1_440, widthAfter(2 * MINUTE, light));
  }

  @Test
  void aTypeThatIsGoneIsForgotten() {
    widthAfter(0, bucket(60, 1, 5, 60, false));
    shardsAfter(SECOND, 0, 0);
    control.sizes(nanos, Map.of());
    assertEquals(List.of(), control.types());
    assertEquals(Map.of(), control.learned());
  }

  @Test
  void typesBeyondTheLimitStayNew() {
    Map<String, List<BucketSize>> many = new HashMap<>();
    for (int i = 0; i < LayoutControl.TYPES_MAX + 10; i++) {
      many.put("type" + i, List.of(bucket(60, 1, 5, 60, false)));
    }
    control.sizes(nanos, many);
    assertEquals(LayoutControl.TYPES_MAX, control.learned().size());
    assertEquals(LayoutControl.TYPES_MAX, control.types().size());
  }
}
