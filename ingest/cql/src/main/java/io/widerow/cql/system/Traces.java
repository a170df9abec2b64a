package io.widerow.cql.system;

import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Trace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The newest requests whose clients asked for a trace, as the tables of `system_traces`. They are
/// kept for a day, as by Cassandra, and only while the daemon runs.
///
/// - Threads: any.
/// - Memory: at most [#TRACES_MAX] traces.
public final class Traces {
  private static final int TRACES_MAX = 1_000;
  private static final Duration KEPT = Duration.ofDays(1);

  private final InstantSource clock;
  private final Deque<Trace> newest = new ArrayDeque<>();

  public Traces(InstantSource clock) {
    this.clock = clock;
  }

  /// Ends a trace and keeps it.
  public void add(Trace trace) {
    trace.end();
    synchronized (newest) {
      newest.addLast(trace);
      removeOld();
    }
  }

  private void removeOld() {
    Instant from = clock.instant().minus(KEPT);
    while (newest.size() > TRACES_MAX
        || (!newest.isEmpty() && newest.getFirst().started().isBefore(from))) {
      newest.removeFirst();
    }
  }

  private List<Trace> kept() {
    synchronized (newest) {
      removeOld();
      return List.copyOf(newest);
    }
  }

  /// The two tables.
  public List<RowSource> sources() {
    return List.of(
        new MemorySource(
            SystemTables.traceSessions(), _ -> kept().stream().map(Traces::session).toList()),
        new MemorySource(
            SystemTables.traceEvents(), _ -> kept().stream().flatMap(Traces::events).toList()));
  }

  private static Map<String, Object> session(Trace trace) {
    Map<String, Object> row = new HashMap<>();
    Trace.Source source = trace.source();
    row.put("session_id", trace.id());
    row.put("client", source.client());
    row.put("command", "QUERY");
    row.put("coordinator", source.local().getAddress());
    row.put("coordinator_port", source.local().getPort());
    row.put("duration", trace.micros());
    row.put("parameters", source.parameters());
    row.put("request", source.kind());
    row.put("started_at", trace.started());
    return row;
  }

  private static Stream<Map<String, Object>> events(Trace trace) {
    Trace.Source source = trace.source();
    return trace.events().stream()
        .map(each ->
            Map.of(
                "session_id",
                trace.id(),
                "event_id",
                each.id(),
                "activity",
                each.activity(),
                "source",
                source.local().getAddress(),
                "source_port",
                source.local().getPort(),
                "source_elapsed",
                each.micros(),
                "thread",
                each.thread()));
  }
}
