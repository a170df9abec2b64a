package io.widerow.cql;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;

/// Goal: a query by an index has the rows that all rows of the table have for its condition, in
/// their order, and the index no other entries. Method: that of [DerivedModelTest]; rows are
/// counted from all rows of the table. Number of runs: `-Dindexes=<n>`.
class IndexesModelTest extends DerivedModelTest {
  private static final AtomicLong ROWS = new AtomicLong();

  IndexesModelTest() {
    super(ROWS);
  }

  static List<Long> seeds() {
    return Seeds.of(Slice.of("indexes", 1, 4));
  }

  @Override
  DerivedDriver driver(SplittableRandom random, long firstMicros) {
    return new IndexDriver(random, firstMicros);
  }

  @AfterAll
  static void rowsWereCompared() {
    Slice.met("rows of indexes", ROWS.get(), 200);
  }
}
