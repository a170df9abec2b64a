package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: secondary indexes by the rules and in the words of Cassandra. Method: statements and their
/// answers, over the model of the store of tables.
class IndexesLanguageTest extends LanguageTest {
  private static final String FILTERING =
      "2200 Cannot execute this query as it might involve data filtering and thus may have"
          + " unpredictable performance. If you want to execute this query despite the performance"
          + " unpredictability, use ALLOW FILTERING";

  @BeforeEach
  void makesATable() {
    run(
        "CREATE TABLE mail (box text, sent timestamp, sender text, bytes int, score double,"
            + " labels set<text>, heads map<text, text>, parts frozen<list<int>>,"
            + " owner text static, PRIMARY KEY (box, sent))");
  }

  @Test
  void anIndexFindsRowsThatWereAndAreWritten() {
    run(
        "INSERT INTO mail (box, sent, sender, bytes) VALUES ('a', 1, 'anna', 10)",
        "INSERT INTO mail (box, sent, sender, bytes) VALUES ('b', 2, 'anna', 20)",
        "CREATE INDEX ON mail (sender)",
        "INSERT INTO mail (box, sent, sender, bytes) VALUES ('a', 3, 'bert', 30)",
        "UPDATE mail SET sender = 'bert' WHERE box = 'b' AND sent = 2");
    assertRows("SELECT bytes FROM mail WHERE sender = 'anna'", "[10]");
    assertRows("SELECT bytes FROM mail WHERE sender = 'bert'", "[30]", "[20]");
    assertRows("SELECT bytes FROM mail WHERE box = 'a' AND sender = 'bert'", "[30]");
    assertRows("SELECT bytes FROM mail WHERE box = 'a' AND sent > 3 AND sender = 'bert'");
    run("DELETE sender FROM mail WHERE box = 'a' AND sent = 3", "DELETE FROM mail WHERE box = 'b'");
    assertRows("SELECT bytes FROM mail WHERE sender = 'bert'");
    server.restart();
    assertRows("SELECT bytes FROM mail WHERE sender = 'anna'", "[10]");
    run("TRUNCATE mail", "INSERT INTO mail (box, sent, sender) VALUES ('c', 4, 'carl')");
    assertRows("SELECT box FROM mail WHERE sender = 'carl'", "[c]");
    assertRows("SELECT box FROM mail WHERE sender = 'anna'");
    run("DROP INDEX mail_sender_idx");
    assertRefused("SELECT box FROM mail WHERE sender = 'carl'", FILTERING);
  }

  @Test
  void entriesExpireWithTheirCells() {
    run(
        "CREATE INDEX ON mail (sender)",
        "CREATE INDEX ON mail (labels)",
        "INSERT INTO mail (box, sent, sender) VALUES ('a', 1, 'anna') USING TTL 50",
        "UPDATE mail USING TTL 100 SET labels = labels + {'x'} WHERE box = 'a' AND sent = 1");
    assertRows("SELECT box FROM mail WHERE sender = 'anna'", "[a]");
    server.pass(Duration.ofSeconds(51));
    assertRows("SELECT box FROM mail WHERE sender = 'anna'");
    assertRows("SELECT box, sender FROM mail WHERE labels CONTAINS 'x'", "[a, null]");
    server.pass(Duration.ofSeconds(50));
    assertRows("SELECT box FROM mail WHERE labels CONTAINS 'x'");
  }

  @Test
  void anOlderWriteChangesNoIndex() {
    run(
        "CREATE INDEX ON mail (sender)",
        "UPDATE mail USING TIMESTAMP 100 SET sender = 'new' WHERE box = 'a' AND sent = 1",
        "UPDATE mail USING TIMESTAMP 50 SET sender = 'old' WHERE box = 'a' AND sent = 1",
        "DELETE FROM mail USING TIMESTAMP 60 WHERE box = 'a' AND sent = 1");
    assertRows("SELECT box FROM mail WHERE sender = 'old'");
    assertRows("SELECT box FROM mail WHERE sender = 'new'", "[a]");
  }

