package io.widerow.loadgen.compare;

import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.PeerDriver;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The number of events of all types that a contestant stores, as its readers see it.
///
/// - Threads: one.
record StoredCount(Contestant contestant, InetSocketAddress address, Workload workload) {
  private static final Pattern NAME = Pattern.compile("\\[\"([^\"]+)\"]");
  private static final Pattern LOGS_NUMBER = Pattern.compile("\"n\":\"(\\d+)\"");
  private static final Pattern NUMBER = Pattern.compile("\"dataset\":\\[\\[(\\d+)]");

  /// Waits until everything acknowledged can be read, for contestants that acknowledge earlier and
  /// whose count is cheap.
  void awaitCheap(ServerProcess server, long events) throws IOException, InterruptedException {
    switch (contestant.kind()) {
      case QUESTDB, VICTORIA, VICTORIALOGS -> server.await(() -> full() >= events);
      case CASSANDRA -> PeerDriver.of("cassandra").flush(address, "load");
      case DUCKDB -> {} // has all from the start
      case WIDEROW -> {
        ServerProcess.Node node = server.node();
        if (node != null) { // events of level `disk` may not be on it yet
          server.await(() -> ofCluster("pendingEvents") == 0);
          PeerDriver.of("cassandra").flush(node.address(), Contestant.KEYSPACE);
        }
      }
    }
  }

  /// Waits until the events lie in their final form, for contestants that have one.
  void awaitMerged(ServerProcess server) throws IOException, InterruptedException {
    if (contestant.kind() == Contestant.Kind.QUESTDB && workload.scenario() == Scenario.FIELDS) {
      long events = full();
      String sql = FieldQuery.questTable(questTables(), workload.scenario().shownFields);
      TimedQuery.run(address, "/exec?query=" + HttpText.encoded(sql));
      server.await(() -> quest(FieldQuery.QUEST_TABLE) >= events);
    }
    ServerProcess.Node node = server.node();
    if (contestant.kind() == Contestant.Kind.WIDEROW && node != null) {
      server.await(() -> ofCluster("mergesWaiting") == 0);
      PeerDriver.of("cassandra").flush(node.address(), Contestant.KEYSPACE);
    }
  }

  /// A number that the daemon says of its cluster.
  private long ofCluster(String name) throws IOException, InterruptedException {
    HttpText.Answer status = HttpText.get(address, "/v1/status");
    return Pattern.compile("\"%s\":(\\d+)".formatted(name))
        .matcher(status.body())
        .results()
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .findFirst()
        .orElseThrow(() -> new WrongAnswer("a status without " + name + ": " + status.body()));
  }

  /// Counts by a query; Widerow and Cassandra read every event for it.
  long full() throws IOException, InterruptedException {
    return switch (contestant.kind()) {
      case WIDEROW -> {
        String own = contestant.target().storedType();
        String type = own == null ? workload.typeGlob() : own;
        String path = "/v1/query?format=csv&fields=none&type=" + type;
        yield TimedQuery.run(address, path).lines() - 1;
      }
      case QUESTDB -> quest();
      case CASSANDRA -> PeerDriver.of(contestant.target().label).count(address);
      case VICTORIA -> victoria();
      case VICTORIALOGS -> victoriaLogs();
      case DUCKDB -> throw new IllegalStateException("DuckDB has the events that are right");
    };
  }

  /// QuestDB has a table for each type that it received.
  private long quest() throws IOException, InterruptedException {
    long count = 0;
    for (String table : questTables()) {
      count += quest(table);
    }
    return count;
  }

  private List<String> questTables() throws IOException, InterruptedException {
    return NAME.matcher(exec("select table_name from tables()"))
        .results()
        .map(found -> found.group(1))
        .filter(workload::isType)
        .sorted()
        .toList();
  }

  private long quest(String table) throws IOException, InterruptedException {
    String answer = exec("select count() from '" + table + "'");
    return NUMBER
        .matcher(answer)
        .results()
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .findFirst()
        .orElseThrow(() -> new WrongAnswer("no count in " + answer));
  }

  private String exec(String sql) throws IOException, InterruptedException {
    HttpText.Answer answer =
        HttpText.get(address, "/exec?count=false&query=" + HttpText.encoded(sql));
    if (answer.status() != 200) {
      throw new IOException(sql + " answered " + answer.status() + ": " + answer.body());
    }
    return answer.body();
  }

  /// VictoriaLogs shows events about a second after their acknowledgement.
  private long victoriaLogs() throws IOException, InterruptedException {
    String path = "/select/logsql/query?query=" + HttpText.encoded("* | stats count() n");
    HttpText.Answer answer = HttpText.get(address, path);
    Matcher count = LOGS_NUMBER.matcher(answer.body());
    if (answer.status() != 200 || !count.find()) {
      throw new WrongAnswer("no count in " + answer);
    }
    return Long.parseLong(count.group(1));
  }

  /// VictoriaMetrics keeps a point for each field; `seq` is one of them.
  private long victoria() throws IOException, InterruptedException {
    TimedQuery.Answer flush = TimedQuery.run(address, "/internal/force_flush");
    assert flush.bytes() >= 0 : "flushed";
    String type = workload.scenario().type;
    String names = type + (workload.types() == 1 ? "" : "[.][0-9]+") + "_seq";
    String series = HttpText.encoded("{__name__=~\"" + names + "\"}");
    String path = "/api/v1/export/csv?format=__timestamp__&match%5B%5D=" + series;
    return TimedQuery.run(address, path).lines();
  }
}
