package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.Plot;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.ScanWatch;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Aggregates that the daemon computes, so only the results are sent.
///
/// - Threads: one.
public final class RemoteStats {
  private final DaemonAddress daemon;
  private final Map<String, List<String>> given;

  /// @param given the parameters of the query, without the parameters of aggregates
  public RemoteStats(DaemonAddress daemon, Map<String, List<String>> given) {
    this.daemon = daemon;
    this.given = given;
  }

  /// Reads the rows of a response and shows their times in a zone.
  public static List<List<Cell>> rows(RemoteResponse answer, StatsQuery asked, ZoneId zone) {
    return rows(answer, asked, zone, _ -> {});
  }

  /// The same for aggregates that may lack some damaged parts. The flags of rows are left out: they
  /// follow from these.
  ///
  /// @param unread gets each part
  public static List<List<Cell>> rows(
      RemoteResponse answer, StatsQuery asked, ZoneId zone, Consumer<ScanWatch.Unread> unread) {
    List<String> heads = asked.heads();
    Rfc3339 times = new Rfc3339(zone);
    List<List<Cell>> rows = new ArrayList<>();
    String unknown = null;
    for (String line = answer.readLine(); line != null; line = answer.readLine()) {
      List<Map.Entry<String, Cell>> members = JsonLine.cells(line);
      boolean isRow = members.stream().map(Map.Entry::getKey).toList().containsAll(heads);
      ScanWatch.Unread part = isRow ? null : UnreadText.parse(members);
      if (part != null) {
        unread.accept(part);
        continue;
      }
      List<Cell> row = RemoteRows.row(members, heads);
      if (row == null) {
        unknown = line;
      } else {
        rows.add(row(row, asked, times));
      }
    }
    answer.requireDaemon(rows.size(), unknown);
    return rows;
  }

  /// A row whose time is shown as `times` shows it.
  static List<Cell> row(List<Cell> sent, StatsQuery asked, Rfc3339 times) {
    List<Cell> row = new ArrayList<>(sent);
    if (asked.everyNanos() != 0 && row.getFirst().kind() != Cell.Kind.MISSING) {
      long step = nanos(row.getFirst().text());
      row.set(0, Cell.ofTime(step, shown(step, times)));
    }
    for (int i = asked.groupColumns(); i < row.size(); i++) {
      if (row.get(i).kind() == Cell.Kind.TEXT) { // an infinity
        row.set(i, Cell.ofNumber(row.get(i).text()));
      }
    }
    return row;
  }

  private static String shown(long epochNanos, Rfc3339 times) {
    OutputBuffer sink = new OutputBuffer(64);
    times.put(epochNanos, sink);
    return sink.toString();
  }

  private static long nanos(String text) {
    try {
      Instant time = Instant.parse(text);
      return time.getEpochSecond() * 1_000_000_000L + time.getNano();
    } catch (DateTimeException notOurs) {
      throw new QueryException.Remote(
          "the response of the daemon has an invalid time: " + TextWriter.escaped(text));
    }
  }

  /// The number of events over time, counted by the daemon. The width of the steps follows from the
  /// first and the last event.
  public Plot plot() {
    Plot plot = new Plot();
    Long first = end("asc");
    Long last = end("desc");
    if (first == null || last == null) {
      return plot;
    }
    plot.span(first, Math.max(first, last));
    String every = TimeUnit.NANOSECONDS.toSeconds(plot.stepNanos()) + "s";
    StatsQuery counts = new StatsQuery(Aggregate.parse("count"), List.of(), plot.stepNanos());
    Map<String, List<String>> asked = new LinkedHashMap<>(given);
    asked.put("stats", List.of("count"));
    asked.put("every", List.of(every));
    try (RemoteResponse answer = RemoteResponse.open(daemon, asked)) {
      for (List<Cell> row : rows(answer, counts, ZoneOffset.UTC)) {
        plot.add(row.get(0).whole(), Long.parseLong(row.get(1).text()));
      }
    }
    return plot;
  }

  /// The time of the first event in the given order; null when there is none.
  private @Nullable Long end(String order) {
    Map<String, List<String>> asked = new LinkedHashMap<>(given);
    asked.put("order", List.of(order));
    asked.put("limit", List.of("1"));
    asked.put("fields", List.of("ts"));
    try (RemoteCursor cursor = RemoteCursor.open(daemon, asked)) {
      return cursor.nextWhenReady() == RemoteCursor.Step.EVENT ? cursor.event().timeNanos() : null;
    }
  }
}
