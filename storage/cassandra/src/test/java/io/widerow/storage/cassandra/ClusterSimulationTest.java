package io.widerow.storage.cassandra;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// See [ClusterSimulation]. Fresh seeds on each run; `-Dseed=<n>` for one.
class ClusterSimulationTest {
  static List<Long> seeds() {
    return Seeds.of(Slice.of("simulations", 40, 200));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whatWasAcknowledgedIsThereOnce(long seed) {
    new ClusterSimulation().accept(seed);
  }

  @Test
  void batchesOfTwoDaemonsAreStoredOnceWheneverTheSecondOneStarts() {
    for (long point = 0; point < SecondDaemon.POINTS; point++) {
      new SecondDaemon().accept(point);
    }
  }
}
