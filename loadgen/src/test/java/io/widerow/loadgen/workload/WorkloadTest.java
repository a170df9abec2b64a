package io.widerow.loadgen.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/// Goal: a count of a run's events covers all its types and no others. Method: the types that are
/// drawn, and names that look like them.
class WorkloadTest {
  private static Workload of(int types) {
    return new Workload(Scenario.ACCESS, 7, 10, 2_000, types, 1, 10, 0, 0, 0, 0, 1_000);
  }

  @Test
  void typesThatAreDrawnAreTypesOfTheWorkload() {
    for (int types : new int[] {1, 12}) {
      Workload workload = of(types);
      BatchPool pool = BatchPool.prepare(workload, Target.WIDEROW_TEXT, 1);
      long drawn = pool.batches().stream().map(PreparedBatch::type).distinct().count();
      assertTrue(types == 1 ? drawn == 1 : drawn > 3, drawn + " of " + types);
      assertTrue(pool.batches().stream().allMatch(batch -> workload.isType(batch.type())));
    }
    assertEquals("access", of(1).typeGlob());
    assertEquals("access.*", of(2).typeGlob());
  }

  @Test
  void othersAreNot() {
    assertFalse(of(1).isType("access.1"));
    for (String other : new String[] {"access", "access.", "access.x", "accessory.1", "sys.1"}) {
      assertFalse(of(2).isType(other), other);
    }
  }
}
