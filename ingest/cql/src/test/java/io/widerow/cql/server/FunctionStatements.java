package io.widerow.cql.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// For tests: statements that call each function of CQL with values of each type, with constants,
/// inside each other, and where they cannot be.
final class FunctionStatements {
  /// Types of the columns, and a value of each.
  private static final Map<String, List<String>> COLUMNS = new LinkedHashMap<>();

  static {
    column("ac", "ascii", "'abc'");
    column("bi", "bigint", "-12345678901");
    column("bl", "blob", "0xcafe");
    column("bo", "boolean", "true");
    column("de", "decimal", "-2.50");
    column("dd", "double", "-2.5");
    column("fl", "float", "-1.5");
    column("i", "int", "-7");
    column("ts", "timestamp", "'2020-05-17T13:14:15.678Z'");
    column("uu", "uuid", "00000001-0000-4000-8000-000000000000");
    column("te", "text", "'h\u00e4\u00e9'");
    column("vi", "varint", "-12345678901234567890123");
    column("tu", "timeuuid", "e0bb80f0-2f5e-11eb-8080-808080808080");
    column("ine", "inet", "'10.0.0.1'");
    column("da", "date", "'2020-05-17'");
    column("ti", "time", "'13:14:15.123456789'");
    column("si", "smallint", "-300");
    column("ty", "tinyint", "-5");
    column("du", "duration", "1mo2d3h");
    column("l", "list<int>", "[3, 1, 2]");
    column("s", "set<text>", "{'b', 'a'}");
    column("m", "map<text, int>", "{'a': 1, 'b': 2}");
    column("ud", "u", "{x: 1, y: 'a'}");
    column("tup", "tuple<int, text>", "(1, 'a')");
    column("ld", "list<double>", "[1.5, 2.5]");
    column("lty", "list<tinyint>", "[100, 100]");
    column("lde", "list<decimal>", "[1.5, 2.25, 3]");
    column("lvi", "list<varint>", "[1, 2, 2]");
    column("lfl", "list<float>", "[0.1, 0.2]");
    column("sts", "set<timestamp>", "{'2020-01-01', '2021-01-01'}");
    column("mm", "map<int, frozen<list<int>>>", "{1: [1, 2]}");
    column("ll", "list<frozen<list<int>>>", "[[2], [1]]");
    column("zl", "frozen<list<bigint>>", "[3, 4]");
    column("zs", "frozen<set<decimal>>", "{1.5, 2.25}");
    column("zm", "frozen<map<int, double>>", "{1: 1.5, 2: 2.5}");
    column("zu", "frozen<u>", "{x: 1}");
    column("no", "int", "null");
    column("nl", "list<int>", "null");
  }

  private static final List<String> OF_ONE =
      List.of(
          "abs exp log log10 round min max sum avg count tojson map_keys map_values",
          "collection_count collection_min collection_max collection_sum collection_avg",
          "mask_default mask_null mask_hash to_date to_timestamp to_unix_timestamp todate",
          "min_timeuuid max_timeuuid blob_as_int int_as_blob text_as_blob",
          "timestampasblob date_as_blob bigint_as_blob counter_as_blob",
          "blob_as_text blobasuuid");

  private static final String[] CONSTANTS =
      each(
          """
          1 | -1 | 1.5 | 'x' | null | (int)1 | (bigint)-1 | [1, 2] | {1, 2} | {'a': 1} | [] | {} |
          (1, 2) | true | 1h | 99999999999 | 999999999999999999999 | 1.12345678901234567890123 |
          '2020-01-01' | e0bb80f0-2f5e-11eb-8080-808080808080 | i + 1 | i, i |  | abs(i) |
          nosuch(i) | nosuch
          """);

  private final List<String> all = new ArrayList<>();

  private FunctionStatements() {}

  private static void column(String name, String type, String value) {
    COLUMNS.put(name, List.of(type, value));
  }

  /// The texts between bars.
  private static String[] each(String texts) {
    return texts.strip().split("\\s*\\|\\s*", -1);
  }

  private void selections(String table, String... selections) {
    for (String selection : selections) {
      all.add("SELECT %s FROM %s".formatted(selection, table));
    }
  }

  /// All of them, in a keyspace that they make.
  static List<String> all() {
    FunctionStatements statements = new FunctionStatements();
    statements.makeTables();
    statements.ofEachType();
    statements.maths();
    statements.collections();
    statements.masks();
    statements.times();
    statements.resolution();
    statements.writesAndConditions();
    statements.columnsWithMasks();
    return statements.all;
  }

