package io.widerow.ingest;

import java.util.Random;

/// Makes filters and aggregates that ask for much.
///
/// - Threads: one.
final class HostileFilters extends HostileTexts {
  HostileFilters(Random random) {
    super(random);
  }

  String literal() {
    return made(
        () -> Integer.toString(some(1_000)),
        this::huge,
        () -> "'" + "y".repeat(many(10, 20_000)) + "'",
        () -> "true",
        this::duration);
  }

  String name() {
    return one("host", "uid", "n", "a", "b", "body", "type", "level", "k1", "`k 1`", "r.e.q");
  }

  String filter(int depth) {
    if (depth == 0) {
      return made(
          () -> name() + one(" = ", " != ", " < ", " >= ") + literal(),
          () -> name() + one(" ~ ", " !~ ") + "'" + regex() + "'",
          () -> name() + " in (" + repeated(",", many(10, 8_000), () -> "" + some(99)) + ")",
          () ->
              name() + one(" contains ", " icontains ", " has ") + "'" + "a".repeat(some(99)) + "'",
          () -> "exists " + name(),
          () -> name() + " is not null");
    }
    return made(
        () -> filter(0),
        () -> "not ".repeat(many(10, 10_000)) + filter(0),
        () -> nested("(", many(10, 20_000), filter(0), ")"),
        () -> repeated(" and ", many(5, 1_000), () -> filter(0)),
        () -> repeated(" or ", many(5, 3_000), () -> "n = " + some(9)),
        () -> "(" + filter(depth - 1) + one(") and (", ") or not (") + filter(depth - 1) + ")");
  }

  String where() {
    String filter = random.nextBoolean() ? filter(3) : "";
    return filter.length() > 15_000 ? filter.substring(0, 15_000) : filter;
  }

  String names(int most) {
    return repeated(",", many(3, most), this::name);
  }

  String aggregate() {
    return one(
        "count",
        "bytes",
        "count(*)",
        "distinct(uid)",
        "distinct(n)",
        "count(distinct body)",
        "sum(n)",
        "min(n)",
        "max(uid)",
        "avg(n)",
        "p50(n)",
        "p99.9(n)",
        "p1(uid)",
        "count(" + name() + ")");
  }
}
