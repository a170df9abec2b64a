package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: materialized views by the rules and in the words of Cassandra. Method: statements and
/// their answers, over the model of the store of tables.
class ViewsLanguageTest extends LanguageTest {
  @BeforeEach
  void makesATable() {
    run(
        "CREATE TABLE likes (item text, liked timestamp, customer text, stars int, tags set<text>,"
            + " PRIMARY KEY (item, liked)) WITH CLUSTERING ORDER BY (liked DESC)");
  }

  private static String view(String name, String columns, String key) {
    return "CREATE MATERIALIZED VIEW %s AS SELECT %s FROM likes WHERE %s PRIMARY KEY (%s)"
        .formatted(name, columns, notNull(key), key);
  }

  private static String notNull(String key) {
    String names = key.replace("(", "").replace(")", "");
    return names.replace(",", " IS NOT NULL AND") + " IS NOT NULL";
  }

  @Test
  void bothDirectionsByOneWrite() {
    run(
        "INSERT INTO likes (item, liked, customer, stars) VALUES ('i1', 1000, 'anna', 5)",
        "INSERT INTO likes (item, liked, customer, stars) VALUES ('i2', 2000, 'anna', 4)",
        "INSERT INTO likes (item, liked, stars) VALUES ('i3', 3000, 3)",
        view("by_customer", "*", "customer, liked, item"),
        "INSERT INTO likes (item, liked, customer, stars) VALUES ('i4', 4000, 'bert', 2)");
    assertRows("SELECT item FROM by_customer WHERE customer = 'anna'", "[i2]", "[i1]");
    assertRows(
        "SELECT item, stars FROM by_customer WHERE customer IN ('anna', 'bert') ORDER BY liked ASC",
        "[i1, 5]",
        "[i2, 4]",
        "[i4, 2]");
    run("UPDATE likes SET customer = 'bert' WHERE item = 'i1' AND liked = 1000");
    assertRows("SELECT item FROM by_customer WHERE customer = 'bert'", "[i4]", "[i1]");
    run("DELETE FROM likes WHERE item = 'i4'");
    assertRows("SELECT item FROM by_customer WHERE customer = 'bert'", "[i1]");
    run("DELETE customer FROM likes WHERE item = 'i1' AND liked = 1000");
    assertRows("SELECT item FROM by_customer", "[i2]");
    run("TRUNCATE likes");
    assertRows("SELECT item FROM by_customer");
    run("INSERT INTO likes (item, liked, customer) VALUES ('i1', 1000, 'carl')");
    server.restart();
    run("UPDATE likes SET stars = 1 WHERE item = 'i1' AND liked = 1000");
    assertRows("SELECT customer, stars FROM by_customer", "[carl, 1]");
  }

  @Test
  void aTableWithoutAKeyspaceIsOneOfTheViews() {
    run(
        "CREATE KEYSPACE other WITH replication = {'class': 'SimpleStrategy', 'replication_factor':"
            + " 1}");
    run("CREATE TABLE other.likes (item text PRIMARY KEY, stars int)");
    run("INSERT INTO other.likes (item, stars) VALUES ('i9', 9)");
    run(view("other.v", "*", "stars, item"));
    assertRows("SELECT item FROM other.v WHERE stars = 9", "[i9]");
    assertRefused(
        view("v", "*", "stars, item").replace("FROM likes", "FROM other.likes"),
        "2200 Cannot create a materialized view on a table in a different keyspace");
  }

  /// Drivers read again what an event names, and nothing else.
  @Test
  void clientsAreToldOfEachTableThatAChangeReaches() {
    run(
        "CREATE TYPE colour (red int)",
        "ALTER TABLE likes ADD colour frozen<colour>",
        view("every", "*", "stars, item, liked"),
        view("some", "item, liked, stars", "stars, item, liked"));
    List<String> changes = server.changes();
    run("ALTER TABLE likes ADD title text");
    assertEquals(List.of("UPDATED TABLE likes", "UPDATED TABLE every"), changes);
    changes.clear();
    run("ALTER TYPE colour ADD blue int");
    assertEquals(
        List.of("UPDATED TYPE colour", "UPDATED TABLE every", "UPDATED TABLE likes"), changes);
    changes.clear();
    run("ALTER TABLE likes WITH comment = 'c'");
    assertEquals(List.of("UPDATED TABLE likes"), changes);
  }

