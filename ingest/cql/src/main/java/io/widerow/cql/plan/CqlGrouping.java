package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.function.NativeFunction;
import io.widerow.cql.function.Sum;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.GroupBySpec;
import io.widerow.cql.schema.GroupPosition;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.Use;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.schema.Written;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import io.widerow.cql.type.ValueSize;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Groups of rows with their aggregates. A source that counts groups itself is asked for them;
/// otherwise all rows are read. The row of a group has the columns of the table, as in its first
/// row, and after them the aggregates.
///
/// @param by indexes of the columns to group by; empty for one group of all rows
/// @param last the value that the rows of a group share in addition to these columns; null for none
/// @param shown indexes of the columns that are shown
/// @param timed indexes of the columns whose times are shown, which are those of the first row
/// @param sorted whether groups come in the order of their keys; else in that of their first rows
record CqlGrouping(
    Table table,
    List<Integer> by,
    @Nullable Value last,
    List<Integer> shown,
    List<Scope.Aggregated> aggregates,
    List<Integer> timed,
    boolean sorted) {
  /// Heap bytes of a group and of one aggregate, estimated.
  private static final long GROUP_BYTES = 256;

  private static final long AGGREGATE_BYTES = 128;

  /// Functions whose values rise with those of their argument.
  private static final Set<String> RISING =
      Set.of("floor", "totimestamp", "todate", "tounixtimestamp");

  /// The encoding of null in the key of a group.
  private static final Object NOTHING = new Object();

  CqlGrouping {
    by = List.copyOf(by);
    shown = List.copyOf(shown);
    aggregates = List.copyOf(aggregates);
    timed = List.copyOf(timed);
  }

  /// The grouping of rows; null when each is shown.
  ///
  /// @param firstOnly whether the rows are those of DISTINCT; else their groups are
  static @Nullable CqlGrouping of(
      Statement.Select select,
      Scope scope,
      List<Restriction> where,
      boolean sorted,
      boolean firstOnly) {
    Table table = scope.table();
    List<Integer> by = new ArrayList<>();
    if (select.distinct() && !firstOnly) {
      table.of(Kind.PARTITION_KEY).forEach(column -> by.add(table.find(column.name())));
    }
    Value last = null;
    int next = 0;
    for (Expression group : select.groupBy()) {
      Value computed = computed(group, scope);
      int index = computed == null ? scope.require(group.toString()) : column(computed, scope);
      if (computed != null) {
        requireRising(group, computed);
      }
      if (last != null) {
        throw CqlException.invalid(
            "Functions are only supported on the last element of the GROUP BY clause");
      }
      while (next < index && isFixed(where, next)) {
        next++;
      }
      if (index != next || !table.columns().get(index).isKey()) {
        throw CqlException.invalid(
            "Group by currently only support groups of columns following their declared order in"
                + " the PRIMARY KEY");
      }
      if (select.distinct() && table.columns().get(index).kind() == Kind.CLUSTERING) {
        throw CqlException.invalid(
            "Grouping on clustering columns is not allowed for SELECT DISTINCT queries");
      }
      if (computed == null) {
        by.add(index);
      }
      last = computed;
      next++;
    }
    if (next > 0
        && next < table.columns().size()
        && table.columns().get(next).kind() == Kind.PARTITION_KEY
        && table.stored() != null) {
      throw CqlException.invalid("Group by is not supported on only a part of the partition key");
    }
    return by.isEmpty() && last == null && scope.aggregates().isEmpty()
        ? null
        : new CqlGrouping(
            table, by, last, scope.shown(), scope.aggregates(), scope.timed(), sorted);
  }

  /// A function of a clustering column; null for a column.
  private static @Nullable Value computed(Expression group, Scope scope) {
    if (group instanceof Expression.Name) {
      return null;
    }
    if (!(group instanceof Expression.Call call)) {
      throw new CqlException(
          Code.SYNTAX, "rows are grouped by columns, not by %s".formatted(group));
    }
    if (Functions.isAggregate(call)) {
      throw CqlException.invalid(
          "Aggregate functions are not supported within the GROUP BY clause, got: system.%s"
              .formatted(call.function()));
    }
    return new Compiler(scope, true).grouped(call);
  }

  private static void requireRising(Expression group, Value value) {
    if (group instanceof Expression.Call call
        && !RISING.contains(call.function().replace("_", ""))
        && value instanceof Value.OfFunction(CqlType result, List<Value> arguments, _)) {
      throw CqlException.invalid(
          "Only monotonic functions are supported in the GROUP BY clause. Got: %s "
              .formatted(
                  NativeFunction.signature(
                      call.function(), arguments.stream().map(Value::type).toList(), result)));
    }
  }

  /// The only column that a function reads.
  private static int column(Value value, Scope scope) {
    List<Use> uses = new ArrayList<>();
    value.addUses(new Bound(List.of(), List.of()), uses);
    List<Integer> indexes = uses.stream().map(Use::column).distinct().toList();
    if (indexes.size() != 1) {
      throw CqlException.invalid(
          "GROUP BY functions must have one clustering column name as parameter");
    }
    Column column = scope.table().columns().get(indexes.getFirst());
    if (column.kind() != Kind.CLUSTERING) {
      throw CqlException.invalid(
          "Group by functions are only supported on clustering columns, got %s"
              .formatted(column.name()));
    }
    return indexes.getFirst();
  }

  private static boolean isFixed(List<Restriction> where, int index) {
    return where.stream().anyMatch(each -> each.index() == index && each.operator() == Operator.EQ);
  }

  /// A group while its rows are read.
  static final class Group {
    private final @Nullable Object[] values; // of the columns, then of the aggregates
    private final List<Accumulator> tallies;
    private final Map<Integer, List<@Nullable Written>> times = new HashMap<>(); // by column

    private Group(@Nullable Object[] values, List<Accumulator> tallies) {
      this.values = values;
      this.tallies = tallies;
    }

    /// Adds a row to the aggregates.
    void add(Row row, Bound bound) {
      tallies.forEach(tally -> tally.add(row, bound));
    }
  }

  /// One aggregate of one group. Nulls are not counted.
  private static final class Accumulator {
    private final Scope.Aggregated aggregate;
    private final @Nullable Sum sum;
    private final LongConsumer memory;
    private long count;
    private @Nullable Object extreme;

    Accumulator(Scope.Aggregated aggregate, LongConsumer memory) {
      this.aggregate = aggregate;
      this.memory = memory;
      boolean sums =
          aggregate.kind() == GroupBySpec.Kind.SUM || aggregate.kind() == GroupBySpec.Kind.AVG;
      this.sum = sums ? new Sum((NativeType) aggregate.type()) : null;
    }

    void add(Row row, Bound bound) {
      Value argument = aggregate.argument();
      if (argument == null) {
        count++;
        return;
      }
      Object value = argument.of(row, bound);
      if (value == null) {
        return;
      }
      switch (aggregate.kind()) {
        case COUNT -> count++;
        case MIN -> keep(value, extreme == null || order(value) < 0);
        case MAX -> keep(value, extreme == null || order(value) > 0);
        case SUM, AVG -> add(Objects.requireNonNull(sum), value);
      }
    }

    private void add(Sum to, Object value) {
      long before = to.bytes();
      to.add(value);
      memory.accept(to.bytes() - before);
    }

    private void keep(Object value, boolean isExtreme) {
      if (isExtreme) {
        memory.accept(ValueSize.bytes(value) - ValueSize.bytes(extreme));
        extreme = value;
      }
    }

    private int order(Object value) {
      return ValueOrder.compare(aggregate.type(), value, Objects.requireNonNull(extreme));
    }

    @Nullable Object result() {
      return switch (aggregate.kind()) {
        case COUNT -> count;
        case MIN, MAX -> extreme;
        case SUM -> Objects.requireNonNull(sum).sum();
        case AVG -> Objects.requireNonNull(sum).average();
      };
    }
  }

  /// The row of a group.
  private record GroupRow(ValueRow values, Map<Integer, List<@Nullable Written>> times)
      implements Row {
    @Override
    public @Nullable Object value(int column) {
      return values.value(column);
    }

    @Override
    public @Nullable Object element(int column, Object key) {
      return values.element(column, key);
    }

    @Override
    public void put(int column, CellBuffer out) {
      values.put(column, out);
    }

    @Override
    public List<@Nullable Written> written(int column) {
      return times.getOrDefault(column, List.of());
    }
  }

  /// Adds the columns that are read of each row in addition to the selection.
  void addUses(Bound bound, List<Use> uses) {
    by.forEach(index -> uses.add(new Use(index, null)));
    if (last != null) {
      last.addUses(bound, uses);
    }
    for (Scope.Aggregated aggregate : aggregates) {
      if (aggregate.argument() != null) {
        aggregate.argument().addUses(bound, uses);
      }
    }
  }

  /// True when all rows are one group.
  boolean isOfAll() {
    return by.isEmpty() && last == null;
  }

  /// The rows of all groups by their keys, in order.
  ///
  /// @param most groups of one partition
  Map<List<Object>, Row> rows(
      RowSource source, RowScan scan, Bound bound, RequestPrincipal asker, long most) {
    GroupBySpec asked = asked(bound);
    RowCursor counted = asked == null ? null : source.openGroups(scan, asked, asker);
    Map<List<Object>, Row> rows = sorted ? new TreeMap<>(order()) : new LinkedHashMap<>();
    if (counted != null) {
      try (counted) {
        while (counted.next()) {
          rows.put(key(counted.row(), bound), counted.row());
        }
      }
      return rows;
    }
    Map<List<Object>, Group> groups = new LinkedHashMap<>();
    try (RowCursor cursor = source.open(scan, asker)) {
      while (cursor.next()) {
        add(cursor.row(), groups, bound, asker);
      }
    }
    if (groups.isEmpty() && isOfAll()) {
      groups.put(List.of(), group(null, asker.memory()));
    }
    List<CqlType> types = types();
    Map<List<Object>, Integer> counts = new HashMap<>();
    groups.forEach((key, group) -> {
      if (most == Long.MAX_VALUE || counts.merge(partition(key), 1, Integer::sum) <= most) {
        rows.put(key, row(group, types));
      }
    });
    return rows;
  }

  /// The part of a key that names the partition.
  List<Object> partition(List<Object> key) {
    int columns = 0;
    for (int index : by) {
      columns += table.columns().get(index).kind() == Kind.PARTITION_KEY ? 1 : 0;
    }
    return key.subList(0, columns);
  }

  /// Leaves out the groups up to that of a position.
  ///
  /// @throws CqlException when it is not a position of such groups
  void removeUntil(GroupPosition after, Map<List<Object>, Row> rows) {
    List<Object> reached = key(after.key());
    Comparator<List<Object>> order = order();
    rows.keySet().removeIf(key -> order.compare(key, reached) <= 0);
  }

  /// The grouping that a source may aggregate; null when it is more than groups of columns.
  private @Nullable GroupBySpec asked(Bound bound) {
    if (last != null || !by.containsAll(shown)) {
      return null;
    }
    List<GroupBySpec.Aggregate> asked = new ArrayList<>();
    for (Scope.Aggregated aggregate : aggregates) {
      switch (aggregate.argument()) {
        case null -> asked.add(new GroupBySpec.Aggregate(aggregate.kind(), -1, null));
        case Value.OfColumn(_, int index) ->
            asked.add(new GroupBySpec.Aggregate(aggregate.kind(), index, null));
        case Value.OfElement(_, int index, Value key) ->
            asked.add(new GroupBySpec.Aggregate(aggregate.kind(), index, key.of(null, bound)));
        default -> {
          return null;
        }
      }
    }
    return new GroupBySpec(by, asked);
  }

  private List<CqlType> keyTypes() {
    List<CqlType> types = new ArrayList<>();
    by.forEach(index -> types.add(table.columns().get(index).type()));
    if (last != null) {
      types.add(last.type());
    }
    return types;
  }

  private Comparator<List<Object>> order() {
    List<CqlType> types = keyTypes();
    return (one, other) -> {
      int order = 0;
      for (int i = 0; i < types.size() && order == 0; i++) {
        order = ValueOrder.compare(types.get(i), one.get(i), other.get(i));
      }
      return order;
    };
  }

  /// The key of the group that a row is in.
  List<Object> key(Row row, Bound bound) {
    List<Object> key = new ArrayList<>(by.size());
    for (int index : by) {
      Object value = row.value(index); // null in a partition that has only static columns
      key.add(value == null ? NOTHING : value);
    }
    if (last != null) {
      Object value = last.of(row, bound);
      key.add(value == null ? NOTHING : value);
    }
    return key;
  }

  /// The bytes of a key: of each value its length, negative for none, and its bytes.
  ByteBuffer bytes(List<Object> key) {
    List<CqlType> types = keyTypes();
    CellBuffer out = new CellBuffer(64);
    for (int i = 0; i < key.size(); i++) {
      if (key.get(i).equals(NOTHING)) {
        out.putInt(-1);
      } else {
        byte[] value = WireCodec.bytes(WireCodec.encode(types.get(i), key.get(i)));
        out.putInt(value.length);
        out.put(value);
      }
    }
    return ByteBuffer.wrap(out.bytes(), 0, out.length()).slice();
  }

  /// @throws CqlException when the bytes are not those of a key
  List<Object> key(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    List<Object> key = new ArrayList<>();
    for (CqlType type : keyTypes()) {
      int length = rest.remaining() < Integer.BYTES ? Integer.MAX_VALUE : rest.getInt();
      if (length > rest.remaining()) {
        throw CqlException.protocol("Invalid value for the paging state");
      }
      if (length < 0) {
        key.add(NOTHING);
      } else {
        Object value = WireCodec.decode(type, rest.slice(rest.position(), length));
        key.add(value == null ? NOTHING : value);
        rest.position(rest.position() + length);
      }
    }
    return key;
  }

  private void add(Row row, Map<List<Object>, Group> groups, Bound bound, RequestPrincipal asker) {
    List<Object> key = key(row, bound);
    Group group = groups.get(key);
    if (group == null) {
      asker
          .memory()
          .accept(GROUP_BYTES + AGGREGATE_BYTES * aggregates.size() + ValueSize.bytes(key));
      group = group(row, asker.memory());
      groups.put(key, group);
    }
    group.add(row, bound);
  }

  /// @param memory receives the bytes of its values
  Group group(@Nullable Row first, LongConsumer memory) {
    @Nullable Object[] values = new Object[table.columns().size() + aggregates.size()];
    if (first != null) {
      by.forEach(index -> values[index] = first.value(index));
      shown.forEach(index -> values[index] = first.value(index));
      for (@Nullable Object value : values) {
        memory.accept(ValueSize.bytes(value));
      }
    }
    Group group =
        new Group(values, aggregates.stream().map(each -> new Accumulator(each, memory)).toList());
    if (first != null) {
      timed.forEach(index -> group.times.put(index, first.written(index)));
    }
    return group;
  }

  Row row(Group group, List<CqlType> types) {
    for (int i = 0; i < aggregates.size(); i++) {
      group.values[table.columns().size() + i] = group.tallies.get(i).result();
    }
    return new GroupRow(new ValueRow(types, group.values), group.times);
  }

  List<CqlType> types() {
    List<CqlType> types = new ArrayList<>(table.columns().stream().map(Column::type).toList());
    aggregates.forEach(aggregate -> types.add(aggregate.type()));
    return types;
  }
}
