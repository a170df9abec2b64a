package io.widerow.cql.schema;

import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.KeyRelation;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.KeyLimits.TupleCondition;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;

/// Which rows of its table a materialized view has, with the values of the conditions.
///
/// @param required the columns, in no key, without which a row is not in it
/// @param keys conditions on columns of the key
/// @param tuples conditions on several of them at once
public record ViewConditions(
    List<Column> required, List<RowCondition> keys, List<TupleCondition> tuples) {
  public ViewConditions {
    required = List.copyOf(required);
    keys = List.copyOf(keys);
    tuples = List.copyOf(tuples);
  }

  /// @throws io.widerow.cql.CqlException when a value is no constant of its type
  public static ViewConditions of(Table base, List<Where> where) {
    List<Column> required = new ArrayList<>();
    List<RowCondition> keys = new ArrayList<>();
    List<TupleCondition> tuples = new ArrayList<>();
    for (Where each : where) {
      switch (each) {
        case Relation relation when relation.operator() == Operator.IS_NOT -> {
          Column column = base.columns().get(base.find(relation.column()));
          if (!column.isKey()) {
            required.add(column);
          }
        }
        case Relation relation -> keys.add(condition(base, relation));
        case KeyRelation relation -> tuples.add(tuple(base, relation));
      }
    }
    return new ViewConditions(required, keys, tuples);
  }

  private static RowCondition condition(Table base, Relation relation) {
    int index = base.find(relation.column());
    CqlType type = RowCondition.compared(relation.operator(), base.columns().get(index).type());
    List<Expression> values =
        relation.operator() == Operator.IN
                && relation.value() instanceof Expression.ListOf(List<Expression> all)
            ? all
            : List.of(relation.value());
    return new RowCondition(
        index,
        type,
        null,
        relation.operator(),
        values.stream().map(value -> Constants.value(value, type, relation.column())).toList());
  }

  private static TupleCondition tuple(Table base, KeyRelation relation) {
    List<Integer> indexes = relation.columns().stream().map(base::find).toList();
    List<CqlType> types = indexes.stream().map(index -> base.columns().get(index).type()).toList();
    CqlType type = new CqlType.TupleOf(types);
    List<List<Object>> values = new ArrayList<>();
    for (Expression each : relation.values()) {
      values.add(List.copyOf((List<?>) Constants.value(each, type, relation.toString())));
    }
    return new TupleCondition(indexes, types, relation.operator(), values);
  }

  /// Whether the key of a row meets the conditions.
  public boolean test(Row row) {
    return keys.stream().allMatch(each -> each.test(row))
        && tuples.stream().allMatch(each -> each.test(row));
  }
}
