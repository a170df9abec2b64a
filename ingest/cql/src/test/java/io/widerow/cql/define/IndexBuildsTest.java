package io.widerow.cql.define;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.Asking;
import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: an index is built in the background while rows change, continues after a crash where it
/// was, and queries by it are refused until it has all rows. Method: builds are tasks that the test
/// runs; a crash is a copy of a simulated disk before one of its operations.
class IndexBuildsTest {
  private static final long START_SECONDS = 1_700_000_000L;
  private static final int ROWS = 1_500; // of a build that writes three times
  private static final String FIND = "SELECT c FROM t WHERE v = 1 LIMIT 3";

  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);
  private final SimDisk disk = new SimDisk(1);
  private final SplittableRandom random = new SplittableRandom(1);
  private final Deque<Runnable> builds = new ArrayDeque<>();
  private final EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
  private final Opened opened = open(store);

  /// Tables of a store, and the way to ask for their rows.
  private record Opened(UserTables tables, Asking asking) {
    boolean isBuilt() {
      return tables.indexes().stream().allMatch(IndexStatus::isBuilt);
    }
  }

  private Opened open(EmbeddedStore from) {
    TableStore tables = from.extension(TableEngine.class);
    UserTables users =
        new UserTables(
            tables, () -> Instant.ofEpochSecond(0, clock.wallNanos()), builds::add, Duration.ZERO);
    ServerIdentity identity = new ServerIdentity(new UUID(1, 2), 9042, "5.0.9");
    Planner planner = new Planner(new ServerCatalog(identity, List.of(), users), users);
    return new Opened(users, new Asking(() -> planner, "k"));
  }

  @BeforeEach
  void makesATable() {
    run(
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}",
        "CREATE TABLE t (p int, c int, v int, PRIMARY KEY (p, c))");
    for (int from = 0; from < ROWS; from += 500) {
      StringBuilder batch = new StringBuilder("BEGIN UNLOGGED BATCH ");
      for (int c = from; c < from + 500; c++) {
        batch.append("INSERT INTO t (p, c, v) VALUES (1, %d, %d); ".formatted(c, c % 500 / 498));
      }
      run(batch.append("APPLY BATCH").toString());
    }
  }

  @AfterEach
  void closes() {
    store.close();
  }

  private void run(String... statements) {
    for (String statement : statements) {
      opened.asking.run(statement);
    }
  }

  private List<String> rows(String statement) {
    return opened.asking.rows(statement);
  }

  private void build() {
    while (!builds.isEmpty()) {
      builds.poll().run();
    }
  }

  @Test
  void queriesAreRefusedUntilAllRowsAreThere() {
    run("CREATE INDEX i ON t (v)");
    assertFalse(opened.isBuilt());
    assertEquals(
        "1001 The secondary index 'i' is not yet available: it is being built; see widerow.indexes",
        opened.asking.refusal(FIND));
    assertEquals(List.of("[k, t, i, 0, building]"), rows("SELECT * FROM widerow.indexes"));
    assertEquals(List.of(), rows("SELECT index_name FROM system.\"IndexInfo\""));
    assertEquals(List.of("[498]"), rows("SELECT c FROM t WHERE p = 1 AND v = 1 LIMIT 1"));
    run(
        "DELETE FROM t WHERE p = 1 AND c = 498",
        "UPDATE t SET v = 1 WHERE p = 1 AND c = 7",
        "INSERT INTO t (p, c, v) VALUES (1, 9999, 1)");
    build();
    assertEquals(List.of("[7]", "[499]", "[998]"), rows(FIND));
    assertEquals(
        List.of("[7]", "[499]", "[998]", "[999]", "[1498]", "[1499]", "[9999]"),
        rows("SELECT c FROM t WHERE v = 1"));
    assertEquals(List.of("[k, t, i, 0, built]"), rows("SELECT * FROM widerow.indexes"));
    assertEquals(List.of("[i]"), rows("SELECT index_name FROM system.\"IndexInfo\""));
  }

  @Test
  void aBuildContinuesAfterACrashWhereItWas() {
    run("CREATE INDEX i ON t (v)");
    int[] states = new int[3]; // not begun, in the middle, built
    disk.beforeEach(() -> {
      SimDisk crashed = disk.crash(random.nextBoolean());
      try (EmbeddedStore after = SimStore.open(crashed, clock, random, Runnable::run)) {
        Map<Integer, byte[]> left =
            StoredSchema.readable(after.extension(TableEngine.class)).builds();
        boolean inTheMiddle = left.values().stream().anyMatch(from -> from.length > 0);
        Opened again = open(after);
        assertEquals(left.isEmpty(), again.isBuilt());
        states[left.isEmpty() ? 2 : inTheMiddle ? 1 : 0]++;
        again.tables.continueBuilds();
        build();
        assertTrue(again.isBuilt());
        assertEquals(
            List.of("[498]", "[499]", "[998]", "[999]", "[1498]", "[1499]"),
            again.asking.rows("SELECT c FROM t WHERE v = 1"));
      }
    });
    Runnable building = builds.poll();
    assertEquals(0, builds.size());
    building.run();
    disk.beforeEach(() -> {});
    assertTrue(
        states[0] > 0 && states[1] > 0, "%d, %d, %d".formatted(states[0], states[1], states[2]));
  }

  @Test
  void aBuildEndsWithItsIndex() {
    run("CREATE INDEX i ON t (v)", "DROP INDEX i", "CREATE INDEX i ON t (v)", "TRUNCATE t");
    run("INSERT INTO t (p, c, v) VALUES (1, 5, 1)");
    assertTrue(opened.isBuilt(), "an empty table has no rows to build");
    assertEquals(List.of("[5]"), rows(FIND));
    build();
    assertEquals(List.of("[5]"), rows(FIND));
    assertEquals(Map.of(), StoredSchema.readable(store.extension(TableEngine.class)).builds());
  }

  @Test
  void aBuildThatIsEndedContinuesAtTheNextStart() {
    run("CREATE INDEX i ON t (v)");
    opened.tables.endBuilds();
    build();
    assertFalse(opened.isBuilt());
    Opened again = open(store);
    again.tables.continueBuilds();
    build();
    assertEquals(List.of("[498]", "[499]", "[998]"), again.asking.rows(FIND));
  }
}
