package io.widerow.cql.table;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.KeyLimits.TupleCondition;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.ValueOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Computes the ranges of keys that have all rows that meet the conditions on the key.
///
/// - Threads: one.
public final class KeySpans {
  private static final int KEYS_MAX = 1 << 16;

  /// Heap memory of the values of a key, or of its range.
  static final long KEY_BYTES = 256;

  private final Table table;
  private final TableKeys keys;
  private final List<RowCondition> conditions;
  private final List<TupleCondition> tuples;
  private final LongConsumer memory;
  private long held; // while keys are made
  private final Set<RowCondition> used =
      identities(); // to compare them is to hash each value of IN
  private final Set<TupleCondition> usedTuples = identities();

  /// A range of keys: its least one, and the key after its greatest.
  public static final class Span {
    private final byte[] from;
    private final byte[] until;

    public Span(byte[] from, byte[] until) {
      this.from = from;
      this.until = until;
    }

    public byte[] from() {
      return from;
    }

    public byte[] until() {
      return until;
    }

    /// True when it has one key.
    public boolean isOne() {
      return Arrays.equals(until, TableKeys.next(from));
    }

    private boolean isEmpty() {
      return Arrays.compareUnsigned(from, until) >= 0;
    }
  }

  /// For a change. Its keys are not counted as memory: one change is made at a time.
  public KeySpans(Table table, TableKeys keys, List<RowCondition> conditions, KeyLimits limits) {
    this(table, keys, conditions, limits, _ -> {});
  }

  /// @param memory receives the bytes of keys while they are made; it may refuse by throwing
  KeySpans(
      Table table,
      TableKeys keys,
      List<RowCondition> conditions,
      KeyLimits limits,
      LongConsumer memory) {
    this.memory = memory;
    this.table = table;
    this.keys = keys;
    this.conditions = conditions;
    this.tuples = limits.tuples();
  }

  /// The partitions in the order of the values of their keys, which is that of IN; null when the
  /// conditions do not name them.
  public @Nullable List<byte[]> partitions() {
    List<List<Object>> all = List.of(List.of());
    for (Column column : table.of(Kind.PARTITION_KEY)) {
      RowCondition condition = exact(column);
      if (condition == null) {
        used.clear();
        release();
        return null;
      }
      TreeSet<Object> inOrder =
          new TreeSet<>((one, other) -> ValueOrder.compare(column.type(), one, other));
      inOrder.addAll(condition.values());
      all = product(all, condition, inOrder);
    }
    List<byte[]> partitions = all.stream().map(keys::partition).toList();
    release();
    return partitions;
  }

  private static <T> Set<T> identities() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private void release() {
    memory.accept(-held);
    held = 0;
  }

  private List<List<Object>> product(
      List<List<Object>> before, RowCondition condition, Collection<Object> each) {
    used.add(condition);
    hold(before.size(), each.size());
    List<List<Object>> all = new ArrayList<>();
    for (List<Object> values : before) {
      for (Object value : each) {
        List<Object> more = new ArrayList<>(values);
        more.add(value);
        all.add(more);
      }
    }
    return all;
  }

  private void hold(int before, int values) {
    if ((long) before * values > KEYS_MAX) {
      throw CqlException.invalid(
          "IN restrictions name %d keys together; at most %d are allowed"
              .formatted((long) before * values, KEYS_MAX));
    }
    long more = 2 * KEY_BYTES * before * values;
    held += more;
    memory.accept(more);
  }

  private @Nullable RowCondition exact(Column column) {
    for (RowCondition condition : conditions) {
      boolean exact = condition.operator() == Operator.EQ || condition.operator() == Operator.IN;
      if (exact && condition.key() == null && isOf(condition, column)) {
        return condition;
      }
    }
    return null;
  }

  private boolean isOf(RowCondition condition, Column column) {
    return table.columns().get(condition.index()).equals(column);
  }

  /// The ranges of one partition, in the order of their keys.
  public List<Span> spans(byte[] partition) {
    List<List<Object>> prefixes = List.of(List.of());
    List<Column> clustering = keys.clustering();
    int at = 0;
    while (at < clustering.size()) {
      Column column = clustering.get(at);
      RowCondition condition = exact(column);
      TupleCondition tuple = condition == null ? tuple(column, false) : null;
      if (condition != null) {
        prefixes = product(prefixes, condition, condition.values());
        at++;
      } else if (tuple != null) {
        prefixes = product(prefixes, tuple);
        at += tuple.indexes().size();
      } else {
        break;
      }
    }
    TreeMap<byte[], Span> spans = new TreeMap<>(Arrays::compareUnsigned);
    for (List<Object> prefix : prefixes) {
      List<Span> found =
          at == clustering.size()
              ? List.of(row(partition, prefix))
              : slices(partition, prefix, clustering.get(at));
      found.forEach(span -> spans.put(span.from, span));
    }
    release();
    return List.copyOf(spans.values());
  }

  private List<List<Object>> product(List<List<Object>> before, TupleCondition tuple) {
    usedTuples.add(tuple);
    hold(before.size(), tuple.values().size());
    List<List<Object>> all = new ArrayList<>();
    for (List<Object> values : before) {
      for (List<Object> each : tuple.values()) {
        List<Object> more = new ArrayList<>(values);
        more.addAll(each);
        all.add(more);
      }
    }
    return all;
  }

