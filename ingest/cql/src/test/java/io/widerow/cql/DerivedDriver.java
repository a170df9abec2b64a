package io.widerow.cql;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// For tests: random statements on one table with views or indexes, few keys and few timestamps, so
/// that much of it meets; and a recount of what is derived, from the table.
///
/// - Threads: one.
abstract class DerivedDriver {
  protected final SplittableRandom random;
  private final long firstMicros; // of the timestamps that statements name

  DerivedDriver(SplittableRandom random, long firstMicros) {
    this.random = random;
    this.firstMicros = firstMicros;
  }

  /// The statement that makes the table `k.t`.
  abstract String table();

  final void create(Asking asking) {
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run(table());
  }

  /// Makes or drops a view or an index, or changes the table.
  ///
  /// @param there what the server has
  abstract String definition(List<String> there);

  /// The names of the views or indexes that a server has.
  abstract List<String> there(Asking asking);

  /// One statement that changes rows.
  abstract String change();

  /// A change of rows without conditions.
  abstract String simple();

  /// Compares what is derived with the table.
  ///
  /// @return how many rows were compared
  abstract int compare(TableServer server);

  /// The names of the first column of a query.
  static List<String> names(Asking asking, String query) {
    return asking.rows(query).stream().map(name -> name.substring(1, name.length() - 1)).toList();
  }

  String batch() {
    List<String> parts = new ArrayList<>();
    for (int left = 2 + random.nextInt(3); left > 0; left--) {
      parts.add(simple());
    }
    return "BEGIN BATCH " + String.join("; ", parts) + "; APPLY BATCH";
  }

  String number() {
    return random.nextInt(4) == 0 ? "null" : Integer.toString(random.nextInt(3));
  }

  String text() {
    return random.nextInt(4) == 0 ? "null" : pick("'a'", "'b'");
  }

  String pick(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private String micros() {
    return "TIMESTAMP " + (firstMicros + random.nextInt(30));
  }

  String time() {
    return random.nextInt(4) == 0 ? "" : " USING " + micros();
  }

  String using() {
    boolean expires = random.nextInt(3) == 0;
    String ttl = "TTL " + (1 + random.nextInt(60));
    String time = time();
    return !expires ? time : time.isEmpty() ? " USING " + ttl : time + " AND " + ttl;
  }
}
