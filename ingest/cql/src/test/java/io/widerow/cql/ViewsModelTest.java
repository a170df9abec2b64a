package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cql.engine.SimStore;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/// Goal: a materialized view shows what a recount of its table shows, with times and expiry, and a
/// view that is there has all rows from the start. Method: that of [DerivedModelTest]. Number of
/// runs: `-Dviews=<n>`.
class ViewsModelTest extends DerivedModelTest {
  private static final AtomicLong ROWS = new AtomicLong();

  ViewsModelTest() {
    super(ROWS);
  }

  static List<Long> seeds() {
    return Seeds.of(Slice.of("views", 1, 4));
  }

  @Override
  DerivedDriver driver(SplittableRandom random, long firstMicros) {
    return new ViewDriver(random, firstMicros);
  }

  @AfterAll
  static void rowsWereCompared() {
    Slice.met("rows of views", ROWS.get(), 200);
  }

  /// A row of a view ends with what its key is made of. When that is forgotten, and comes again,
  /// the other cells of its first life are not in the second.
  @Test
  void whatHadExpiredDoesNotComeBack() {
    var random = new SplittableRandom(1);
    try (EmbeddedStore store = SimStore.open(new SimDisk(1), clock, random, Runnable::run)) {
      Asking asking = server(store).asking("k");
      driver(random, 0).create(asking);
      asking.run(
          "CREATE MATERIALIZED VIEW by_v AS SELECT p, c, v, w FROM t WHERE v IS NOT NULL AND p IS"
              + " NOT NULL AND c IS NOT NULL PRIMARY KEY (v, p, c)");
      asking.run("INSERT INTO t (p, c, w) VALUES (1, 1, 'a')");
      asking.run("UPDATE t USING TTL 10 SET v = 5 WHERE p = 1 AND c = 1");
      assertEquals(List.of("[5, a]"), asking.rows("SELECT v, w FROM by_v"));
      forget(store);
      assertEquals(List.of(), asking.rows("SELECT v, w FROM by_v"));
      asking.run("DELETE w FROM t WHERE p = 1 AND c = 1");
      asking.run("UPDATE t SET v = 5 WHERE p = 1 AND c = 1");
      assertEquals(List.of("[5, null]"), asking.rows("SELECT v, w FROM by_v"));
    }
  }
}
