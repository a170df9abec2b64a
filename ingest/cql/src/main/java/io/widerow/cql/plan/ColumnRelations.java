package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.KeyRelation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The conditions on each column so far. A condition that conflicts with an earlier one on its
/// columns is refused with the error for the earlier one.
///
/// - Threads: one.
final class ColumnRelations {
  private final Map<Column, Said> ofColumns = new HashMap<>();
  private final Map<Column, Said> ofTokens = new HashMap<>();

  /// The conditions on some columns.
  ///
  /// @param operator of the first condition
  /// @param part whether it is about elements of the column
  private record Said(
      List<Column> columns, Operator operator, boolean part, boolean start, boolean end) {
    static Said of(List<Column> columns, Operator operator, boolean part) {
      boolean slice = operator.isSlice();
      return new Said(
          columns, operator, part, slice && operator.isStart(), slice && !operator.isStart());
    }

    /// Both together.
    Said with(Said other) {
      String shared =
          columns.stream()
              .filter(other.columns::contains)
              .map(Column::name)
              .collect(Collectors.joining(", "));
      if (part) {
        require(
            other.part,
            "Collection column %s can only be restricted by CONTAINS, CONTAINS KEY, or map-entry"
                + " equality",
            shared);
        return this;
      }
      if (operator == Operator.LIKE
          && other.operator != Operator.EQ
          && other.operator != Operator.IN) {
        return this;
      }
      if (!operator.isSlice()) {
        throw CqlException.invalid(
            "%s cannot be restricted by more than one relation if it includes %s"
                .formatted(shared, operator == Operator.EQ ? "an Equal" : "a " + operator.sign));
      }
      require(
          other.operator.isSlice() || other.operator == Operator.LIKE,
          "Column \"%s\" cannot be restricted by both an equality and an inequality relation",
          shared);
      Column first = columns.getFirst();
      Column others = other.columns.getFirst();
      require(
          first.equals(others),
          "Column \"%s\" cannot be restricted by two inequalities not starting with the same"
              + " column",
          (first.position() > others.position() ? first : others).name());
      require(
          !(start && other.start),
          "More than one restriction was found for the start bound on %s",
          shared);
      require(
          !(end && other.end),
          "More than one restriction was found for the end bound on %s",
          shared);
      boolean wider = other.columns.size() > columns.size();
      return new Said(
          wider ? other.columns : columns, operator, false, start || other.start, end || other.end);
    }

    private static void require(boolean met, String otherwise, String name) {
      if (!met) {
        throw CqlException.invalid(otherwise.formatted(name));
      }
    }
  }

  void add(Restriction restriction) {
    boolean part =
        restriction.key() != null
            || restriction.operator() == Operator.CONTAINS
            || restriction.operator() == Operator.CONTAINS_KEY;
    Operator operator = operator(restriction.operator(), restriction.relation().value());
    add(Said.of(List.of(restriction.column()), operator, part), ofColumns);
  }

  void add(KeyRelation relation, List<Column> columns) {
    Operator operator =
        relation.operator() == Operator.IN && relation.values().size() == 1 && !relation.isMarked()
            ? Operator.EQ
            : relation.operator();
    add(Said.of(columns, operator, false), relation.token() ? ofTokens : ofColumns);
  }

  /// IN with one value is the same as `=`.
  private static Operator operator(Operator operator, Expression value) {
    boolean one =
        operator == Operator.IN
            && value instanceof Expression.ListOf(List<Expression> all)
            && all.size() == 1;
    return one ? Operator.EQ : operator;
  }

  private static void add(Said said, Map<Column, Said> all) {
    for (Column column : said.columns) {
      Said before = all.get(column);
      all.put(column, before == null ? said : before.with(said));
    }
  }
}
