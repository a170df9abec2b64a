package io.widerow.storage.cassandra;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// See [SourceSimulation]. Fresh seeds on each run; `-Dseed=<n>` for one.
class SourceSimulationTest {
  static List<Long> seeds() {
    return Seeds.of(Slice.of("simulations", 5, 400));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void eachRecordIsStoredOnce(long seed) {
    new SourceSimulation().accept(seed);
  }
}