  @Test
  void storageAttachedIndexesServeRangesAndSeveralColumns() {
    run(
        "CREATE INDEX ON mail (bytes) USING 'sai'",
        "CREATE CUSTOM INDEX by_score ON mail (score) USING 'StorageAttachedIndex'",
        "CREATE INDEX ON mail (sender) USING 'sai'",
        "CREATE INDEX ON mail (sent) USING 'sai'");
    for (int i = 0; i < 10; i++) {
      run(
          "INSERT INTO mail (box, sent, bytes, score, sender) VALUES ('b%d', %d, %d, -%d.5, 's%d')"
              .formatted(i % 3, i, i, i, i % 2));
    }
    assertEquals(3, asking.rows("SELECT * FROM mail WHERE bytes > 2 AND bytes <= 5").size());
    assertEquals(4, asking.rows("SELECT * FROM mail WHERE score > -4.0", 1).size());
    assertEquals(
        asking.rows("SELECT * FROM mail WHERE bytes >= 4 AND sender = 's0' ALLOW FILTERING"),
        asking.rows("SELECT * FROM mail WHERE bytes >= 4 AND sender = 's0'", 2));
    assertEquals(2, asking.rows("SELECT * FROM mail WHERE sent >= 8").size());
    assertRefused("SELECT * FROM mail WHERE sender > 's'", FILTERING);
    assertRefused("SELECT * FROM mail WHERE bytes > 1 AND owner = 'x'", FILTERING);
    run("CREATE INDEX ON mail (owner)");
    assertRefused("SELECT * FROM mail WHERE bytes > 1 AND owner = 'x'", FILTERING);
  }

  @Test
  void aLocalIndexServesOneCondition() {
    run("CREATE INDEX ON mail (sender)", "CREATE INDEX ON mail (bytes)");
    run("INSERT INTO mail (box, sent, sender, bytes) VALUES ('a', 1, 'anna', 10)");
    assertRefused("SELECT * FROM mail WHERE sender = 'anna' AND bytes = 10", FILTERING);
    assertRefused("SELECT * FROM mail WHERE bytes > 5", FILTERING);
    assertRefused("SELECT * FROM mail WHERE bytes IN (10, 11)", FILTERING);
    assertRows("SELECT box FROM mail WHERE bytes IN (10)", "[a]");
    assertRows("SELECT box FROM mail WHERE sender = 'anna' AND bytes = 10 ALLOW FILTERING", "[a]");
    assertRows("SELECT box FROM mail WHERE bytes > 5 ALLOW FILTERING", "[a]");
    assertRefused("SELECT * FROM mail WHERE sender = 'anna' AND sent = 1", FILTERING);
    assertRefused(
        "SELECT * FROM mail WHERE box IN ('a', 'b') AND sender = 'anna'",
        "2200 Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    assertRefused(
        "SELECT * FROM mail WHERE box = 'a' AND sender = 'anna' ORDER BY sent DESC",
        "2200 ORDER BY with 2ndary indexes is not supported, except for ANN queries.");
  }

  @Test
  void partsOfCollectionsAreIndexed() {
    run(
        "CREATE INDEX ON mail (labels)",
        "CREATE INDEX ON mail (keys(heads))",
        "CREATE INDEX ON mail (entries(heads))",
        "CREATE INDEX ON mail (values(heads))",
        "CREATE INDEX ON mail (full(parts))",
        "INSERT INTO mail (box, sent, labels, heads, parts) VALUES"
            + " ('a', 1, {'x', 'y'}, {'to': 'bert', 'cc': 'carl'}, [1, 2])",
        "UPDATE mail SET heads = heads - {'cc'}, labels = labels - {'x'} WHERE box = 'a' AND sent"
            + " = 1",
        "UPDATE mail SET heads['to'] = 'dora' WHERE box = 'a' AND sent = 1");
    assertRows("SELECT box FROM mail WHERE labels CONTAINS 'x'");
    assertRows("SELECT box FROM mail WHERE labels CONTAINS 'y'", "[a]");
    assertRows("SELECT box FROM mail WHERE heads CONTAINS KEY 'to'", "[a]");
    assertRows("SELECT box FROM mail WHERE heads CONTAINS KEY 'cc'");
    assertRows("SELECT box FROM mail WHERE heads CONTAINS 'bert'");
    assertRows("SELECT box FROM mail WHERE heads['to'] = 'dora'", "[a]");
    assertRows("SELECT box FROM mail WHERE parts = [1, 2]", "[a]");
    assertRows("SELECT box FROM mail WHERE parts = [1]");
  }

