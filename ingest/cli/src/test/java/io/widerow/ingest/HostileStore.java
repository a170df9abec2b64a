package io.widerow.ingest;

import io.widerow.faults.CqlConnection;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.function.IntFunction;

/// Fills the store that [HostileQueries] ask: one small event, large bodies, deep and wide JSON,
/// many attributes, many types, many values, and tables.
final class HostileStore {
  private static final long FIRST_MILLIS = (HostileQueries.NOW_SECONDS - 3_500) * 1_000;
  private static final int BATCH = 1_000;

  private HostileStore() {}

  static void fill(ServeProcess daemon, int cqlPort) throws Exception {
    events(daemon, "small", 1, i -> "\"host\":\"h\",\"body\":\"" + "s".repeat(170) + "\"");
    events(
        daemon,
        "big",
        12,
        i -> "\"n\":%d,\"body\":\"%s\"".formatted(i, "b \\u0001".repeat(90_000)));
    events(
        daemon, "deep", 20, i -> body("{\\\"a\\\":".repeat(60 + i) + "[1]" + "}".repeat(60 + i)));
    events(daemon, "flat", 6, i -> body("{" + members(40_000) + "\\\"z\\\":1}"));
    events(daemon, "array", 6, i -> body("[" + "1,".repeat(250_000) + "1]"));
    events(daemon, "wide", 40, i -> attributes(900) + ",\"n\":" + i);
    events(
        daemon,
        "ids",
        20_000,
        i ->
            "\"uid\":\"%08x-%d\",\"n\":%d.5,\"host\":\"h%d\",\"body\":\"user %d logged in\""
                .formatted(i * 0x9e3779b9, i, i, i % 50, i));
    events(daemon, "t%d", 2_000, i -> "\"n\":1,\"r.e.q\":\"x\",\"r/e/q\":\"y\"");
    try (CqlConnection cql = new CqlConnection(cqlPort)) {
      cql.query(
          "CREATE KEYSPACE h WITH replication = {'class':'SimpleStrategy','replication_factor':1}");
      cql.query(
          "CREATE TABLE h.big (k int, c int, v text, b blob, d decimal, l list<text>, s set<int>,"
              + " m map<int,text>, PRIMARY KEY (k, c))");
      cql.query(
          "CREATE TABLE h.wide (a int, b int, c int, d int, v int, PRIMARY KEY ((a, b), c, d))");
      for (int i = 0; i < 40; i++) {
        int _ =
            cql.run(
                "INSERT INTO h.big (k, c, v, d, l, s, m) VALUES (%d, %d, '%s', 1e%d, ['%s'], {%d},"
                        .formatted(i % 8, i, "v".repeat(60_000), i * 20, "l".repeat(30_000), i)
                    + " {%d: '%s'})".formatted(i, "m".repeat(9_000)));
        int _ = cql.run("INSERT INTO h.wide (a, b, c, d, v) VALUES (1, 2, %d, 1, 1)".formatted(i));
      }
    }
  }

  private static String body(String json) {
    return "\"n\":1,\"a\":\"x\",\"body\":\"" + json + "\"";
  }

  private static String members(int count) {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < count; i++) {
      members.append("\\\"k").append(i).append("\\\":\\\"v\\\",");
    }
    return members.toString();
  }

  private static String attributes(int count) {
    StringBuilder attributes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      attributes.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":\"value ").append(i);
      attributes.append('"');
    }
    return attributes.toString();
  }

  /// @param type in which `%d` is the number of the event
  private static void events(ServeProcess daemon, String type, int count, IntFunction<String> event)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      long millis = FIRST_MILLIS + (i * 3_400_000L) / count;
      lines.append(
          "{\"type\":\"%s\",\"ts\":%d,%s}\n".formatted(type.formatted(i), millis, event.apply(i)));
      if (lines.length() > 4 << 20 || i % BATCH == BATCH - 1 || i == count - 1) {
        HttpResponse<String> answer =
            daemon.post("/v1/events", "application/x-ndjson", lines.toString());
        if (answer.statusCode() != 200) {
          throw new IOException(type + ": " + answer.statusCode() + " " + answer.body());
        }
        lines.setLength(0);
      }
    }
  }
}