  /// Statements with markers, which are only prepared.
  static List<String> prepared() {
    List<String> all = new ArrayList<>();
    for (String selection :
        each(
            """
            abs(?) | abs((int)?) | count(?) | min(?) | tojson(?) | int_as_blob(?) |
            mask_inner(te, ?, ?) | mask_inner(?, 1, 1, ?) | mask_replace(te, ?) |
            mask_replace(?, te) | mask_hash(te, ?) | mask_default(?) | mask_replace(l, [?]) |
            collection_sum([?, i]) | collection_sum((list<int>)?) | floor(ts, ?, ?) |
            tojson(mask_replace(i, :x)) | token(?) | min_timeuuid(?) | to_date(?)
            """)) {
      all.add("SELECT " + selection + " FROM t");
    }
    for (String values :
        each(
            """
            i) VALUES (1, abs(?) | d) VALUES (1, exp(?) | b) VALUES (1, abs(abs(?)) |
            t) VALUES (?, mask_inner(?, ?, ?, ?) | t) VALUES (1, mask_replace(?, ?) |
            t) VALUES (1, mask_default(?) | i) VALUES (1, collection_sum(?) |
            bl) VALUES (1, mask_hash(?) | bl) VALUES (1, mask_hash((int)?, ?) |
            b) VALUES (1, abs(mask_replace(?, ?)) | i) VALUES (1, mask_replace(5, :x)
            """)) {
      all.add("INSERT INTO w (p, " + values + ")");
    }
    all.add("SELECT p FROM w WHERE p = abs(?)");
    all.add("SELECT p FROM w WHERE p = ? AND i = round(?) ALLOW FILTERING");
    return all;
  }

