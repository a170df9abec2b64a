package io.widerow.storage.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each event of a batch is there once, in the order of time, and events of one time stay in
/// their order. Method: random batches, compared with a stable sort; batches with the times of a
/// whole calendar.
class BatchOrderTest {
  private final BatchOrder order = new BatchOrder();

  private record Event(long offset, long time) {}

  private List<Event> ordered(List<Event> batch) {
    order.begin();
    batch.forEach(event -> order.add(event.offset, event.time));
    order.end();
    assertEquals(batch.size(), order.count());
    List<Event> found = new ArrayList<>();
    for (int i = 0; i < order.count(); i++) {
      found.add(batch.get((int) (order.offset(i) / 8)));
    }
    return found;
  }

  private static List<Event> batch(SplittableRandom random, int count, long times) {
    long first = random.nextLong(1L << 58);
    List<Event> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batch.add(new Event(8L * i, first + random.nextLong(times)));
    }
    return batch;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void eventsAreInOrderOfTimeAndThenAsTheyCame(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 100; round++) {
      List<Event> batch = batch(random, random.nextInt(700), 1 + random.nextLong(1L << 40));
      List<Event> sorted = new ArrayList<>(batch);
      sorted.sort(Comparator.comparingLong(Event::time));
      assertEquals(sorted, ordered(batch));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void timesFarApartAreInOrderNearly(long seed) {
    List<Event> batch = batch(new SplittableRandom(seed), 3_000, 1L << 59);
    List<Event> found = ordered(batch);
    assertEquals(batch, found.stream().sorted(Comparator.comparingLong(Event::offset)).toList());
    for (int i = 1; i < found.size(); i++) {
      assertTrue(found.get(i - 1).time - found.get(i).time < 1L << 12, "out of order by far");
    }
  }

  @Test
  void aBatchInOrderIsLeftAsItIs() {
    List<Event> batch = List.of(new Event(0, 5), new Event(8, 5), new Event(16, Long.MAX_VALUE));
    assertEquals(batch, ordered(batch));
    assertEquals(List.of(), ordered(List.of()));
  }
}
