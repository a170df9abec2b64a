package io.widerow.storage.cassandra.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Goal: README.md's table equals the output of the simulation, and its conclusions hold. Method:
/// run it with the table's seed, and with others.
class ReadSimulationTest {
  @Test
  void theDocumentHasTheTable() throws IOException {
    String document = Files.readString(Path.of("README.md"));
    String table = String.join("\n", ReadSimulation.table());
    assertTrue(document.contains(table), () -> "README.md should have\n" + table);
  }

  @Test
  void aSecondRequestIsWorthMoreThanDepth() {
    for (long seed = 2; seed < Slice.of(3, 6); seed++) {
      var deep = ReadSimulation.run(64, 64, ReadSimulation.NEVER, seed);
      var quick = ReadSimulation.run(64, 32, 20, seed);
      assertTrue(quick.rows(0.5) > deep.rows(0.5), "rows/s of seed " + seed);
      assertTrue(quick.first(0.99) < deep.first(0.99), "first row of seed " + seed);
    }
  }

  @Test
  void theSameSeedGivesTheSameQueries() {
    assertEquals(
        ReadSimulation.run(16, 32, 20, 7).rows(0.5), ReadSimulation.run(16, 32, 20, 7).rows(0.5));
  }
}
