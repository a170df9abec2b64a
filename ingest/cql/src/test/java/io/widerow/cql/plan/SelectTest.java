package io.widerow.cql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.Asking;
import io.widerow.cql.CqlException;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: the tables of the system are asked by the rules of the language, with Cassandra's errors.
class SelectTest {
  private static final ServerCatalog CATALOG =
      new ServerCatalog(new ServerIdentity(new UUID(1, 2), 9042, "5.0.9"), List.of());
  private static final String COLUMNS = "FROM system_schema.columns ";
  private static final String FILTERING =
      "2200 Cannot execute this query as it might involve data filtering and thus may have"
          + " unpredictable performance. If you want to execute this query despite the performance"
          + " unpredictability, use ALLOW FILTERING";

  private final Asking asking = new Asking(CATALOG);

  @Test
  void driversLearnWhatTheServerIs() {
    assertEquals(
        List.of("[widerow, 5.0.9, [0], 00000000-0000-0001-0000-000000000002, /127.0.0.1]"),
        asking.rows(
            "SELECT cluster_name, release_version, tokens, host_id, rpc_address FROM system.local"
                + " WHERE key = 'local'"));
    assertEquals(List.of(), asking.rows("SELECT * FROM system.peers_v2"));
    assertEquals(
        List.of("[system]", "[system_schema]"),
        asking.rows("SELECT keyspace_name FROM system_schema.keyspaces"));
    assertEquals(
        List.of("[system_views]", "[system_virtual_schema]"),
        asking.rows("SELECT keyspace_name FROM system_virtual_schema.keyspaces"));
    assertEquals(
        List.of(
            "[durable_writes, none, regular, -1, boolean]",
            "[keyspace_name, none, partition_key, 0, text]",
            "[replication, none, regular, -1, frozen<map<text, text>>]"),
        asking.rows(
            "SELECT column_name, clustering_order, kind, position, type "
                + COLUMNS
                + "WHERE keyspace_name = 'system_schema' AND table_name = 'keyspaces'"));
  }

  @Test
  void pagesTogetherAreTheWhole() {
    String all = "SELECT table_name, column_name " + COLUMNS;
    List<String> rows = asking.rows(all);
    assertTrue(rows.size() > 100, () -> rows.size() + " rows");
    for (int page = 1; page <= 7; page++) {
      assertEquals(rows, asking.rows(all, page));
      assertEquals(rows.subList(0, 10), asking.rows(all + "LIMIT 10", page));
    }
    String some = all + "WHERE keyspace_name = 'system' AND table_name IN ('local', 'peers')";
    List<String> down = new ArrayList<>(asking.rows(some));
    Collections.reverse(down);
    assertEquals(down, asking.rows(some + " ORDER BY table_name DESC", 3));
    assertEquals(List.of(), asking.rows(all + "WHERE keyspace_name IN ()"));
  }

  @Test
  void groupsAreCounted() {
    assertEquals(
        List.of("[system, local, 20]", "[system, peers, 9]", "[system, peers_v2, 12]"),
        asking.rows(
            "SELECT keyspace_name, table_name, count(*) "
                + COLUMNS
                + "WHERE keyspace_name = 'system' GROUP BY keyspace_name, table_name",
            2));
    assertEquals(
        List.of("[system]", "[system_schema]"),
        asking.rows("SELECT DISTINCT keyspace_name " + COLUMNS));
    assertEquals(
        List.of("[0, 0, null, null, 0]"),
        asking.rows(
            "SELECT count(*), sum(position), min(position), max(type), avg(position) "
                + COLUMNS
                + "WHERE keyspace_name = 'none'"));
    assertEquals(
        List.of("[12, -1, 0, -10, 0]"),
        asking.rows(
            "SELECT count(position), min(position), max(position), sum(position), avg(position) "
                + COLUMNS
                + "WHERE keyspace_name = 'system' AND table_name = 'peers_v2'"));
  }

