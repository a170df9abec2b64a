package io.widerow.cql.schema;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import io.widerow.cql.type.NativeType;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// An index of a table: it finds rows by the values of a column that is not their whole key.
///
/// - Threads: any; immutable.
///
/// @param column its name
/// @param className the class that was given with USING; empty for the local index of Cassandra
/// @param options the ones that were given
/// @param number of its entries in all keys, never used again
public record SecondaryIndex(
    String name,
    String column,
    Target target,
    String className,
    Map<String, String> options,
    int number) {
  /// Types whose storage-attached index supports no range.
  private static final Set<CqlType> ONLY_EQUAL =
      Set.of(NativeType.TEXT, NativeType.ASCII, NativeType.BOOLEAN, NativeType.UUID);

  public SecondaryIndex {
    options = Collections.unmodifiableMap(new TreeMap<>(options));
  }

  /// The indexed part of a column.
  public enum Target {
    /// The value of a column that is no collection.
    SIMPLE,
    /// Each element of a list or a set, or each value of a map.
    VALUES,
    /// Each key of a map.
    KEYS,
    /// Each key of a map with its value.
    ENTRIES,
    /// A frozen collection as one value.
    FULL;

    /// As a statement has it; empty for a simple one.
    public String cql() {
      return this == SIMPLE ? "" : name().toLowerCase(Locale.ROOT);
    }
  }

  /// True when it was given a class: a storage-attached index.
  public boolean isCustom() {
    return !className.isEmpty();
  }

  /// The column with the part of it, as a statement has it.
  public String targetText() {
    String quoted = Identifiers.quoted(column);
    return target == Target.SIMPLE ? quoted : target.cql() + "(" + quoted + ")";
  }

  public SecondaryIndex withNumber(int newNumber) {
    return new SecondaryIndex(name, column, target, className, options, newNumber);
  }

  /// True when it indexes the same, whatever its name is.
  public boolean isDuplicate(SecondaryIndex other) {
    return column.equals(other.column)
        && target == other.target
        && className.equals(other.className)
        && options.equals(other.options);
  }

  /// True when a query with a condition on its column can be served by the index. A local index
  /// serves equality only, a storage-attached one ranges of numbers and times, too.
  ///
  /// @param of its column
  /// @param ofEntry whether the condition is about an entry of a map
  public boolean supports(Column of, Operator operator, boolean ofEntry) {
    if (!of.name().equals(column)) {
      return false;
    }
    if (ofEntry) {
      return target == Target.ENTRIES && operator == Operator.EQ;
    }
    return switch (target) {
      case VALUES -> operator == Operator.CONTAINS;
      case KEYS -> operator == Operator.CONTAINS_KEY;
      case ENTRIES -> false;
      case FULL -> operator == Operator.EQ;
      case SIMPLE ->
          operator == Operator.EQ || (operator.isSlice() && isCustom() && takesRanges(of.type()));
    };
  }

  private static boolean takesRanges(CqlType type) {
    return type instanceof NativeType && !ONLY_EQUAL.contains(type);
  }
}
