package io.widerow.cql.define;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: runs of numbers hold exactly the dropped numbers. Method: comparison with a set of
/// numbers.
class DroppedNumbersTest {
  static List<Long> seeds() {
    return Seeds.five();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void runsHoldWhatWasAdded(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    DroppedNumbers dropped = DroppedNumbers.NONE;
    Set<Integer> numbers = new TreeSet<>();
    for (int i = 0; i < 200; i++) {
      int first = random.nextInt(1, 100);
      List<Integer> more = IntStream.range(first, first + random.nextInt(3)).boxed().toList();
      dropped = dropped.with(more);
      numbers.addAll(more);
      Set<Integer> held = new TreeSet<>();
      Map<Object, Object> stored = new HashMap<>();
      int end = -1;
      for (Map.Entry<Integer, Integer> run : dropped.runs().entrySet()) {
        assertTrue(run.getKey() > end + 1, "runs that meet: " + dropped.runs());
        end = run.getValue();
        IntStream.rangeClosed(run.getKey(), end).forEach(held::add);
        stored.put(Integer.toString(run.getKey()), end);
      }
      assertEquals(numbers, held);
      assertEquals(dropped, DroppedNumbers.of(stored));
      assertEquals(dropped.runs().size(), dropped.spans().size());
    }
  }
}