  @Test
  void rulesOfWhere() {
    assertEquals(FILTERING, asking.refusal("SELECT * " + COLUMNS + "WHERE table_name = 'a'"));
    assertEquals(FILTERING, asking.refusal("SELECT * " + COLUMNS + "WHERE keyspace_name > 'a'"));
    assertEquals(
        FILTERING,
        asking.refusal("SELECT * " + COLUMNS + "WHERE keyspace_name = 'system' AND kind = 'a'"));
    assertEquals(
        List.of("[peers_v2, peer_port]"),
        asking.rows(
            "SELECT table_name, column_name "
                + COLUMNS
                + "WHERE keyspace_name = 'system' AND kind = 'clustering' ALLOW FILTERING"));
    String of = "SELECT * " + COLUMNS + "WHERE keyspace_name = 'system' AND ";
    assertEquals(
        "2200 PRIMARY KEY column \"column_name\" cannot be restricted as preceding column"
            + " \"table_name\" is not restricted",
        asking.refusal(of + "column_name = 'a'"));
    assertEquals(
        "2200 Clustering column \"column_name\" cannot be restricted (preceding column"
            + " \"table_name\" is restricted by a non-EQ relation)",
        asking.refusal(of + "table_name > 'a' AND column_name = 'a'"));
    assertEquals(
        "2200 table_name cannot be restricted by more than one relation if it includes an Equal",
        asking.refusal(of + "table_name = 'a' AND table_name = 'b'"));
    assertEquals(
        "2200 table_name cannot be restricted by more than one relation if it includes an Equal",
        asking.refusal(of + "table_name = 'a' AND table_name > 'b'"));
    assertEquals(
        "2200 Column \"table_name\" cannot be restricted by both an equality and an inequality"
            + " relation",
        asking.refusal(of + "table_name > 'b' AND table_name = 'a'"));
    assertEquals(
        "2200 More than one restriction was found for the start bound on table_name",
        asking.refusal(of + "table_name > 'a' AND table_name >= 'b'"));
    assertEquals(
        "2200 Unsupported \"!=\" relation: table_name != 'a'",
        asking.refusal(of + "table_name != 'a'"));
    assertEquals(
        "2200 Unsupported restriction: table_name IS NOT NULL",
        asking.refusal(of + "table_name IS NOT NULL"));
    assertEquals(
        "2200 Cannot use CONTAINS on non-collection column table_name",
        asking.refusal(of + "table_name CONTAINS 'a'"));
    assertEquals(
        "2200 LIKE restriction is only supported on properly indexed columns. table_name LIKE 'm%'"
            + " is not valid.",
        asking.refusal(of + "table_name LIKE 'm%'"));
  }

  @Test
  void namesAndConstants() {
    assertEquals("2200 keyspace x does not exist", asking.refusal("SELECT * FROM x.y"));
    assertEquals("2200 table y does not exist", asking.refusal("SELECT * FROM system.y"));
    assertEquals(
        "2200 Undefined column name x in table system_schema.columns",
        asking.refusal("SELECT x " + COLUMNS));
    assertEquals(
        "2200 Invalid STRING constant (a) for \"position\" of type int",
        asking.refusal("SELECT * " + COLUMNS + "WHERE position = 'a' ALLOW FILTERING"));
    assertEquals(
        "2200 Unable to make int from '99999999999'",
        asking.refusal("SELECT * " + COLUMNS + "WHERE position = 99999999999 ALLOW FILTERING"));
    assertEquals(
        "2200 Invalid null value in condition for column keyspace_name",
        asking.refusal("SELECT * " + COLUMNS + "WHERE keyspace_name = null"));
    assertEquals(
        "2200 LIMIT must be strictly positive", asking.refusal("SELECT * " + COLUMNS + "LIMIT 0"));
    assertEquals(
        "2200 ORDER BY is only supported when the partition key is restricted by an EQ or an IN.",
        asking.refusal("SELECT * " + COLUMNS + "ORDER BY table_name"));
    assertEquals(
        "2200 Unsupported order by relation",
        asking.refusal(
            "SELECT * "
                + COLUMNS
                + "WHERE keyspace_name = 'a' ORDER BY table_name DESC, column_name ASC"));
    assertEquals(
        "2200 Group by currently only support groups of columns following their declared order in"
            + " the PRIMARY KEY",
        asking.refusal("SELECT count(*) " + COLUMNS + "GROUP BY table_name"));
    assertEquals("2200 Unknown function 'nosuch'", asking.refusal("SELECT nosuch(1) " + COLUMNS));
    String refusal = asking.refusal("UPDATE t SET a = 1 WHERE b = 2");
    assertTrue(refusal.startsWith("2200 UPDATE: CQL only reads here"), refusal);
  }

