package io.widerow.loadgen;

import java.io.IOException;
import java.net.InetSocketAddress;

/// How many events a contestant has, as its readers see it.
///
/// - Threads: one.
final class StoredCount {
  private final Contestant contestant;
  private final InetSocketAddress address;
  private final Workload workload;

  StoredCount(Contestant contestant, InetSocketAddress address, Workload workload) {
    if (workload.types() != 1) {
      throw new IllegalArgumentException(
          "a comparison counts events of one type, not --types " + workload.types());
    }
    this.contestant = contestant;
    this.address = address;
    this.workload = workload;
  }

  /// Waits until everything that was acknowledged can be read, where the contestant acknowledges
  /// before that and a count costs it nothing.
  void awaitCheap(ServerProcess server, long events) throws IOException, InterruptedException {
    switch (contestant.kind()) {
      case QUESTDB -> server.await(() -> full() >= events);
      case CASSANDRA -> contestant.kind().target.driver().flush(address);
      case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON, VICTORIA -> {}
    }
  }

  /// Counts by a query; Widerow and Cassandra read every event for it.
  long full() throws IOException, InterruptedException {
    String type = workload.scenario().type;
    return switch (contestant.kind()) {
      case WIDEROW_TEXT, WIDEROW_LINES, WIDEROW_JSON ->
          TimedQuery.run(address, "/v1/query?format=csv&fields=none&type=" + type).lines() - 1;
      case QUESTDB -> number(exec("select count() from '" + type + "'"), "\"dataset\":[[");
      case CASSANDRA -> contestant.kind().target.driver().count(address, type);
      case VICTORIA -> victoria();
    };
  }

  private String exec(String sql) throws IOException, InterruptedException {
    HttpText.Answer answer =
        HttpText.get(address, "/exec?count=false&query=" + HttpText.encoded(sql));
    if (answer.status() != 200) {
      throw new IOException(sql + " answered " + answer.status() + ": " + answer.body());
    }
    return answer.body();
  }

  /// It keeps a point for each field; `seq` is one of them.
  private long victoria() throws IOException, InterruptedException {
    String type = workload.scenario().type;
    TimedQuery.Answer flush = TimedQuery.run(address, "/internal/force_flush");
    assert flush.bytes() >= 0 : "flushed";
    String path = "/api/v1/export/csv?format=__timestamp__&match[]=" + type + "_seq";
    return TimedQuery.run(address, path.replace("[]", "%5B%5D")).lines();
  }

  private static long number(String text, String name) {
    int found = text.indexOf(name);
    int from = found + name.length();
    int end = from;
    while (found >= 0 && end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return found < 0 || end == from ? 0 : Long.parseLong(text.substring(from, end));
  }
}
