package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/// Goal: the right answers are right. Method: count them again in the encoded bytes.
class OracleTest {
  private static final long FROM_NANOS = 1_795_000_020L * Quantity.SECOND;

  private static Workload workload(Scenario scenario, long stepNanos) {
    return new Workload(scenario, 7, 100, 20_000, 1, 1, 50, 0, 0, 0, FROM_NANOS, stepNanos);
  }

  @Test
  void tokenIsOneInAThousandAndIsCountedWhereItIs() {
    Workload workload = workload(Scenario.ACCESS, 1);
    BatchPool pool = BatchPool.prepare(workload, Target.WIDEROW_TEXT, 1);
    Oracle oracle = new Oracle(workload, 40_000, pool.batches().size());
    AtomicLongArray sentTwice = new AtomicLongArray(pool.batches().size());
    long found = 0;
    for (int slot = 0; slot < sentTwice.length(); slot++) {
      sentTwice.set(slot, 2);
      byte[] bytes = new byte[pool.batches().get(slot).bytes().capacity()];
      pool.batches().get(slot).bytes().get(0, bytes);
      found +=
          new String(bytes, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> line.contains(oracle.token()))
              .count();
    }
    assertTrue(found > 10 && found < 30, oracle.token() + " in " + found + " of 20000");
    assertEquals(2 * found, oracle.rows(Question.TOKEN, sentTwice));
    assertEquals(40_000, oracle.rows(Question.RANGE, sentTwice));
  }

  @Test
  void groupsAreMinutesTimesRegions() {
    // From a full minute on, 20,000 events of 10 ms: 3 min 20 s, so minutes 0 to 3.
    Oracle oracle = new Oracle(workload(Scenario.DEVOPS, 10 * Quantity.MILLI), 20_000, 200);
    assertEquals("", oracle.token());
    assertEquals(0, oracle.rows(Question.COUNT, new AtomicLongArray(1)) % 4);
    assertEquals(100, oracle.rows(Question.LATEST, new AtomicLongArray(1)));
  }
}