  @Test
  void staticColumnsAndPartsOfKeysAreIndexed() {
    run(
        "CREATE INDEX ON mail (owner)",
        "CREATE TABLE days (y int, m int, d int, s int static, v int, PRIMARY KEY ((y, m), d))",
        "CREATE INDEX ON days (m)",
        "UPDATE mail SET owner = 'anna' WHERE box = 'empty'",
        "INSERT INTO mail (box, sent, owner) VALUES ('full', 1, 'anna')",
        "INSERT INTO mail (box, sent) VALUES ('full', 2)",
        "UPDATE days SET s = 1 WHERE y = 2025 AND m = 7",
        "INSERT INTO days (y, m, d) VALUES (2026, 7, 1)",
        "INSERT INTO days (y, m, d) VALUES (2026, 8, 1)");
    List<String> rows = asking.rows("SELECT box, sent FROM mail WHERE owner = 'anna'", 1);
    assertEquals(3, rows.size(), rows.toString());
    assertEquals(
        asking.rows("SELECT box, sent FROM mail WHERE owner = 'anna' ALLOW FILTERING"), rows);
    assertEquals(2, asking.rows("SELECT DISTINCT box FROM mail WHERE owner = 'anna'", 1).size());
    assertEquals(2, asking.rows("SELECT y, d FROM days WHERE m = 7").size());
    run("DELETE FROM days WHERE y = 2026 AND m = 7");
    assertRows("SELECT y, d, s FROM days WHERE m = 7", "[2025, null, 1]");
  }

  /// Values that are longer than the part of them that an index has share entries; and a value that
  /// is longer than Cassandra takes is refused.
  @Test
  void longValues() {
    String common = "x".repeat(2_000);
    run(
        "CREATE INDEX ON mail (sender)",
        "INSERT INTO mail (box, sent, sender) VALUES ('a', 1, '%s1')".formatted(common),
        "INSERT INTO mail (box, sent, sender) VALUES ('b', 1, '%s2')".formatted(common));
    assertRows("SELECT box FROM mail WHERE sender = '%s2'".formatted(common), "[b]");
    String tooLong = "x".repeat(65_536);
    assertRefused(
        "INSERT INTO mail (box, sent, sender) VALUES ('c', 1, '%s')".formatted(tooLong),
        "2200 Cannot index value of size 65536 for index mail_sender_idx on k.mail(sender)"
            + " (maximum allowed size=65535)");
    assertRefused(
        "SELECT box FROM mail WHERE sender = '%s'".formatted(tooLong),
        "2200 Index expression values may not be larger than 64K");
    run(
        "DROP INDEX mail_sender_idx",
        "INSERT INTO mail (box, sent, sender) VALUES ('c', 1, '%s')".formatted(tooLong),
        "CREATE INDEX ON mail (sender)",
        "UPDATE mail SET bytes = 1 WHERE box = 'c' AND sent = 1");
    assertRows("SELECT box FROM mail WHERE sender = '%s1'".formatted(common), "[a]");
  }

  @Test
  void definitions() {
    run(
        "CREATE INDEX IF NOT EXISTS ON mail (sender)",
        "CREATE INDEX IF NOT EXISTS ON mail (sender)",
        "CREATE INDEX \"ByBytes\" ON k.mail (bytes) USING 'legacy_local_table'",
        "CREATE CUSTOM INDEX by_label ON mail (values(labels)) USING"
            + " 'org.apache.cassandra.index.sai.StorageAttachedIndex' WITH OPTIONS ="
            + " {'case_sensitive': 'true'}");
    assertRows(
        "SELECT index_name, kind, options FROM system_schema.indexes WHERE keyspace_name = 'k'",
        "[ByBytes, COMPOSITES, {target=bytes}]",
        "[by_label, CUSTOM, {case_sensitive=true,"
            + " class_name=org.apache.cassandra.index.sai.StorageAttachedIndex,"
            + " target=values(labels)}]",
        "[mail_sender_idx, COMPOSITES, {target=sender}]");
    assertRows(
        "DESCRIBE INDEX mail_sender_idx",
        "[k, index, mail_sender_idx, CREATE INDEX mail_sender_idx ON k.mail (sender);]");
    List<String> described = asking.rows("DESCRIBE TABLE mail");
    assertEquals(4, described.size());
    assertEquals(
        "[k, index, \"ByBytes\", CREATE INDEX \"ByBytes\" ON k.mail (bytes);]", described.get(1));
    assertEquals(described.subList(1, 2), asking.rows("DESCRIBE k.\"ByBytes\""));
    server.restart();
    assertEquals(described, asking.rows("DESCRIBE TABLE mail"));
    run("DROP INDEX k.\"ByBytes\"", "DROP INDEX IF EXISTS \"ByBytes\"", "DROP INDEX IF EXISTS x.y");
    run("DROP TABLE mail");
    assertRows("SELECT index_name FROM system_schema.indexes WHERE keyspace_name = 'k'");
  }

