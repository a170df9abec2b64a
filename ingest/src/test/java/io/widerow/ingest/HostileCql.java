package io.widerow.ingest;

import java.util.Random;

/// Makes statements of CQL that ask for much.
///
/// - Threads: one.
final class HostileCql extends HostileTexts {
  HostileCql(Random random) {
    super(random);
  }

  String cqlValue(int depth) {
    return made(
        () -> Integer.toString(some(1_000)),
        () -> "9".repeat(many(30, 20_000)),
        () -> "'" + "v".repeat(many(30, 100_000)) + "'",
        () -> depth == 0 ? "1" : "[" + repeated(",", many(5, 2_000), () -> cqlValue(0)) + "]",
        () -> nested("[", many(10, 20_000), "1", "]"),
        () -> "1e" + some(999_999),
        () -> "-".repeat(many(2, 3_000)) + "1");
  }

  String cqlTerm(int depth) {
    if (depth == 0) {
      return one(
          "v",
          "k",
          "c",
          "l",
          "m",
          "s",
          "d",
          "b",
          "1",
          "'x'",
          "1e400",
          "1e2000000000",
          "1e-2000000000");
    }
    return made(
        () -> one("max", "min", "count", "sum", "avg") + "(" + cqlTerm(depth - 1) + ")",
        () ->
            one(
                    "tojson",
                    "textasblob",
                    "blobasint",
                    "cast_as",
                    "abs",
                    "exp",
                    "log",
                    "round",
                    "map_keys",
                    "map_values",
                    "collection_count",
                    "collection_max",
                    "collection_sum",
                    "mask_inner",
                    "mask_replace",
                    "writetime",
                    "ttl")
                + "("
                + cqlTerm(depth - 1)
                + ")",
        () -> "cast(" + cqlTerm(depth - 1) + " as " + one("text", "varint", "decimal", "int") + ")",
        () -> "(" + one("varint", "decimal", "int") + ") " + cqlTerm(depth - 1),
        () -> repeated(one(" * ", " + ", " / ", " % "), many(4, 5_000), () -> cqlTerm(0)),
        () -> nested("(", many(10, 20_000), "v", ")"),
        () -> nested("exp(", many(10, 20_000), "1", ")"),
        () -> cqlTerm(0) + "[0]".repeat(many(3, 5_000)));
  }

  String statement() {
    return made(
        () -> "SELECT " + repeated(",", many(3, 3_000), () -> cqlTerm(2)) + " FROM h.big",
        () -> "SELECT * FROM " + one("h.big", "h.wide", "events.small", "events.big", "events.ids"),
        () -> "SELECT DISTINCT k FROM h.big",
        () -> "SELECT JSON * FROM " + one("h.big", "events.wide", "h.wide"),
        () -> "SELECT k, c, max(v), min(v), count(*) FROM h.big GROUP BY k, c",
        () ->
            "SELECT max(body), min(body), "
                + cqlTerm(1)
                + " FROM events."
                + one("big", "small", "flat", "ids", "wide"),
        () ->
            "SELECT * FROM h.big WHERE k IN ("
                + repeated(",", many(5, 60_000), () -> "" + random.nextInt(40))
                + ") ORDER BY c DESC",
        () ->
            "SELECT * FROM h.wide WHERE a IN ("
                + repeated(",", many(5, 3_000), () -> "" + some(9_999))
                + ") AND b IN ("
                + repeated(",", many(5, 3_000), () -> "" + some(9_999))
                + ") AND c IN ("
                + repeated(",", many(5, 3_000), () -> "" + some(9_999))
                + ")",
        () ->
            "SELECT * FROM h.wide WHERE a IN (1,2) AND b IN (1,2) AND (c, d) IN ("
                + repeated(",", many(3, 3_000), () -> "(" + some(99) + "," + some(99) + ")")
                + ")",
        () -> "SELECT * FROM h.big WHERE v CONTAINS " + cqlValue(1) + " ALLOW FILTERING",
        () -> "SELECT * FROM h.big WHERE v = " + cqlValue(1) + " ALLOW FILTERING",
        () -> "INSERT INTO h.big (k, c, l) VALUES (1, 1, " + cqlValue(1) + ")",
        () -> "UPDATE h.big SET l = l + " + cqlValue(1) + " WHERE k = 1 AND c = 1",
        () ->
            "BEGIN BATCH "
                + repeated(
                    " ",
                    many(5, 3_000),
                    () -> "INSERT INTO h.wide (a, b, c, d) VALUES (1, 1, " + some(99) + ", 1);")
                + " APPLY BATCH",
        () -> "SELECT " + cqlValue(1) + " FROM h.big LIMIT 1",
        () ->
            "SELECT token(k), writetime(v), ttl(v), "
                + cqlTerm(3)
                + " AS x FROM h.big LIMIT "
                + huge(),
        () ->
            "SELECT * FROM events.ids WHERE body LIKE '%"
                + "a%".repeat(many(5, 2_000))
                + "'"
                + " ALLOW FILTERING");
  }
}
