package io.widerow.cql.events;

import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowList;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.RowTaker;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.Use;
import io.widerow.event.AttributeName;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.storage.StoreView;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The rows of `widerow.events`, each page from a view of its own.
///
/// - Order: by ts and id over all types, as everywhere in the store.
public final class EventSource implements RowSource {
  /// A driver abandons a query long before, without a message.
  static final QueryBudget BUDGET =
      new QueryBudget(QueryBudget.DEFAULT.partitionsMax(), Long.MAX_VALUE, Duration.ofMinutes(2));

  private final Supplier<StoreView> views;
  private final QueryMemory memory;
  private final @Nullable RowTaker taker;

  /// Events that are only read.
  ///
  /// @param views gives a view of the store as it is now
  /// @param memory that all queries share
  public EventSource(Supplier<StoreView> views, QueryMemory memory) {
    this.views = views;
    this.memory = memory;
    this.taker = null;
  }

  /// @param views gives a view of the store as it is now
  /// @param memory that all queries share
  /// @param intake where INSERT brings events
  public EventSource(Supplier<StoreView> views, QueryMemory memory, EventIntake intake) {
    this.views = views;
    this.memory = memory;
    this.taker = new EventTaker(intake);
  }

  @Override
  public Table table() {
    return EventTable.TABLE;
  }

  @Override
  public @Nullable RowTaker taker() {
    return taker;
  }

  @Override
  public boolean isOrdered() {
    return true;
  }

  @Override
  public RowCursor open(RowScan scan, RequestPrincipal asker) {
    CqlPushdown pushdown = CqlPushdown.of(scan.conditions());
    ByteBuffer after = scan.after();
    if (pushdown.isEmpty()) {
      return new RowList(List.of(), null);
    }
    RangeQuery query =
        pushdown
            .query()
            .withDescending(scan.descending())
            .withAfter(after == null ? null : EventCursorRows.token(after))
            .withFields(fields(scan.uses(), pushdown.rest()));
    return open(query, pushdown.rest(), asker);
  }

  private RowCursor open(RangeQuery query, List<RowCondition> rest, RequestPrincipal asker) {
    StoreView view = views.get();
    try {
      RangeReader reader = RangeReader.open(view, query, BUDGET, memory);
      asker.onCancel().accept(reader::cancel);
      return new EventCursorRows(view, reader, rest, asker);
    } catch (RuntimeException refused) {
      view.close();
      throw refused;
    }
  }

  /// The attributes that are read (projection); null for all.
  private static @Nullable List<AttributeName> fields(List<Use> uses, List<RowCondition> rest) {
    Set<AttributeName> names = new TreeSet<>();
    List<Use> all = new ArrayList<>(uses);
    rest.forEach(condition -> all.add(new Use(condition.index(), condition.key())));
    for (Use use : all) {
      boolean map = use.column() == EventTable.ATTRIBUTES || use.column() == EventTable.NUMBERS;
      if (map && use.key() == null) {
        return null;
      }
      Object key = use.key();
      AttributeName name = map && key != null ? CqlEventRow.name(key) : null;
      if (name != null) {
        names.add(name);
      }
      if (use.column() == EventTable.BODY) {
        names.add(AttributeName.BODY);
      }
    }
    if (names.isEmpty()) {
      names.add(AttributeName.BODY); // an empty projection would mean all
    }
    return List.copyOf(names);
  }

  @Override
  public @Nullable RowCursor openGroups(RowScan scan, GroupBySpec groups, RequestPrincipal asker) {
    CqlPushdown pushdown = CqlPushdown.of(scan.conditions());
    EventFigures figures = EventFigures.of(groups);
    if (figures == null || pushdown.isEmpty() || !pushdown.rest().isEmpty()) {
      return null;
    }
    List<Row> rows;
    try (StoreView view = views.get()) {
      rows = figures.count(view, pushdown.query(), memory, asker);
    }
    return new RowList(rows, null);
  }
}