  @Test
  void refusedDefinitions() {
    run(
        "CREATE INDEX ON mail (sender)",
        "CREATE INDEX ON mail (sent) USING 'sai'",
        "CREATE TYPE pair (a int, b int)",
        "CREATE TABLE hits (p int PRIMARY KEY, n counter)",
        "CREATE TABLE odd (p int PRIMARY KEY, d duration, b blob, u frozen<pair>, w pair)",
        "CREATE INDEX ON odd (u)",
        "CREATE MATERIALIZED VIEW by_sent AS SELECT box, sent FROM mail WHERE box IS NOT NULL AND"
            + " sent IS NOT NULL PRIMARY KEY (sent, box)");
    String[][] refused = {
      {
        "CREATE INDEX ON mail (sender)",
        "2200 Index mail_sender_idx_1 is a duplicate of existing index mail_sender_idx"
      },
      {
        "CREATE INDEX mail_sender_idx ON mail (bytes)",
        "2200 Index 'mail_sender_idx' already exists"
      },
      {
        "CREATE INDEX ON mail (sent) USING 'StorageAttachedIndex'",
        "2200 Cannot create more than one storage-attached index on the same column: sent"
      },
      {"CREATE INDEX ON mail (nosuch)", "2200 Undefined column name nosuch in table k.mail"},
      {"CREATE INDEX ON nosuch (v)", "2200 Table 'nosuch' doesn't exist"},
      {
        "CREATE INDEX ON mail (box)",
        "2200 Cannot create secondary index on the only partition key column box"
      },
      {
        "CREATE INDEX ON mail (parts)",
        "2200 Cannot create values() index on frozen column parts. Frozen collections are immutable"
            + " and must be fully indexed by using the 'full(parts)' modifier"
      },
      {
        "CREATE INDEX ON mail (full(labels))",
        "2200 full() indexes can only be created on frozen collections"
      },
      {
        "CREATE INDEX ON mail (keys(labels))",
        "2200 Cannot create index on keys of column labels with non-map type"
      },
      {
        "CREATE INDEX ON mail (values(bytes))",
        "2200 Cannot create values() index on bytes. Non-collection columns only support simple"
            + " indexes"
      },
      {"CREATE INDEX ON mail (bytes, score)", "2200 Only CUSTOM indexes support multiple columns"},
      {
        "CREATE CUSTOM INDEX ON mail (bytes, score) USING 'sai'",
        "2200 A storage-attached index cannot be created over multiple columns: bytes, score"
      },
      {
        "CREATE INDEX ON mail ()",
        "2200 Only CUSTOM indexes can be created without specifying a target column"
      },
      {
        "CREATE INDEX ON mail (bytes) WITH OPTIONS = {'a': 'b'}",
        "2200 Cannot specify options for a non-CUSTOM index"
      },
      {
        "CREATE INDEX ON mail (bytes) USING 'sai' WITH OPTIONS = {'a': 'b'}",
        "2300 Properties specified [a] are not understood by StorageAttachedIndex"
      },
      {
        "CREATE INDEX ON mail (bytes) USING 'sai' WITH OPTIONS = {'ascii': 'false'}",
        "2200 CQL type int cannot be analyzed."
      },
      {
        "CREATE INDEX ON mail (owner) USING 'sai' WITH OPTIONS = {'ascii': 'true'}",
        "2200 ascii: texts are compared as they are, got 'true'; leave the option out"
      },
      {
        "CREATE INDEX ON mail (bytes) USING 'nosuch'",
        "2300 Unable to find custom indexer class 'nosuch'"
      },
      {
        "CREATE CUSTOM INDEX ON mail (bytes)",
        "2300 Unable to find custom indexer class 'legacy_local_table'"
      },
      {"CREATE INDEX \"a-b\" ON mail (bytes)", "2300 Illegal index name a-b"},
      {"CREATE INDEX ON hits (n)", "2200 Secondary indexes on counter tables aren't supported"},
      {
        "CREATE INDEX ON by_sent (box)",
        "2200 Secondary indexes on materialized views aren't supported"
      },
      {"CREATE INDEX ON odd (d)", "2200 Secondary indexes are not supported on duration columns"},
      {"CREATE INDEX ON odd (w)", "2200 Cannot create index on non-frozen UDT column w"},
      {"CREATE INDEX ON odd (b) USING 'sai'", "2200 Unsupported type: blob"},
      {"CREATE INDEX ON system.local (rack)", "2100 system keyspace is not user-modifiable."},
      {
        "CREATE INDEX ON widerow.events (body)",
        "2200 widerow.events needs no index: queries find types, times and attributes without one;"
            + " leave CREATE INDEX out"
      },
      {"DROP INDEX nosuch", "2200 Index 'k.nosuch' doesn't exist'"},
      {"DESCRIBE INDEX nosuch", "2200 Table for existing index 'nosuch' not found in 'k'"},
      {
        "ALTER TABLE mail DROP sender",
        "2200 Cannot drop column sender because it has dependent secondary indexes"
            + " (mail_sender_idx)"
      },
      {
        "ALTER TABLE mail RENAME sent TO at",
        "2200 Can't rename column sent because it has dependent secondary indexes (mail_sent_idx)"
      },
    };
    for (String[] each : refused) {
      assertRefused(each[0], each[1]);
    }
  }