  private void makeTables() {
    all.add(
        "CREATE KEYSPACE functions WITH replication ="
            + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
    all.add("USE functions");
    all.add("CREATE TYPE u (x int, y text)");
    StringBuilder definition = new StringBuilder();
    StringBuilder values = new StringBuilder();
    COLUMNS.forEach((name, column) -> {
      definition.append(", ").append(name).append(' ').append(column.getFirst());
      values.append(", ").append(column.getLast());
    });
    all.add("CREATE TABLE t (p int PRIMARY KEY" + definition + ")");
    String names = String.join(", ", COLUMNS.keySet());
    all.add("INSERT INTO t (p, " + names + ") VALUES (1" + values + ")");
    all.add("CREATE TABLE n (p int PRIMARY KEY, c counter)");
    all.add("UPDATE n SET c = c - 5 WHERE p = 1");
    all.add(
        "CREATE TABLE de (p int, c text, d int, tu timeuuid, PRIMARY KEY (p, c, d, tu))"
            + " WITH CLUSTERING ORDER BY (c DESC, d DESC, tu DESC)");
    all.add(
        "INSERT INTO de (p, c, d, tu) VALUES"
            + " (1, 'abc', -5, e0bb80f0-2f5e-11eb-8080-808080808080)");
    all.add(
        "CREATE TABLE em (p int PRIMARY KEY, i int, t text, b blob, d double, de decimal,"
            + " ts timestamp, l list<int>, zl frozen<list<int>>, vi varint)");
    all.add(
        "INSERT INTO em (p, i, t, b, d, de, ts, l, zl, vi) VALUES (1, blob_as_int(0x), '', 0x,"
            + " blob_as_double(0x), blob_as_decimal(0x), blob_as_timestamp(0x),"
            + " [blob_as_int(0x), 1], [], blob_as_varint(0x))");
    all.add(
        "CREATE TABLE w (p int PRIMARY KEY, i int, b bigint, t text, a ascii, l list<int>,"
            + " s set<text>, m map<text, int>, zl frozen<list<int>>, bl blob, d double,"
            + " de decimal, vi varint, ts timestamp, fu frozen<u>)");
    all.add("CREATE TABLE g (p int, ts timestamp, i int, PRIMARY KEY (p, ts, i))");
  }

  private void ofEachType() {
    for (String function : String.join(" ", OF_ONE).split(" ", -1)) {
      for (String column : COLUMNS.keySet()) {
        selections("t", function + "(" + column + ")");
      }
      for (String constant : CONSTANTS) {
        selections("t", function + "(" + constant + ")");
      }
      selections("n", function + "(c)");
    }
  }

  private void maths() {
    for (String number :
        each(
            """
            0 | 1 | -1 | 10 | 2 | 0.5 | 1e-10 | 1.00000000000000000000000000001 | 3 |
            0.99999999999999999999999999999 | 123456789012345678901234567890123456789 | 1e3 |
            1000 | 1e20 | 0.001 | 12345.678 | 5.5 | 7.77777 | 99999 | 0.000123 | 1.5 | -0.1 |
            100.5 | 1e-40 | 12.25 | -2.5 | 2.5
            """)) {
      selections("t", "abs((double)%s), round((double)%s)".formatted(number, number));
      for (String function : List.of("abs", "exp", "log", "log10", "round")) {
        selections("t", "%s((decimal)%s)".formatted(function, number));
        selections("t", "%s((float)%s)".formatted(function, number)); // doubles differ by machine
        if (number.matches("-?\\d{1,5}")) {
          selections("t", "%s((varint)%s)".formatted(function, number));
          selections("t", "%s((bigint)%s)".formatted(function, number));
          selections("t", "%s(%s)".formatted(function, number));
        }
      }
    }
    selections(
        "t",
        each(
            """
            abs((tinyint)-128) | abs((int)-2147483648) | abs((bigint)-9223372036854775808) |
            exp((tinyint)10) | exp((smallint)20) | exp(100) | exp((float)100) | round((double)NaN) |
            round((float)NaN) | round((float)1e30) | round((double)1e300) | exp((varint)100) |
            exp((decimal)23000) | exp((decimal)-23000) | log(exp(de)) | log10((varint)999) |
            abs((double)-Infinity) | exp((double)-Infinity)
            """));
    selections(
        "de",
        each(
            """
            abs(d) | round(d) | exp(d) | sum(d) | blob_as_int(d) | int_as_blob(d)
            """));
    selections(
        "em",
        each(
            """
            abs(i) | round(de) | exp(d) | abs(vi) | log(de) | sum(i) | avg(i)
            """));
  }

  private void collections() {
    for (String function : List.of("sum", "avg", "min", "max", "count")) {
      for (String list :
          each(
              """
              (list<double>)[0.1, 0.2, 0.3, 0.4] | (list<double>)[0.1, 0.4, 1e16, 1, 1, 1] |
              (list<double>)[1e308, 1e308] | (list<float>)[3e38, 3e38] |
              (list<double>)[Infinity, -Infinity] | (list<double>)[Infinity, 1] |
              (list<double>)[NaN, 1] | (list<int>)[2147483647, 2147483647] |
              (list<bigint>)[9223372036854775807, 9223372036854775807] | (list<int>)[-1, -2] |
              (list<decimal>)[1, 2] | (list<decimal>)[1.50, 2.5, 1] | (list<int>)[] |
              (set<decimal>){} | [i, 2] | {i} | [1.5, 2] | [1, 99999999999] | ['a', 'b'] |
              ['a', '\u00e9'] | [[1], [2]] | [null] | [(int)1, 2] | [] | [ts] | ttl(l) |
              (map<int, int>){1: 2} | m['a'..] | mm[1] | max(l) | map_values(m) | map_keys(m) |
              sum(i) | l, l
              """)) {
        selections("t", "collection_%s(%s)".formatted(function, list));
      }
      selections("em", "collection_" + function + "(l)", "collection_" + function + "(zl)");
    }
    selections(
        "t",
        each(
            """
            map_keys((map<int, int>){}) | map_values((map<int, int>){1: 2}) | map_keys({1: 2}) |
            map_keys(m['a'..]) | tojson(map_keys(m)) | map_values(mm) | max(collection_max(l)) |
            sum(collection_sum(map_values(m))), count(map_keys(m)) | collection_max(s) AS most
            """));
  }

  private void masks() {
    for (String function : List.of("mask_inner", "mask_outer")) {
      for (String arguments :
          each(
              """
              te, 1, 1 | te, 1, 1, '#' | te, null, 1 | te, 1, null | te, null, null |
              te, 1, 1, '##' | te, 1, 1, '' | te, 1, 1, null | ac, -1, 0 | ac, 5, 5 | ac, -1, -2 |
              i, 1, 1 | te, te, 1 | te, 1 | te, 1, 1, 'x', 'y' | te, i, 1 | te, 1, 1, i |
              'abcdef', 1, 1 | null, 1, 1 | te, bi, 1 | te, 99999999999, 1 | te, 1.5, 1 |
              te, 'x', 1 | te, 1, 1, ac | bl, 1, 1 | l, 1, 1 | te, 2147483647, 1 |
              te, 1, -2147483648 | te, 1, 1, '\u20ac' | ac, 1, 1, '\u20ac' |
              mask_outer(te, 1, 1, 'x'), 1, 1
              """)) {
        selections("t", "%s(%s)".formatted(function, arguments));
      }
      selections("em", function + "(t, 1, 1)", function + "('abc', i, 1)");
      selections("de", function + "(c, 1, 1)", function + "('x', 1, 1, c)");
    }
    for (String arguments :
        each(
            """
            te, 'x' | te, null | i, 5 | i, te | i, 'x' | i, bi | bi, i | bi, ts | te, ac |
            ac, te | l, [1] | l, l | l, zl | s, {'q'} | m, {'q': 1} | ud, {x: 1} | zu, ud |
            ud, zu | null, 5 | 5, null | 5, 6 | 'x', 'y' | 5, 'y' | i | i, 1, 2 | de, 1 | uu, tu |
            du, 1h | bl, 0xff | bl, i | l, [] | tup, (2, 'b') | no, 1 | sum(i), 5
            """)) {
      selections("t", "mask_replace(%s)".formatted(arguments));
    }
    for (String algorithm :
        each(
            """
            'MD5' | 'SHA-512' | 'nope' | null | '' | ac | 'md5' | 'SHA-1' | 'SHA3-256' | 'MD2' |
            1 | 'SHA-256', 'x' | 'SHA256' | 'sha-224' | te
            """)) {
      selections("t", "mask_hash(te, %s)".formatted(algorithm));
    }
    selections("em", "mask_hash(i)", "mask_hash(t)", "mask_default(i)", "mask_replace(5, i)");
    selections("de", "mask_default(c)", "mask_null(d)", "mask_replace(d, 5)", "mask_hash(c)");
    all.add("SELECT JSON abs(i), mask_inner(te, 1, 1) FROM t");
  }

  private void times() {
    for (String arguments :
        each(
            """
            1 | ts | ts, 1h, ts, ts | i, 1h | bi, 1h | bi, 1h, '1960-01-01' | ts, 1h |
            '2020-01-01', 1h | te, 1h | ts, te | tu, 1h | da, 1mo | ti, 1h | null, 1h | ts, null |
            ts, 1mo, '2019-12-31' | da, 3d, '2020-05-02' | ti, 1h, ti
            """)) {
      selections("t", "floor(%s)".formatted(arguments));
    }
    selections(
        "t",
        each(
            """
            mintimeuuid(ts), maxtimeuuid(ts), todate(ts), to_unix_timestamp(da), totimestamp(da) |
            TOJSON(i) | now(i) | uuid(1) | current_date(1) | toDate(te) |
            totimestamp(ts) | dateOf(tu) | unixTimestampOf(tu)
            """));
    selections("de", "to_timestamp(tu)", "to_timestamp(d)", "floor(tu, 1h)");
    selections("em", "to_date(ts)", "to_unix_timestamp(ts)", "min_timeuuid(ts)", "tojson(i)");
    selections(
        "em",
        each(
            """
            blob_as_int(b) | blob_as_text(b) | blob_as_smallint(b) | blob_as_date(b) |
            blob_as_boolean(b) | blob_as_time(b) | blob_as_duration(b) | int_as_blob(i)
            """));
  }

  private void resolution() {
    selections(
        "t",
        each(
            """
            abs(abs(i)) | abs(i + -3) | round(exp(dd)) | sum(abs(i)) | abs(sum(i)) |
            CAST(abs(i) AS text) | abs(CAST(i AS double)) | ABS(i) | \"abs\"(i) | \"ABS\"(i) |
            system.abs(i) | abs(nosuch(i)) | abs(nocol) | min(i) + 1 | sum(sum(i)) |
            sum(abs(sum(i))) | collection_count(sum(i)) | min(i, i) | sum(i, i) | sum() |
            abs(ttl(i)) | from_json('1') | from_json(te) | to_human_size(i) | length(te) |
            varcharasblob(te), blobasvarchar(textasblob(te)), blob_as_varchar(varchar_as_blob(te)) |
            blob_as_blob(bl) | blob_as_list(bl) | blob_asint(bl) | blob_as_int(bl, bl) |
            blob_as_int('x') | blob_as_int(null), int_as_blob(null) | blobasint(bl)
            """));
    for (String by :
        each(
            """
            abs(ts) | ts, abs(i) | nosuch(ts) | mask_default(ts) | max(ts) |
            collection_count(ts) | to_date(ts)
            """)) {
      all.add("SELECT p FROM g GROUP BY p, " + by);
    }
  }

  private void writesAndConditions() {
    for (String values :
        each(
            """
            i) VALUES (1, abs(-5) | i) VALUES (abs(-2), 1 | b) VALUES (1, abs(-5) |
            t) VALUES (1, abs(-5) | i) VALUES (1, abs((bigint)5) | b) VALUES (1, abs((int)5) |
            i) VALUES (1, abs('x') | i) VALUES (1, nosuch(1) | i) VALUES (1, abs(nosuch(1)) |
            i) VALUES (1, abs(null) | i) VALUES (1, abs(abs(-7)) | b) VALUES (1, abs(abs(-7)) |
            b) VALUES (1, abs(round(exp(5))) | i) VALUES (1, abs(1, 2) | i) VALUES (1, sum(1) |
            i) VALUES (1, max(1) | b) VALUES (1, abs(sum(1)) | vi) VALUES (1, abs(-8) |
            s) VALUES (1, map_keys({'a': 1}) | l) VALUES (1, map_values((map<int, int>){1: 9}) |
            zl) VALUES (1, map_values((map<int, int>){1: 9}) | i) VALUES (1, collection_sum([1]) |
            i) VALUES (1, collection_count({1, 2}) | i) VALUES (1, collection_count({'a': 1}) |
            i) VALUES (1, collection_count({'a': 1, 'b': 1.5}) |
            i) VALUES (1, collection_count({}) |
            b) VALUES (1, collection_count(map_keys({'a': 1})) |
            a) VALUES (1, mask_inner('abc', 1, 1) | a) VALUES (1, mask_inner((text)'abc', 1, 1) |
            t) VALUES (1, mask_replace(null, 'q') | i) VALUES (1, mask_replace(null, 'q') |
            b) VALUES (1, mask_replace(5, 6) | t) VALUES (1, mask_default(5) |
            l) VALUES (1, mask_replace([1], [2]) | bl) VALUES (1, mask_hash('x', 'MD5') |
            i) VALUES (1, mask_null(5) | d) VALUES (1, exp(1) | de) VALUES (1, exp(1.0) |
            de) VALUES (1, log(2) | de) VALUES (1, log(0) |
            ts) VALUES (1, to_timestamp('2020-01-01') | i) VALUES (1, int_as_blob(5) |
            i) VALUES (1, blob_as_int(0x00000009) | b) VALUES (1, abs(int_as_blob(5)) |
            b) VALUES (1, abs(mask_replace(null, 6)) |
            bl) VALUES (1, mask_hash([1]) | b) VALUES (1, to_unix_timestamp('2020-01-01') |
            t) VALUES (1, tojson(5)
            """)) {
      all.add("INSERT INTO w (p, " + values + ")");
      all.add("SELECT * FROM w");
    }
    all.add("UPDATE w SET m['a'] = abs(-6), m[mask_inner('abc', 1, 1)] = 3 WHERE p = abs(-1)");
    all.add("UPDATE w SET l = l + map_values((map<int, int>){1: 9}) WHERE p = 1");
    all.add("DELETE FROM w WHERE p = abs(-77)");
    for (String where :
        each(
            """
            p = abs(-1) | p IN (abs(-1), round(2)) | i > abs(-1) ALLOW FILTERING |
            p = abs((bigint)1) | m['a'] = abs(-6) ALLOW FILTERING | p = sum(1) | p = nosuch(1) |
            t = mask_inner('abc', 1, 1) ALLOW FILTERING | p = collection_max({1, 2}) |
            p = collection_max([1, 2]) | token(p) > token(abs(-1)) |
            i < round(5.5) ALLOW FILTERING
            """)) {
      all.add("SELECT p, m[mask_inner('abc', 1, 1)] FROM w WHERE " + where);
    }
  }

  private void columnsWithMasks() {
    for (String column :
        each(
            """
            t text MASKED WITH DEFAULT | t text MASKED WITH mask_inner(1, 1) |
            t text MASKED WITH nosuch() | t nosuch MASKED WITH DEFAULT | t text MASKED |
            t text MASKED WITH mask_inner | masked text
            """)) {
      all.add("CREATE TABLE k (p int PRIMARY KEY, " + column + ")");
    }
    all.add("CREATE TABLE nokeyspace.k (p int PRIMARY KEY, t text MASKED WITH DEFAULT)");
    all.add("CREATE TABLE k2 (p int, t text MASKED WITH DEFAULT)");
    for (String alteration :
        each(
            """
            t MASKED WITH DEFAULT | t MASKED WITH system.mask_inner(1, 'x') | t DROP MASKED |
            nosuch DROP MASKED | IF EXISTS nosuch DROP MASKED | nosuch MASKED WITH DEFAULT |
            t TYPE text | t
            """)) {
      all.add("ALTER TABLE w ALTER " + alteration);
    }
    all.add("ALTER TABLE nosuch ALTER t DROP MASKED");
    all.add("CREATE TYPE mt (x int MASKED WITH DEFAULT)");
  }
}
