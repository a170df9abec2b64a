package io.widerow.ingest.lane;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each record of a source is stored exactly once, in the order of its partition, whatever
/// happens to the machine: power cuts at any operation on the disk, kills, a full disk, keys that
/// expire and take the notes of their groups along, sealed rows, another number of lanes, and a
/// topic that is created again. Each refused record gets a dead letter or is owed one. Method:
/// [SourceModel], a simulated source before the lanes and the real store on a simulated disk.
@Timeout(300)
public class SourceCrashTest {
  static List<Long> seeds() {
    return Seeds.of(Slice.of(8, 100));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void eachRecordIsStoredOnce(long seed) {
    new SourceModel(seed).run(12);
  }

  /// For `PlantedBugsTest`: enough seeds to meet each rule.
  void eachRecordOfManySeedsIsStoredOnce() {
    for (long seed = 1; seed <= 8; seed++) {
      new SourceModel(seed).run(12);
    }
  }
}
