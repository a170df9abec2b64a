package io.widerow.ingest.alert;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;

/// The evaluation of an alert rule that the store keeps, on one complete step.
final class Evaluation {
  private static final QueryBudget BUDGET =
      new QueryBudget(QueryBudget.DEFAULT.partitionsMax(), Long.MAX_VALUE, Duration.ofSeconds(10));

  private Evaluation() {}

  /// The aggregate of a step.
  ///
  /// @param cell its value; empty for none, as of a maximum of no events
  /// @param stepNanos start of the step, nanoseconds since the Unix epoch
  /// @param isBeyond whether it exceeds the threshold
  record Value(Cell cell, long stepNanos, boolean isBeyond) {
    double number() {
      return cell.number();
    }
  }

  /// @param untilNanos end of the step
  /// @param memory that all queries share
  static Value of(AlertRule rule, StoreView view, long untilNanos, QueryMemory memory) {
    StatsQuery figures = rule.question().figures();
    long start = untilNanos - figures.everyNanos();
    long[] held = {0};
    try {
      RangeQuery asked = rule.questionAt(untilNanos).query();
      long from = Math.max(start, asked.fromNanos());
      long until = Math.min(untilNanos, asked.untilNanos());
      Aggregation steps =
          new Aggregation(
              figures,
              more -> {
                held[0] += more; // first, because refused bytes are counted too
                memory.hold(more);
              });
      if (from < until) {
        ReadMode mode = ReadMode.grouped(figures.fold(asked));
        try (RangeReader reader =
            RangeReader.open(view, asked.withRange(from, until), mode, BUDGET, memory)) {
          while (reader.nextWhenReady() == Step.EVENT) {
            steps.add(reader.event());
          }
        }
      }
      Cell value =
          steps.rows(ZoneOffset.UTC).stream()
              .filter(row -> row.getFirst().whole() == start)
              .map(List::getLast)
              .findFirst()
              .orElseGet(() -> none(figures));
      boolean isNumber = value.kind() == Cell.Kind.WHOLE || value.kind() == Cell.Kind.NUMBER;
      return new Value(value, start, isNumber && rule.isBeyond(value.number()));
    } finally {
      memory.hold(-held[0]);
    }
  }

  /// The aggregate of no events.
  private static Cell none(StatsQuery figures) {
    return new Aggregation(figures.ungrouped(), _ -> {}).rows(ZoneOffset.UTC).getFirst().getFirst();
  }
}