  @Test
  void functionsAndJson() {
    String one = " FROM system.local";
    assertEquals(
        List.of("[451fc000-29bb-11e5-8080-808080808080, 451fe70f-29bb-11e5-7f7f-7f7f7f7f7f7f]"),
        asking.rows(
            "SELECT minTimeuuid('2015-07-14T00:00:00Z'), max_timeuuid('2015-07-14 00:00+0000')"
                + one));
    assertEquals(
        List.of("[2015-07-14, 1436832000000, 2015-07-14T00:00:00Z]"),
        asking.rows(
            "SELECT toDate(minTimeuuid('2015-07-14')), toUnixTimestamp(minTimeuuid('2015-07-14')),"
                + " to_timestamp(todate(mintimeuuid('2015-07-14')))"
                + one));
    assertEquals(
        List.of("[9042, 9042.0, 9042, 7, 2.0]"),
        asking.rows(
            "SELECT cast(rpc_port as text), cast(rpc_port as double),"
                + " blobAsInt(intAsBlob(rpc_port)), abs((int) -7), round(1.5)"
                + one));
    assertEquals(
        List.of(
            "[{\"key\": \"local\", \"n\": 9042, \"tokens\": [\"0\"], \"truncated_at\": {},"
                + " \"host_id\": \"00000000-0000-0001-0000-000000000002\"}]"),
        asking.rows(
            "SELECT JSON key, rpc_port AS n, tokens, truncated_at, host_id FROM system.local"));
    assertEquals(
        List.of("[{\"b\\\"\": \"y\", \"class\": \"x\"}]"),
        asking.rows("SELECT toJson((map<text, text>) {'class': 'x', 'b\"': 'y'})" + one));
    assertTrue(asking.refusal("SELECT writetime(rack)" + one).startsWith("2200 writetime(rack): "));
    assertEquals(
        List.of("key", "system.tojson(rack)", "cast(rpc_port as ascii)", "count", "x"),
        asking
            .prepare("SELECT key, toJson(rack), cast(rpc_port as ascii), count(*), rack AS x" + one)
            .columns()
            .stream()
            .map(Variable::name)
            .toList());
  }

  @Test
  void valuesAreBound() {
    Prepared prepared =
        asking.prepare(
            "SELECT column_name "
                + COLUMNS
                + "WHERE keyspace_name = ? AND table_name IN ? AND column_name > :low LIMIT ?");
    assertEquals(
        "[keyspace_name text, in(table_name) list<text>, low text, [limit] int]",
        prepared.variables().stream()
            .map(each -> each.name() + " " + each.type().cql())
            .toList()
            .toString());
    assertEquals(List.of(0), prepared.partitionKey());
    ByteBuffer tables =
        WireCodec.encode(prepared.variables().get(1).type(), List.of("local", "peers"));
    List<@Nullable ByteBuffer> values =
        Arrays.asList(text("system"), tables, text("s"), WireCodec.encode(NativeType.INT, 2));
    assertEquals(
        List.of("[schema_version]", "[tokens]"),
        Asking.texts(Asking.execute(prepared, values, 0, null)));
    values.set(3, StatementExecution.UNSET);
    assertEquals(5, Asking.execute(prepared, values, 0, null).count());
    assertEquals("Invalid unset value for column low", refused(prepared, values, 2, true));
    assertEquals(
        "Invalid null value in condition for column column_name",
        refused(prepared, values, 2, false));
    values.set(3, text("abc"));
    CqlException wrong =
        assertThrows(CqlException.class, () -> Asking.execute(prepared, values, 0, null));
    assertEquals("Expected 4 or 0 byte int (3)", wrong.sentence());
    CqlException few =
        assertThrows(CqlException.class, () -> Asking.execute(prepared, List.of(), 0, null));
    assertEquals("Invalid amount of bind variables: 0 values for 4", few.sentence());
  }

  private static ByteBuffer text(String text) {
    return WireCodec.encode(NativeType.TEXT, text);
  }

  private static String refused(
      Prepared prepared, List<@Nullable ByteBuffer> values, int index, boolean unset) {
    List<@Nullable ByteBuffer> changed = new ArrayList<>(values);
    changed.set(index, unset ? StatementExecution.UNSET : null);
    return assertThrows(CqlException.class, () -> Asking.execute(prepared, changed, 0, null))
        .sentence();
  }

  @Test
  void whatThereIsIsDescribed() {
    assertEquals(
        List.of("[system, keyspace, system]", "[system_schema, keyspace, system_schema]"),
        asking.rows("DESCRIBE KEYSPACES", 2).subList(0, 2));
    assertTrue(
        asking
            .rows("DESC TABLE system.peers_v2")
            .getFirst()
            .contains("PRIMARY KEY (peer, peer_port)\n) WITH CLUSTERING ORDER BY (peer_port ASC)"));
    assertEquals(4, asking.rows("DESCRIBE KEYSPACE system", 1).size());
    assertEquals("2200 'x' not found in keyspaces", asking.refusal("DESCRIBE KEYSPACE x"));
    assertEquals(1, asking.rows("DESCRIBE CLUSTER").size());
  }
}