  @Test
  void expiryAndTimesAreThoseOfTheTable() {
    run(
        view("v", "item, liked, customer, stars", "customer, item, liked"),
        "INSERT INTO likes (item, liked, customer) VALUES ('i', 1, 'anna') USING TIMESTAMP 7",
        "UPDATE likes USING TIMESTAMP 9 AND TTL 100 SET stars = 5 WHERE item = 'i' AND liked = 1");
    assertRows("SELECT stars, writetime(stars), ttl(stars) FROM v", "[5, 9, 100]");
    server.pass(Duration.ofSeconds(101));
    assertRows("SELECT customer, stars FROM v", "[anna, null]");
    run(
        "UPDATE likes USING TTL 50 SET customer = 'bert' WHERE item = 'i' AND liked = 1",
        "UPDATE likes SET stars = 4 WHERE item = 'i' AND liked = 1");
    assertRows("SELECT customer, stars FROM v", "[bert, 4]");
    server.pass(Duration.ofSeconds(51));
    assertRows("SELECT customer, stars FROM v");
    run(
        "UPDATE likes SET stars = null WHERE item = 'i' AND liked = 1",
        "UPDATE likes SET customer = 'bert' WHERE item = 'i' AND liked = 1");
    assertRows("SELECT customer, stars FROM v", "[bert, null]");
  }

  @Test
  void aViewFollowsTheColumnsOfItsTable() {
    run(
        view("v", "*", "stars, item, liked"),
        "ALTER TABLE likes ADD note text",
        "ALTER TABLE likes RENAME item TO thing",
        "INSERT INTO likes (thing, liked, stars, note) VALUES ('i', 1, 5, 'x')");
    assertRows("SELECT thing, stars, note FROM v", "[i, 5, x]");
    server.restart();
    assertRows("SELECT thing, stars, note FROM v", "[i, 5, x]");
    assertRows(
        "SELECT view_name, base_table_name, include_all_columns, where_clause FROM"
            + " system_schema.views WHERE keyspace_name = 'k'",
        "[v, likes, true, stars IS NOT NULL AND thing IS NOT NULL AND liked IS NOT NULL]");
    assertRows("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'k'", "[likes]");
    assertRows(
        "SELECT column_name, kind FROM system_schema.columns WHERE keyspace_name = 'k' AND"
            + " table_name = 'v' AND column_name = 'stars'",
        "[stars, partition_key]");
    assertRefused(
        "ALTER TABLE likes DROP note",
        "2200 Cannot drop column note on base table likes with materialized views");
    assertRefused(
        "DROP TABLE likes",
        "2200 Cannot drop a table when materialized views still depend on it (v)");
    List<String> described = asking.rows("DESCRIBE TABLE likes");
    assertEquals(2, described.size());
    String statement =
        """
        [k, materialized_view, v, CREATE MATERIALIZED VIEW k.v AS
            SELECT *
            FROM k.likes
            WHERE stars IS NOT NULL AND thing IS NOT NULL AND liked IS NOT NULL
            PRIMARY KEY (stars, thing, liked)
         WITH CLUSTERING ORDER BY (thing ASC, liked DESC)
        """;
    assertTrue(described.getLast().startsWith(statement), described.getLast());
    assertEquals(described.subList(1, 2), asking.rows("DESCRIBE MATERIALIZED VIEW v"));
    run(
        "ALTER MATERIALIZED VIEW v WITH comment = 'by stars'",
        "DROP MATERIALIZED VIEW v",
        "DROP MATERIALIZED VIEW IF EXISTS v",
        "ALTER TABLE likes DROP note",
        "DROP TABLE likes");
    assertRows("SELECT view_name FROM system_schema.views");
  }

  @Test
  void nothingIsWrittenToAView() {
    run(view("v", "*", "stars, item, liked"));
    String modify = "2200 Cannot directly modify a materialized view";
    assertRefused("INSERT INTO v (stars, item, liked) VALUES (1, 'i', 1)", modify);
    assertRefused(
        "UPDATE v SET customer = 'x' WHERE stars = 1 AND item = 'i' AND liked = 1", modify);
    assertRefused("DELETE FROM v WHERE stars = 1", modify);
    assertRefused(
        "TRUNCATE v",
        "2200 Cannot TRUNCATE materialized view directly; must truncate base table instead");
    assertRefused(
        "DROP TABLE v",
        "2200 Cannot use DROP TABLE on a materialized view. Please use DROP MATERIALIZED VIEW"
            + " instead.");
    assertRefused(
        "ALTER TABLE v ADD x int",
        "2200 Cannot use ALTER TABLE on a materialized view; use ALTER MATERIALIZED VIEW instead");
    assertRefused(
        view("w", "*", "stars, item, liked").replace("FROM likes", "FROM v"),
        "2200 Materialized views cannot be created against other materialized views");
    assertRefused(
        "ALTER MATERIALIZED VIEW v WITH gc_grace_seconds = 0",
        "2200 Cannot alter gc_grace_seconds of a materialized view to 0, since this value is used"
            + " to TTL undelivered updates. Setting gc_grace_seconds too low might cause"
            + " undelivered updates to expire before being replayed.");
    assertRefused("DROP MATERIALIZED VIEW likes", "2200 Materialized view 'k.likes' doesn't exist");
    assertRefused(
        "ALTER MATERIALIZED VIEW x WITH comment = ''",
        "2200 Materialized view 'k.x' doesn't exist");
  }

