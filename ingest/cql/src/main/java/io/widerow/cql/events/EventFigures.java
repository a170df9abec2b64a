package io.widerow.cql.events;

import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreView;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Aggregates of events, all together or by type, as `--stats` counts them (aggregation pushdown):
/// from groups, rollups and minutes where these are kept.
///
/// @param kinds of the aggregates, in the order of the result
record EventFigures(StatsQuery stats, List<GroupBySpec.Kind> kinds) {
  private static final AttributeName TYPE = AttributeName.of("type");

  EventFigures {
    kinds = List.copyOf(kinds);
  }

  /// @return null when the store does not count so
  static @Nullable EventFigures of(GroupBySpec groups) {
    boolean byType = groups.by().equals(List.of(EventTable.TYPE));
    if (!byType && !groups.by().isEmpty()) {
      return null;
    }
    List<Aggregate> measures = new ArrayList<>();
    for (GroupBySpec.Aggregate asked : groups.aggregates()) {
      Aggregate measure = measure(asked);
      if (measure == null) {
        return null;
      }
      measures.add(measure);
    }
    if (measures.isEmpty()) { // the types alone
      measures.add(new Aggregate(Aggregate.Kind.COUNT, null, 0));
    }
    return new EventFigures(
        new StatsQuery(measures, byType ? List.of(TYPE) : List.of(), 0),
        groups.aggregates().stream().map(GroupBySpec.Aggregate::kind).toList());
  }

  private static @Nullable Aggregate measure(GroupBySpec.Aggregate asked) {
    if (asked.kind() == GroupBySpec.Kind.COUNT) {
      boolean always =
          asked.index() < 0
              || asked.index() == EventTable.TYPE
              || asked.index() == EventTable.TS
              || asked.index() == EventTable.ID;
      return always ? new Aggregate(Aggregate.Kind.COUNT, null, 0) : null;
    }
    Object key = asked.index() == EventTable.NUMBERS ? asked.key() : null;
    AttributeName name = key == null ? null : CqlEventRow.name(key);
    if (name == null) {
      return null;
    }
    Aggregate.Kind kind =
        switch (asked.kind()) {
          case SUM -> Aggregate.Kind.SUM;
          case AVG -> Aggregate.Kind.AVG;
          case MIN -> Aggregate.Kind.MIN;
          case MAX -> Aggregate.Kind.MAX;
          case COUNT -> Aggregate.Kind.COUNT;
        };
    return new Aggregate(kind, AttributeName.of(NameText.shown(name.toString())), 0);
  }

  /// Counts the events of a range.
  List<Row> count(StoreView view, RangeQuery query, QueryMemory memory, RequestPrincipal asker) {
    long begun = System.nanoTime();
    Aggregation counted = new Aggregation(stats, asker.memory());
    Grouping fold = stats.fold();
    ReadMode mode =
        fold == null
            ? ReadMode.ANY_ORDER.withRollup(stats.question())
            : ReadMode.grouped(fold.withCells());
    RangeQuery counting = query.withFields(stats.fields());
    try (RangeReader reader = RangeReader.open(view, counting, mode, EventSource.BUDGET, memory)) {
      asker.onCancel().accept(reader::cancel);
      while (reader.nextWhenReady() == Step.EVENT) {
        counted.add(reader.event());
      }
      EventCursorRows.trace(asker, reader, begun);
    }
    return counted.rows(ZoneOffset.UTC).stream().map(this::row).toList();
  }

  /// The row of a group: its type, if grouped so, and after all columns the aggregates.
  private Row row(List<Cell> cells) {
    int columns = EventTable.TYPES.size();
    List<CqlType> types = new ArrayList<>(EventTable.TYPES);
    @Nullable Object[] values = new Object[columns + kinds.size()];
    int groupColumns = stats.groupColumns();
    if (groupColumns > 0) {
      values[EventTable.TYPE] = cells.getFirst().text();
    }
    for (int i = 0; i < kinds.size(); i++) {
      boolean counts = kinds.get(i) == GroupBySpec.Kind.COUNT;
      types.add(counts ? NativeType.BIGINT : NativeType.DOUBLE);
      values[columns + i] = value(kinds.get(i), cells.get(groupColumns + i));
    }
    return new ValueRow(types, values);
  }

  private static @Nullable Object value(GroupBySpec.Kind kind, Cell cell) {
    return switch (kind) {
      case COUNT -> cell.whole();
      case SUM, AVG -> cell.number(); // 0 when missing
      case MIN, MAX -> cell.kind() == Cell.Kind.MISSING ? null : (Object) cell.number();
    };
  }
}
