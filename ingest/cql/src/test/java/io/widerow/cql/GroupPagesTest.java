package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.events.EventSource;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: pages of groups show each group that lives all the time once, whatever is deleted or
/// inserted between two pages. Method: statements page by page, and changes before the position,
/// over the model of the store of tables.
class GroupPagesTest {
  private final Asking asking = new TableServer().asking("k");

  @BeforeEach
  void makesATable() {
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TABLE t (p int, c int, d int, PRIMARY KEY (p, c, d))");
    for (int p = 1; p <= 6; p++) {
      insert(p, 1, 1);
      insert(p, 1, 2);
      insert(p, 2, 1);
    }
  }

  private void insert(int p, int c, int d) {
    asking.run("INSERT INTO t (p, c, d) VALUES (%d, %d, %d)".formatted(p, c, d));
  }

  /// All pages of two rows, with a change after the first one.
  private List<String> pages(String statement, Runnable change) {
    return pages(asking, statement, change);
  }

  private static List<String> pages(Asking asking, String statement, Runnable change) {
    Prepared prepared = asking.prepare(statement);
    List<String> rows = new ArrayList<>();
    ByteBuffer position = null;
    do {
      QueryRows.Rows page = Asking.execute(prepared, List.of(), 2, position);
      assertTrue(page.count() <= 2);
      rows.addAll(Asking.texts(page));
      if (position == null) {
        change.run();
      }
      position = page.position();
    } while (position != null);
    return rows;
  }

  @Test
  void distinctPartitionsAreShownOnceWhenOthersGoAndCome() {
    String distinct = "SELECT DISTINCT p FROM t";
    List<String> all = asking.rows(distinct);
    assertEquals(6, all.size());
    String first = all.getFirst().replaceAll("\\D", "");
    List<String> without = pages(distinct, () -> asking.run("DELETE FROM t WHERE p = " + first));
    assertEquals(all, without);
    List<String> five = asking.rows(distinct);
    assertEquals(five, pages(distinct, () -> insert(Integer.parseInt(first), 1, 1)));
  }

  @Test
  void theLastGroupOfAPageIsNotShownAgain() {
    String second = asking.rows("SELECT DISTINCT p FROM t").get(1).replaceAll("\\D", "");
    String counts = "SELECT p, count(*) FROM t GROUP BY p";
    List<String> all = asking.rows(counts);
    assertEquals(all, pages(counts, () -> insert(Integer.parseInt(second), 9, 9)));
    List<String> gone =
        pages(counts, () -> asking.run("DELETE FROM t WHERE p = %s AND c = 1".formatted(second)));
    assertEquals(6, gone.size());
  }

  @Test
  void groupsOfOnePartition() {
    IntStream.range(3, 7).forEach(c -> insert(1, c, 1));
    String groups = "SELECT c, count(*) FROM t WHERE p = 1 GROUP BY c";
    List<String> all = asking.rows(groups);
    assertEquals(List.of("[1, 2]", "[2, 1]", "[3, 1]", "[4, 1]", "[5, 1]", "[6, 1]"), all);
    assertEquals(
        all, pages(groups, () -> asking.run("DELETE FROM t WHERE p = 1 AND c = 1")), "deleted");
    assertEquals(all.subList(1, 6), pages(groups, () -> insert(1, 0, 1)), "inserted before");
    String down = "SELECT c FROM t WHERE p = 1 GROUP BY c ORDER BY c DESC";
    assertEquals(
        List.of("[6]", "[5]", "[4]", "[3]", "[2]", "[0]"),
        pages(down, () -> asking.run("DELETE FROM t WHERE p = 1 AND c = 6")));
  }

  @Test
  void limitsCountOverPages() {
    String two = "SELECT p, c FROM t GROUP BY p, c PER PARTITION LIMIT 1";
    assertEquals(asking.rows(two), pages(two, () -> {}));
    assertEquals(6, asking.rows(two).size());
    String five = "SELECT p, c FROM t GROUP BY p, c LIMIT 5";
    assertEquals(asking.rows(five), pages(five, () -> {}));
    String all = "SELECT p, c, d FROM t GROUP BY p, c, d PER PARTITION LIMIT 2";
    assertEquals(asking.rows(all), pages(all, () -> {}));
  }

  @Test
  void ordersOverPartitionsAreOnePage() {
    String mixed = "SELECT p, c, count(*) FROM t WHERE p IN (1, 2) GROUP BY p, c ORDER BY c";
    List<String> groups = List.of("[1, 1, 2]", "[2, 1, 2]", "[1, 2, 1]", "[2, 2, 1]");
    assertEquals(groups, asking.rows(mixed));
    QueryRows.Rows page = Asking.execute(asking.prepare(mixed), List.of(), 2, null);
    assertEquals(groups, Asking.texts(page));
    assertEquals(null, page.position());
  }

  @Test
  void partitionsWithStaticColumnsAlone() {
    asking.run("CREATE TABLE s (p int, s int STATIC, c int, PRIMARY KEY (p, c))");
    for (int p = 1; p <= 6; p++) {
      asking.run("INSERT INTO s (p, s) VALUES (%d, %d)".formatted(p, p));
    }
    String distinct = "SELECT DISTINCT p, s FROM s";
    List<String> all = asking.rows(distinct);
    assertEquals(6, all.size());
    String second = all.get(1).replaceAll(",.*|\\D", "");
    String row = "INSERT INTO s (p, c) VALUES (%s, 1)".formatted(second);
    assertEquals(all, pages(asking, distinct, () -> asking.run(row)));
    assertEquals(6, asking.rows("SELECT p, c FROM s GROUP BY p, c", 2).size());
  }

  @Test
  void typesOfEvents(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(8 << 20, 64 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      for (String type : List.of("b", "c", "d", "e", "f")) {
        event(store, type);
      }
      EventSource source = new EventSource(store::view, QueryMemory.unlimited());
      ServerIdentity identity = new ServerIdentity(new UUID(1, 2), 9042, "5.0.9");
      Asking events = new Asking(new ServerCatalog(identity, List.of(source)));
      String distinct = "SELECT DISTINCT type FROM widerow.events";
      List<String> all = List.of("[b]", "[c]", "[d]", "[e]", "[f]");
      assertEquals(all, pages(events, distinct, () -> event(store, "a")));
      List<String> more = pages(events, distinct, () -> event(store, "bb"));
      assertEquals(List.of("[a]", "[b]", "[bb]", "[c]", "[d]", "[e]", "[f]"), more);
    }
  }

  private static void event(EmbeddedStore store, String type) {
    StoreDirectory.append(
        store, List.of(new Stored(type, 1_763_666_100_000_000_000L, Map.of("n", 1L))));
  }

  @Test
  void aPositionOfAnEarlierVersionIsRefused() {
    ByteBuffer earlier = ByteBuffer.allocate(12).putLong(Long.MAX_VALUE).putInt(2).flip();
    Prepared prepared = asking.prepare("SELECT p FROM t GROUP BY p");
    CqlException refused =
        assertThrows(CqlException.class, () -> Asking.execute(prepared, List.of(), 2, earlier));
    assertEquals(
        "Invalid value for the paging state: it has an earlier version, query from the start",
        refused.sentence());
  }
}
