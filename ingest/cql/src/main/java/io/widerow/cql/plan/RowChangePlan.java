package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.CellChange;
import io.widerow.cql.change.RowChange;
import io.widerow.cql.change.WriteCondition;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.plan.ChangeCompiler.Times;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An INSERT, UPDATE or DELETE with its types; [RowChange] is the same with its values.
///
/// @param json the source of columns and key of an INSERT instead; null for none
record RowChangePlan(
    Table table,
    RowChange.How how,
    List<Restriction> where,
    List<KeyRestriction> keys,
    List<Operation> operations,
    Times times,
    ChangeCompiler.@Nullable Condition guard,
    @Nullable JsonRow json) {
  private static final int TTL_MAX = 630_720_000;

  RowChangePlan {
    where = List.copyOf(where);
    keys = List.copyOf(keys);
    operations = List.copyOf(operations);
  }

  /// @param timestamp of the execution or the batch; null for now
  RowChange bind(Bound bound, @Nullable Long timestamp) {
    List<RowCondition> conditions = new ArrayList<>();
    where.forEach(each -> conditions.add(each.bind(bound)));
    List<CellChange> cells = new ArrayList<>();
    for (Operation operation : operations) {
      CellChange change = operation.bind(bound);
      if (change != null) {
        cells.add(change);
      }
    }
    if (json != null) {
      json.bind(bound, conditions, cells);
    }
    List<KeyLimits.TupleCondition> tuples = keys.stream().map(each -> each.tuple(bound)).toList();
    boolean now = table.isCounter() || guard != null;
    return new RowChange(
        table,
        how,
        conditions,
        new KeyLimits(tuples, List.of(), 0, false),
        cells,
        now ? null : timestamp(bound, timestamp),
        ttl(bound),
        guard(bound));
  }

  private @Nullable Long timestamp(Bound bound, @Nullable Long given) {
    Long own = timestamp(times, bound);
    return own == null ? given : own;
  }

  /// The value of USING TIMESTAMP; null for none.
  static @Nullable Long timestamp(Times times, Bound bound) {
    Value value = times.timestamp();
    if (value == null || (value instanceof Value.OfVariable(_, int i) && bound.isUnset(i))) {
      return null;
    }
    if (!(value.of(null, bound) instanceof Long micros)) {
      throw CqlException.invalid("Invalid null value of timestamp");
    }
    if (micros == Long.MIN_VALUE) {
      throw CqlException.invalid(
          "Out of bound timestamp, must be in [%d, %d]"
              .formatted(Long.MIN_VALUE + 1, Long.MAX_VALUE));
    }
    return micros;
  }

  private int ttl(Bound bound) {
    Value value = times.ttl();
    int standard = how == RowChange.How.DELETE ? 0 : table.options().ttlSeconds();
    if (table.isCounter()) {
      return 0;
    }
    if (value == null || (value instanceof Value.OfVariable(_, int i) && bound.isUnset(i))) {
      return standard;
    }
    if (!(value.of(null, bound) instanceof Integer ttl)) {
      return 0; // null, as in Cassandra; only one that is unset is that of the table
    }
    if (ttl < 0) {
      throw CqlException.invalid("A TTL must be greater or equal to 0, but was " + ttl);
    }
    if (ttl > TTL_MAX) {
      throw CqlException.invalid(
          "ttl is too large. requested (%d) maximum (%d)".formatted(ttl, TTL_MAX));
    }
    return ttl;
  }

  private @Nullable WriteCondition guard(Bound bound) {
    ChangeCompiler.Condition condition = guard;
    if (condition == null) {
      return null;
    }
    List<Integer> shown = new ArrayList<>();
    if (condition.notExists() || condition.exists()) {
      table.columns().forEach(column -> shown.add(table.find(column.name())));
    }
    for (Kind kind : List.of(Kind.REGULAR, Kind.STATIC)) { // as Cassandra has them
      condition.tests().stream()
          .map(ColumnCondition::index)
          .filter(index -> table.columns().get(index).kind() == kind && !shown.contains(index))
          .forEach(shown::add);
    }
    return new WriteCondition(
        condition.exists(),
        condition.notExists(),
        row -> condition.tests().stream().allMatch(test -> test.test(row, bound)),
        shown);
  }

  /// Which variables are the partition key; empty when one of its columns has none.
  List<Integer> partitionKey() {
    List<Integer> indexes = new ArrayList<>();
    for (Column column : table.of(Kind.PARTITION_KEY)) {
      for (Restriction each : where) {
        if (each.column().equals(column)
            && each.operator() == Operator.EQ
            && each.values().getFirst() instanceof Value.OfVariable(_, int index)) {
          indexes.add(index);
        }
      }
    }
    return indexes.size() == table.of(Kind.PARTITION_KEY).size() ? indexes : List.of();
  }
}
