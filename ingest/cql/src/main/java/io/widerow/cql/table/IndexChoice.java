package io.widerow.cql.table;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.key.IndexKeys;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.SecondaryIndex.Target;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Chooses the index by which the rows of a query are read: of the ones that its conditions allow,
/// the one with the fewest entries for them. Entries are counted up to a limit; equality comes
/// before a range where both exceed it.
///
/// - Threads: one.
final class IndexChoice {
  private static final int COUNTED_MAX = 1_024;
  private static final int VALUE_BYTES_MAX = 0xffff;

  private final Table table;
  private final List<RowCondition> conditions;
  private final IntPredicate built;

  /// @param built whether the index of a number has all rows
  IndexChoice(Table table, List<RowCondition> conditions, IntPredicate built) {
    this.table = table;
    this.conditions = conditions;
    this.built = built;
  }

  /// The part of an index that has all rows which meet a condition.
  ///
  /// @param name of the index
  /// @param values ranges of keys, one for each value, or one with all values of a range
  /// @param isRange whether they have several values
  record Part(String name, IndexKeys keys, List<Span> values, boolean isRange, boolean ofStatics) {}

  /// The part to read; null when no index helps.
  ///
  /// @param named whether the conditions name partitions: then only equality of a column that is in
  ///   no key reads less than the partitions have
  /// @throws CqlException when all indexes that help are being built
  @Nullable Part choose(TableView view, boolean named, long nowSeconds) {
    List<Part> parts = new ArrayList<>();
    SecondaryIndex unbuilt = null;
    for (SecondaryIndex index : table.indexes()) {
      Column column = table.columns().get(table.find(index.column()));
      Part part = named && column.kind() != Kind.REGULAR ? null : part(index, column);
      if (part == null || (named && part.isRange)) {
        continue;
      }
      if (built.test(index.number())) {
        parts.add(part);
      } else {
        unbuilt = index;
      }
    }
    if (parts.isEmpty() && unbuilt != null && !named) {
      throw new CqlException(
          Code.OVERLOADED,
          "The secondary index '%s' is not yet available: it is being built; see widerow.indexes"
              .formatted(unbuilt.name()));
    }
    if (parts.size() < 2) {
      return parts.isEmpty() ? null : parts.getFirst();
    }
    parts.sort(Comparator.comparing(Part::isRange));
    Part least = parts.getFirst();
    int entries = Integer.MAX_VALUE;
    for (Part part : parts) {
      int found = entries(part, view, nowSeconds);
      if (found < entries) {
        least = part;
        entries = found;
      }
    }
    return least;
  }

  private static int entries(Part part, TableView view, long nowSeconds) {
    int count = 0;
    for (Span span : part.values) {
      try (TableCursor cursor = view.scan(span.from(), span.until(), false, nowSeconds)) {
        while (count < COUNTED_MAX && cursor.next()) {
          count++;
        }
      }
    }
    return count;
  }

  private @Nullable Part part(SecondaryIndex index, Column column) {
    IndexKeys keys = IndexKeys.of(table, index);
    byte[] from = keys.start();
    byte[] until = keys.end();
    boolean bounded = false;
    for (RowCondition condition : conditions) {
      if (!table.columns().get(condition.index()).equals(column)) {
        continue;
      }
      List<List<Object>> values = values(index.target(), condition);
      if (!values.isEmpty()) {
        List<Span> spans = new ArrayList<>();
        for (List<Object> value : values) {
          requireShort(index, condition, value);
          byte[] prefix = keys.value(value);
          spans.add(new Span(prefix, IndexKeys.behind(prefix)));
        }
        boolean ofStatics = column.kind() == Kind.STATIC;
        return new Part(index.name(), keys, spans, values.size() > 1, ofStatics);
      }
      if (index.target() == Target.SIMPLE
          && condition.key() == null
          && condition.operator().isSlice()) {
        byte[] bound = keys.value(List.of(condition.value())); // inclusive: rows are tested
        bounded = true;
        if (condition.operator().isStart()) {
          from = bound;
        } else {
          until = IndexKeys.behind(bound);
        }
      }
    }
    return bounded
        ? new Part(
            index.name(), keys, List.of(new Span(from, until)), true, column.kind() == Kind.STATIC)
        : null;
  }

  /// The values of an index that meet a condition; none when it is not about such values.
  private static List<List<Object>> values(Target target, RowCondition condition) {
    Operator operator = condition.operator();
    Object key = condition.key();
    if (key != null) {
      return target == Target.ENTRIES && operator == Operator.EQ
          ? List.of(List.of(key, condition.value()))
          : List.of();
    }
    boolean named =
        switch (target) {
          case SIMPLE, FULL -> operator == Operator.EQ || operator == Operator.IN;
          case VALUES -> operator == Operator.CONTAINS;
          case KEYS -> operator == Operator.CONTAINS_KEY;
          case ENTRIES -> false;
        };
    return named ? condition.values().stream().map(value -> List.of(value)).toList() : List.of();
  }

  private static void requireShort(
      SecondaryIndex index, RowCondition condition, List<Object> value) {
    int bytes = WireCodec.encode(condition.type(), value.getLast()).remaining();
    if (!index.isCustom() && bytes > VALUE_BYTES_MAX) {
      throw CqlException.invalid("Index expression values may not be larger than 64K");
    }
  }
}
