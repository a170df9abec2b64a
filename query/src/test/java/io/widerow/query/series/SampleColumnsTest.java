package io.widerow.query.series;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.WrappedEvent;
import io.widerow.storage.sketch.EventColumns;
import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: samples added in any order are those of a series: in the order of time, of each
/// millisecond the last, of one time the one that arrived last. Method: random samples, in order,
/// in runs that overlap or follow each other, or shuffled, one by one or as runs of the store; a
/// map by milliseconds.
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
      if (random.nextBoolean()) {
        added.forEach(each -> columns.add(each.nanos(), each.arrival(), each.bits(), null));
      } else {
        addRuns(added, random, columns);
      }
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

  /// Adds runs of a store, whose samples of one time may have arrived in another order.
  private static void addRuns(List<Sample> samples, Random random, SampleColumns columns) {
    for (int from = 0; from < samples.size(); ) {
      int until = Math.min(samples.size(), from + 1 + random.nextInt(300));
      List<Sample> run = new ArrayList<>(samples.subList(from, until));
      Collections.shuffle(run, random);
      run.sort(Comparator.comparingLong(Sample::nanos));
      if (random.nextInt(20) == 0) {
        run.forEach(each -> columns.add(each.nanos(), each.arrival(), each.bits(), null));
      } else {
        columns.add(new Run(run), false);
      }
      from = until;
    }
  }

  /// A run of a store.
  private static final class Run extends WrappedEvent implements EventRun {
    private final EventColumns columns;
    private final int size;

    Run(List<Sample> samples) {
      size = samples.size();
      columns = EventColumns.of(size + 1);
      for (int i = 0; i < size; i++) {
        columns.nanos()[i + 1] = samples.get(i).nanos;
        columns.arrivals()[i + 1] = samples.get(i).arrival;
        columns.bits()[i + 1] = samples.get(i).bits;
      }
    }

    @Override
    public @Nullable Object key() {
      return null;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public EventColumns columns() {
      return columns;
    }

    @Override
    public int from() {
      return 1;
    }
  }
}
