package io.widerow.cql.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.cql.CqlException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: the grammar of SELECT, with its names, constants and comments, and where errors are.
class ParserTest {
  private static Statement.Select select(String text) {
    return (Statement.Select) Parser.parse(text);
  }

  private static String error(String text) {
    CqlException wrong = assertThrows(CqlException.class, () -> Parser.parse(text), text);
    return "%04x %s".formatted(wrong.code().number, wrong.sentence());
  }

  @Test
  void readsEveryPart() {
    Statement.Select all =
        select(
            "SELECT JSON DISTINCT a AS \"B c\", count(*), system.max_x(d['k' /* c */])"
                + " FROM ks.t -- comment\n WHERE x = 'it''s' AND y IN (1, -2.5e3) AND z > ?"
                + " AND m['k'] <= :v AND b CONTAINS KEY 0xff AND l LIKE $$%a'b$$ // end\n"
                + " GROUP BY p, q ORDER BY c DESC, d ASC PER PARTITION LIMIT 2 LIMIT ?"
                + " ALLOW FILTERING;");
    assertEquals(true, all.json() && all.distinct() && all.allowFiltering());
    assertEquals("B c", all.selectors().getFirst().alias());
    assertEquals("count()", all.selectors().get(1).expression().toString());
    assertEquals("max_x(d['k'])", all.selectors().get(2).expression().toString());
    assertEquals(new Statement.TableName("ks", "t"), all.from());
    assertEquals(
        "[x = 'it''s', y IN (1, -2.5e3), z > ?, m['k'] <= :v, b CONTAINS KEY 0xff,"
            + " l LIKE '%a''b']",
        all.where().toString());
    assertEquals("[p, q]", all.groupBy().toString());
    assertEquals(
        "[Ordering[column=c, descending=true], Ordering[column=d, descending=false]]",
        all.orderBy().toString());
    assertEquals("2", String.valueOf(all.perPartitionLimit()));
    assertEquals(new Expression.Marker(2, null), all.limit());
  }

  @Test
  void namesFoldAndMayBeWordsThatAreNotReserved() {
    Statement.Select odd = select("select Key, TTL, \"Select\", json, distinct from Timestamp");
    assertEquals(
        "[key, ttl, Select, json, distinct]",
        odd.selectors().stream().map(each -> each.expression().toString()).toList().toString());
    assertEquals("timestamp", odd.from().table());
    assertEquals("json", select("select json from t").selectors().getFirst().expression() + "");
  }

  @Test
  void readsTypesAndConstants() {
    assertEquals(
        "(frozen<map<text, frozen<list<int>>>>){'a': [1]}",
        select("select (frozen<map<varchar, list<int>>>) {'a': [1]} from t")
            .selectors()
            .getFirst()
            .expression()
            .toString());
    assertEquals(
        "cast(a as bigint)",
        select("select CAST(a AS bigint) from t").selectors().getFirst().expression().toString());
    assertEquals(
        "[a = 00000001-0000-1100-8000-000000000001, b = true, c = -NaN, d = null]",
        select(
                "select * from t where a = 00000001-0000-1100-8000-000000000001 and b = TRUE and c"
                    + " = -NaN and d = null")
            .where()
            .toString());
  }

  @Test
  void partsOfCollections() {
    Statement.Select parts =
        select(
            "SELECT m['a'], m['a'..'b'], s[1..2], s[..-1], s[1.5..], f(u.x[?..]['k'])"
                + " FROM t GROUP BY p, floor(c, 5m)");
    assertEquals(
        "[m['a'], m['a'..'b'], s[1..2], s[..-1], s[1.5..], f(u.x[?..]['k'])]",
        parts.selectors().stream().map(each -> each.expression().toString()).toList().toString());
    assertEquals("[p, floor(c, 5m)]", parts.groupBy().toString());
    assertEquals("2000 line 1:11 expected an expression, got ']'", error("select s[..] from t"));
    assertEquals("2000 line 1:13 expected ']', got '..'", error("select s[1..2..3] from t"));
  }

  @Test
  void otherStatements() {
    assertEquals(new Statement.Use("Ks"), Parser.parse("USE \"Ks\""));
    assertEquals(new Statement.Unknown("CREATE TRIGGER"), Parser.parse("create trigger a on t"));
    assertEquals(new Statement.Unknown("GRANT"), Parser.parse("GRANT ALL ON t TO x"));
    assertEquals(
        List.of("insert", "update", "delete"),
        ((Statement.Batch)
                Parser.parse(
                    "BEGIN BATCH INSERT INTO t (a) VALUES (1); UPDATE t SET v += 1 WHERE a = 2"
                        + " DELETE v[1] FROM t WHERE a = 3; APPLY BATCH;"))
            .changes().stream()
                .map(change -> change.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                .toList());
    assertEquals(
        "Describe[what=TABLE, keyspace=a, name=b]", Parser.parse("DESC TABLE a.b;").toString());
    assertEquals(
        "Describe[what=KEYSPACE, keyspace=null, name=null]",
        Parser.parse("describe keyspace").toString());
  }

  @Test
  void errorsHaveTheirPlace() {
    assertEquals("2000 line 1:0 expected a statement, got 'selec'", error("selec 1"));
    assertEquals("2000 line 2:5 expected FROM, got the end", error("select a\n  , b"));
    assertEquals("2000 line 1:9 expected FROM, got 'b'", error("select a b from t"));
    assertEquals(
        "2000 line 1:16 expected the end of the statement, got 'where'",
        error("select * from t;where a = 1"));
    assertEquals(
        "2000 line 1:24 expected a comparison, got 'NOT'",
        error("select * from t where a NOT IN (1)"));
    assertEquals("2000 line 1:22 expected a column, got '1'", error("select * from t where 1 = c"));
    assertEquals("2000 line 1:7 the text in quotes has no end", error("select 'abc from t"));
    assertEquals("2000 line 1:7 the comment has no end", error("select /* abc from t"));
    assertEquals("2000 line 1:14 expected a table, got 'select'", error("select a from select"));
    assertEquals(
        "2000 line 1:24 expected the end of the statement, got 'ORDER'",
        error("select * from t LIMIT 1 ORDER BY a"));
    assertEquals("2200 Unknown type nosuch", error("select (nosuch) a from t"));
  }

  @Test
  void depthAndLengthAreBounded() {
    String deep = "select " + "[".repeat(1_000) + "]".repeat(1_000) + " from t";
    assertEquals("2200 expressions are nested at most 100 deep", error(deep));
    String types = "select (" + "list<".repeat(1_000) + "int" + ">".repeat(1_000) + ") a from t";
    assertEquals("2200 expressions are nested at most 100 deep", error(types));
    String calls = "select " + "f(".repeat(1_000) + ")".repeat(1_000) + " from t";
    assertEquals("2200 expressions are nested at most 100 deep", error(calls));
    String elements = "select a" + "[1]".repeat(1_000) + " from t";
    assertEquals("2200 expressions are nested at most 100 deep", error(elements));
    String many = "select * from t where a in (" + "1,".repeat(50_000) + "1)";
    assertEquals(1, select(many).where().size());
    assertEquals(
        "2000 line 1:131092 the statement has too many words and signs; send values by markers",
        error("select * from t where a in (" + "1,".repeat(1 << 16) + "1)"));
  }
}
