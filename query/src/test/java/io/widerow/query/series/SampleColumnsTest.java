package io.widerow.query.series;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: samples added in any order are those of a series: in the order of time, of each
/// millisecond the last, of one time the one that arrived last. Method: random samples, in order,
/// in runs that overlap or follow each other, or shuffled; a map by milliseconds.
class SampleColumnsTest {
  private record Sample(long nanos, long arrival, long bits) {}

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void anyOrderGivesTheSeries(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 30; round++) {
      List<Sample> all = new ArrayList<>();
      int span = 1 + random.nextInt(2_000_000_000);
      for (int i = random.nextInt(2_000); i >= 0; i--) {
        all.add(new Sample(random.nextInt(span) / 500 * 500L, all.size(), random.nextLong()));
      }
      all.sort(Comparator.comparingLong(Sample::nanos).thenComparingLong(Sample::arrival));
      TreeMap<Long, Sample> wanted = new TreeMap<>();
      all.forEach(each -> wanted.put(each.nanos() / 1_000_000, each));
      List<Sample> added = new ArrayList<>();
      List<List<Sample>> lanes = new ArrayList<>();
      for (int lane = 1 + random.nextInt(6); lane > 0; lane--) {
        lanes.add(new ArrayList<>());
      }
      all.forEach(each -> lanes.get(random.nextInt(lanes.size())).add(each));
      lanes.forEach(added::addAll);
      for (int swaps = random.nextInt(3) * random.nextInt(500); swaps > 0; swaps--) {
        Collections.swap(added, random.nextInt(added.size()), random.nextInt(added.size()));
      }
      SampleColumns columns = new SampleColumns();
      added.forEach(each -> columns.add(each.nanos(), each.arrival(), each.bits(), null));
      columns.end();
      assertEquals(wanted.size(), columns.count());
      assertArrayEquals(
          wanted.keySet().stream().mapToLong(each -> each).toArray(), columns.millis());
      double[] values = columns.values();
      int at = 0;
      for (Sample each : wanted.values()) {
        assertEquals(each.bits(), Double.doubleToRawLongBits(values[at++]));
      }
      assertEquals(all.size() - wanted.size(), columns.collapsed());
    }
  }
}