  private @Nullable TupleCondition tuple(Column first, boolean slice) {
    for (TupleCondition tuple : tuples) {
      boolean begins = table.columns().get(tuple.indexes().getFirst()).equals(first);
      if (begins && tuple.operator().isSlice() == slice) {
        return tuple;
      }
    }
    return null;
  }

  private Span row(byte[] partition, List<Object> values) {
    byte[] key = keys.row(partition, values);
    return new Span(key, TableKeys.next(key));
  }

  /// The ranges behind a prefix: those of the conditions that begin with the next column.
  private List<Span> slices(byte[] partition, List<Object> prefix, Column column) {
    byte[] all = keys.prefix(partition, prefix);
    List<Span> spans = List.of(new Span(all, TableKeys.after(all)));
    for (RowCondition condition : conditions) {
      if (isOf(condition, column) && condition.operator().isSlice()) {
        used.add(condition);
        List<Object> bound = List.of(condition.value());
        spans =
            common(spans, List.of(slice(partition, prefix, bound, condition.operator(), column)));
      }
    }
    for (TupleCondition tuple : tuples) {
      boolean begins = table.columns().get(tuple.indexes().getFirst()).equals(column);
      if (begins && tuple.operator().isSlice()) {
        usedTuples.add(tuple);
        spans = common(spans, slices(partition, prefix, tuple));
      }
    }
    return spans;
  }

  /// The range behind a prefix that a bound on its next columns leaves.
  ///
  /// @param column whose direction is that of all of them
  private Span slice(
      byte[] partition, List<Object> prefix, List<Object> bound, Operator operator, Column column) {
    byte[] all = keys.prefix(partition, prefix);
    List<Object> values = new ArrayList<>(prefix);
    values.addAll(bound);
    Span span = new Span(all, TableKeys.after(all));
    return cut(span, keys.prefix(partition, values), operator, column.descending());
  }

  /// The ranges of a condition on several columns. When the columns have different directions,
  /// there is one range for each column: the rows that differ first in the first column, then the
  /// rows that differ first in the second, and so on.
  private List<Span> slices(byte[] partition, List<Object> prefix, TupleCondition tuple) {
    List<Object> bound = tuple.values().getFirst();
    Column last = table.columns().get(tuple.indexes().getLast());
    if (isOneWay(tuple)) {
      return List.of(slice(partition, prefix, bound, tuple.operator(), last));
    }
    Operator beyond = tuple.operator().isStart() ? Operator.GT : Operator.LT;
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < bound.size(); i++) {
      List<Object> same = new ArrayList<>(prefix);
      same.addAll(bound.subList(0, i));
      Column differs = table.columns().get(tuple.indexes().get(i));
      Operator operator = differs.equals(last) ? tuple.operator() : beyond;
      spans.add(slice(partition, same, bound.subList(i, i + 1), operator, differs));
    }
    return spans;
  }

  /// The intersection of two lists of ranges.
  private static List<Span> common(List<Span> some, List<Span> others) {
    List<Span> common = new ArrayList<>();
    for (Span one : some) {
      for (Span other : others) {
        byte[] until = Arrays.compareUnsigned(one.until, other.until) < 0 ? one.until : other.until;
        Span both = new Span(greater(one.from, other.from), until);
        if (!both.isEmpty()) {
          common.add(both);
        }
      }
    }
    return common;
  }

  private boolean isOneWay(TupleCondition tuple) {
    return tuple.indexes().stream()
            .map(index -> table.columns().get(index).descending())
            .distinct()
            .count()
        == 1;
  }

  /// Cuts what does not meet a bound off a range.
  private static Span cut(Span span, byte[] bound, Operator operator, boolean descending) {
    boolean inclusive = operator == Operator.GTE || operator == Operator.LTE;
    boolean start = operator.isStart() != descending;
    if (start) {
      byte[] from = inclusive ? bound : TableKeys.after(bound);
      return new Span(greater(span.from, from), span.until);
    }
    byte[] until = inclusive ? TableKeys.after(bound) : bound;
    return new Span(span.from, Arrays.compareUnsigned(span.until, until) < 0 ? span.until : until);
  }

  private static byte[] greater(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) > 0 ? one : other;
  }

  /// True when a condition is about a clustering column.
  public boolean isClusteringRestricted() {
    return !tuples.isEmpty()
        || conditions.stream()
            .anyMatch(each -> table.columns().get(each.index()).kind() == Column.Kind.CLUSTERING);
  }

  /// The conditions that the ranges of [#spans] have not taken into account.
  public List<RowCondition> rest() {
    return conditions.stream().filter(each -> !used.contains(each)).toList();
  }

  /// Refuses conditions that the ranges of [#spans] do not express. For callers that do not try
  /// conditions on each row.
  ///
  /// @throws CqlException when there is one
  public void requireNothingLeft() {
    if (!used.containsAll(conditions) || !usedTuples.containsAll(tuples)) {
      throw CqlException.invalid(
          "Conditions that name no rows cannot be part of a change of %s"
              .formatted(table.qualified()));
    }
  }
}
