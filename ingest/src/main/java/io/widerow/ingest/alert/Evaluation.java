package io.widerow.ingest.alert;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The evaluation of one alert rule on complete steps. It needs nothing of earlier ones, so that
/// late events count as long as their step does, and a restart changes nothing.
final class Evaluation {
  private static final QueryBudget BUDGET =
      new QueryBudget(QueryBudget.DEFAULT.partitionsMax(), Long.MAX_VALUE, Duration.ofSeconds(10));

  private Evaluation() {}

  /// The end of the last step that has passed, nanoseconds since the Unix epoch.
  static long passed(AlertRule rule, long nowNanos) {
    long watermark = nowNanos - rule.question().lagNanos();
    return watermark - Math.floorMod(watermark, rule.question().figures().everyNanos());
  }

  /// @param untilNanos end of the last step, from [#passed]
  /// @param memory that all queries share
  static AlertState of(AlertRule rule, StoreView view, long untilNanos, QueryMemory memory) {
    StatsQuery figures = rule.question().figures();
    long every = figures.everyNanos();
    long[] held = {0};
    try {
      RangeQuery asked = rule.questionAt(untilNanos).query();
      long from = Math.max(untilNanos - rule.steps() * every, asked.fromNanos());
      long until = Math.min(untilNanos, asked.untilNanos());
      Aggregation steps =
          new Aggregation(
              figures,
              more -> {
                held[0] += more; // first, because refused bytes are counted too
                memory.hold(more);
              });
      if (from < until) {
        ReadMode mode = ReadMode.grouped(figures.fold());
        try (RangeReader reader =
            RangeReader.open(view, asked.withRange(from, until), mode, BUDGET, memory)) {
          while (reader.nextWhenReady() == Step.EVENT) {
            steps.add(reader.event());
          }
        }
      }
      return state(rule, steps.rows(ZoneOffset.UTC), untilNanos);
    } catch (QueryException | StorageException failed) {
      return AlertState.unknown(String.valueOf(failed.getMessage()));
    } finally {
      memory.hold(-held[0]);
    }
  }

  private static AlertState state(AlertRule rule, List<List<Cell>> rows, long untilNanos) {
    Map<Long, Cell> values = new HashMap<>();
    rows.forEach(row -> values.put(row.getFirst().whole(), row.getLast()));
    StatsQuery figures = rule.question().figures();
    Cell none =
        new Aggregation(new StatsQuery(figures.measures(), List.of(), 0), _ -> {})
            .rows(ZoneOffset.UTC)
            .getFirst()
            .getFirst();
    boolean firing = true;
    long last = untilNanos - figures.everyNanos();
    for (int i = 0; i < rule.steps(); i++) {
      Cell value = values.getOrDefault(last - i * figures.everyNanos(), none);
      boolean number = value.kind() == Cell.Kind.WHOLE || value.kind() == Cell.Kind.NUMBER;
      firing &= number && rule.isBeyond(value.number());
    }
    return new AlertState(
        firing ? AlertState.Kind.FIRING : AlertState.Kind.QUIET,
        values.getOrDefault(last, none),
        last,
        null);
  }
}
