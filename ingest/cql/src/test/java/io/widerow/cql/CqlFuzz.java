package io.widerow.cql;

import io.widerow.cql.plan.Planner;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.schema.RequestPrincipal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Fuzz target for statements: any text is answered or refused with a sentence. After the first
/// zero come the values of its variables, each up to the next zero.
public final class CqlFuzz {
  private static final Planner PLANNER = planner();
  private static final RequestPrincipal ASKER =
      new RequestPrincipal(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042), _ -> {}, _ -> {});

  private CqlFuzz() {}

  /// A server with a table of each kind.
  private static Planner planner() {
    TableServer server = new TableServer();
    Asking asking = server.asking("k");
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TYPE u (x int, y text)");
    asking.run(
        "CREATE TABLE t (p int, a int, b text, s int STATIC, l list<int>, m map<text, int>,"
            + " f u, PRIMARY KEY (p, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC)");
    asking.run("CREATE TABLE n (p text PRIMARY KEY, c counter)");
    asking.run("CREATE TABLE h (p int, c timestamp, PRIMARY KEY (p, c))");
    return server.planner();
  }

  public static String[] seeds() {
    String columns = " FROM system_schema.columns WHERE keyspace_name = 'system' ";
    return new String[] {
      "SELECT JSON key, toJson(tokens) AS \"T\", {'a': [1, 2]}['a'] FROM system.local LIMIT 1;",
      "SELECT count(*), min(position), max(type), sum(position)"
          + columns
          + "GROUP BY keyspace_name",
      "SELECT *" + columns + "AND table_name > 'a' ORDER BY table_name DESC, column_name DESC",
      "SELECT * FROM system_schema.columns WHERE keyspace_name IN ? AND position = ? LIMIT ?"
          + " ALLOW FILTERING\0ab\0abcd\0abcd",
      "SELECT DISTINCT keyspace_name FROM system_schema.tables -- c\n PER PARTITION LIMIT 2",
      "SELECT cast(1.5e3 as text), blobAsInt(0x00000001), minTimeuuid('2015-07-14T00:00:00+01:00'),"
          + " abs(-7), (frozen<list<uuid>>) [], $$a$$, 00000001-0000-1100-8000-000000000001, -NaN"
          + " FROM system.local WHERE tokens CONTAINS '0' ALLOW FILTERING /* c */",
      "DESCRIBE TABLE system.local",
      "USE \"system\"",
      "INSERT INTO k.t (p, a, b, l, f) VALUES (1, 2, 'x', [1, 2], {x: 1, y: 'y'}) IF NOT EXISTS",
      "INSERT INTO k.t JSON '{\"p\": 1, \"a\": 3, \"b\": \"\", \"m\": {\"k\": 1}}' USING TTL 5",
      "UPDATE k.t USING TIMESTAMP 5 SET l = l + ?, m['a'] = 1, f.x = 2, s = 1 WHERE p = 1 AND a = 2"
          + " AND b = ''\0abcd",
      "DELETE l[0], m['k'] FROM k.t WHERE p = 1 AND a = 2 AND b = 'x' IF s != 3 AND f.y = 'y'",
      "DELETE FROM k.t WHERE p = 1 AND a > 2",
      "BEGIN COUNTER BATCH UPDATE k.n SET c += 1 WHERE p = 'x'; APPLY BATCH;",
      "SELECT p, token(p), writetime(s), ttl(s), f.x, a * 2 + 1 FROM k.t WHERE token(p) > -5"
          + " PER PARTITION LIMIT 1",
      "SELECT b FROM k.t WHERE p IN (1, 2) AND (a, b) > (1, 'a') ORDER BY a ASC",
      "SELECT m['a'..?], m[..'b'], writetime(m['a'..]), maxwritetime(l), ttl(f), writetime(f.x),"
          + " floor((date)'2026-01-02', 1mo) FROM k.t PER PARTITION LIMIT 2\0a",
      "SELECT p, count(*) FROM k.h GROUP BY p, floor(c, 5m)",
      "UPDATE k.t SET m = fromJson('{\"k\": 1}') WHERE p = fromJson('1') AND a = blobAsInt(0x) AND"
          + " b = 'x'",
      "CREATE MATERIALIZED VIEW k.w AS SELECT * FROM k.t WHERE p IN (1, 2) AND (a, b) > (1, 'a')"
          + " PRIMARY KEY (a, p, b)",
      "CREATE TABLE IF NOT EXISTS k.v (p frozen<tuple<int, set<text>>> PRIMARY KEY, d duration)"
          + " WITH comment = 'c' AND compaction = {'class': 'x'}",
      "ALTER TABLE k.t ADD (x int, y text STATIC)",
      "ALTER TYPE k.u RENAME x TO z",
      "DROP TABLE IF EXISTS k.v",
      "CREATE MATERIALIZED VIEW k.w AS SELECT * FROM k.t WHERE p IS NOT NULL PRIMARY KEY (a, p)",
      "SELECT d FROM k.v WHERE d = 1y2mo3w4d5h6m7s8ms9us10ns"
    };
  }

  public static void ask(byte[] input) {
    String[] parts = new String(input, StandardCharsets.ISO_8859_1).split("\0", -1);
    try {
      byte[] text = parts[0].getBytes(StandardCharsets.ISO_8859_1);
      Prepared prepared = PLANNER.prepare(new String(text, StandardCharsets.UTF_8), null);
      List<@Nullable ByteBuffer> values = new ArrayList<>();
      for (int i = 0; i < prepared.variables().size(); i++) {
        values.add(
            i + 1 < parts.length
                ? ByteBuffer.wrap(parts[i + 1].getBytes(StandardCharsets.ISO_8859_1))
                : null);
      }
      QueryRows answer = prepared.execute(new StatementExecution(values, 3, null, ASKER));
      if (answer instanceof QueryRows.Rows rows && Asking.texts(rows).size() > 3) {
        throw new AssertionError("more rows than a page has");
      }
    } catch (CqlException refused) {
      if (refused.sentence().length() < 5) {
        throw new AssertionError("a refusal that says nothing", refused);
      }
    }
  }
}