  @Test
  void whichViewsATableMayHave() {
    run(
        "CREATE TABLE c (p int PRIMARY KEY, n counter)",
        "CREATE TABLE s (p int, c int, z int static, d decimal, PRIMARY KEY ((p, d), c))",
        view("v", "*", "stars, item, liked"),
        view("v", "*", "stars, item, liked").replace("VIEW v", "VIEW IF NOT EXISTS v"));
    assertRefused(
        view("v", "*", "stars, item, liked"),
        "2400 Cannot add already existing table \"v\" to keyspace \"k\"");
    assertRefused(
        view("s", "*", "stars, item, liked"),
        "2200 Cannot create materialized view 's' - a table with the same name already exists");
    assertRefused(
        view("w", "*", "stars, item"),
        "2200 Cannot create materialized view 'w' without primary key columns liked from base table"
            + " 'likes'");
    assertRefused(
        view("w", "*", "stars, customer, item, liked"),
        "2200 Cannot include more than one non-primary key column in materialized view primary key"
            + " (got customer, stars)");
    assertRefused(
        view("w", "*", "stars, item, liked").replace(" AND liked IS NOT NULL", ""),
        "2200 Primary key columns liked must be restricted with 'IS NOT NULL' or otherwise");
    assertRefused(
        view("w", "item, liked", "stars, item, liked"),
        "2200 Unknown column 'stars' referenced in PRIMARY KEY for materialized view 'w'");
    assertRefused(
        view("w", "*", "item, item, liked"),
        "2200 Duplicate column 'item' in PRIMARY KEY clause for materialized view 'w'");
    assertRefused(view("w", "x", "item, liked"), "2200 Undefined column name x in table k.likes");
    assertRefused(
        view("w", "item AS i, liked", "item, liked"),
        "2200 Cannot use aliases when defining a materialized view (got item AS i)");
    assertRefused(
        view("w", "*", "tags, item, liked"),
        "2200 Invalid non-frozen collection type 'set<text>' for PRIMARY KEY column 'tags'");
    assertRefused(
        view("w", "*", "item, liked") + " WITH default_time_to_live = 5",
        "2200 Cannot set default_time_to_live for a materialized view. Data in a materialized view"
            + " always expire at the same time than the corresponding data in the parent table.");
    assertRefused(
        "CREATE MATERIALIZED VIEW w AS SELECT * FROM c WHERE p IS NOT NULL PRIMARY KEY (p)",
        "2200 Materialized views are not supported on counter tables");
    String statics = "CREATE MATERIALIZED VIEW w AS SELECT * FROM s WHERE p IS NOT NULL";
    assertRefused(
        statics + " PRIMARY KEY (p)",
        "2200 Cannot include static column 'z' in materialized view 'w'");
    assertRefused(
        "CREATE MATERIALIZED VIEW w AS SELECT * FROM nosuch WHERE p IS NOT NULL PRIMARY KEY (p)",
        "2200 Base table 'nosuch' doesn't exist");
    assertEquals(List.of("[v]"), asking.rows("SELECT view_name FROM system_schema.views"));
  }

  @Test
  void aWriteThatItsViewCannotHaveIsRefused() {
    run(
        view("v", "*", "customer, item, liked"),
        "INSERT INTO likes (item, liked, customer) VALUES ('i', 1, 'anna')");
    assertRefused(
        "INSERT INTO likes (item, liked, customer) VALUES ('i', 1, '')",
        "2200 Key may not be empty");
    assertRows("SELECT customer FROM likes", "[anna]");
    assertRows("SELECT customer FROM v", "[anna]");
  }
}