  /// Values that were written before have null in the new field, also in keys and entries.
  @Test
  void typesInKeysAndIndexesGetMoreFields() {
    run(
        "CREATE TYPE pair (a int)",
        "CREATE TABLE typed (p int, c frozen<pair>, u frozen<pair>, v int, PRIMARY KEY (p, c))"
            + " WITH CLUSTERING ORDER BY (c DESC)",
        "CREATE INDEX ON typed (u)",
        "INSERT INTO typed (p, c, u, v) VALUES (1, {a: 1}, {a: 2}, 10)",
        "ALTER TYPE pair ADD b int",
        "INSERT INTO typed (p, c, u, v) VALUES (1, {a: 1, b: null}, {a: 2}, 11)",
        "INSERT INTO typed (p, c, u, v) VALUES (1, {a: 1, b: 1}, {a: 2, b: null}, 12)",
        "INSERT INTO typed (p, c, u, v) VALUES (1, {a: null, b: 1}, {a: null, b: 2}, 13)");
    assertRows("SELECT v FROM typed WHERE p = 1", "[12]", "[11]", "[13]");
    assertRows("SELECT v FROM typed WHERE p = 1 AND c = {a: 1}", "[11]");
    assertRows("SELECT v FROM typed WHERE p = 1 AND c > {a: 1}", "[12]");
    assertRows("SELECT v FROM typed WHERE u = {a: 2}", "[12]", "[11]");
    assertRows("SELECT v FROM typed WHERE u = {b: 2}", "[13]");
    run("CREATE TABLE named (p frozen<list<frozen<pair>>> PRIMARY KEY)");
    assertRefused(
        "ALTER TYPE pair ADD c int",
        "2200 Cannot add new field c of type int to user type k.pair as the type is being used in"
            + " partition key by the following tables: k.named");
  }

  @Test
  void aQueryTakesTheIndexWithFewerEntries() {
    run("CREATE INDEX ON mail (sender)", "CREATE INDEX ON mail (bytes) USING 'sai'");
    for (int i = 0; i < 50; i++) {
      run(
          "INSERT INTO mail (box, sent, sender, bytes) VALUES ('b%d', %d, 'all', %d)"
              .formatted(i % 7, i, i));
    }
    assertRows(
        "SELECT sent FROM mail WHERE sender = 'all' AND bytes = 30 ALLOW FILTERING",
        "[1970-01-01T00:00:00.030Z]");
    assertTrue(
        asking
            .rows("SELECT * FROM mail WHERE sender = 'none' AND bytes >= 0 ALLOW FILTERING")
            .isEmpty());
  }
}
