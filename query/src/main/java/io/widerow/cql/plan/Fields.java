package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tuples and types of users as they are written.
final class Fields {
  private Fields() {}

  static Value tuple(
      Compiler compiler, List<Expression> parts, @Nullable CqlType wanted, String name) {
    List<CqlType> types = new ArrayList<>();
    List<Value> values = new ArrayList<>();
    if (wanted != null && !(wanted instanceof CqlType.TupleOf)) {
      throw CqlException.invalid(
          "Invalid tuple type literal for %s of type %s".formatted(name, wanted.cql()));
    }
    if (wanted instanceof CqlType.TupleOf tuple && parts.size() > tuple.elements().size()) {
      throw CqlException.invalid(
          "Invalid tuple literal for %s: too many elements. Type %s expects %d but got %d"
              .formatted(name, tuple.cql(), tuple.elements().size(), parts.size()));
    }
    for (int i = 0; i < parts.size(); i++) {
      CqlType type = wanted instanceof CqlType.TupleOf tuple ? tuple.elements().get(i) : null;
      Value value = compiler.compile(parts.get(i), type, name + "[" + i + "]");
      values.add(value);
      types.add(type == null ? value.type() : type);
    }
    CqlType whole = wanted == null ? new CqlType.TupleOf(types) : wanted;
    int size = ((CqlType.TupleOf) whole).elements().size();
    return new Value.OfFunction(
        whole, values, (given, _) -> Arrays.asList(Arrays.copyOf(given, size)));
  }

  static Value user(
      Compiler compiler,
      List<Expression> names,
      List<Expression> parts,
      CqlType.UserType user,
      String name) {
    List<Value> values = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String field = names.get(i).toString();
      int place = names.get(i) instanceof Expression.Name ? user.find(field) : -1;
      if (place < 0) {
        throw CqlException.invalid(
            "Unknown field '%s' in value of user defined type %s".formatted(field, user.name()));
      }
      places.add(place);
      CqlType type = user.fields().get(place).type();
      values.add(compiler.compile(parts.get(i), type, name + "." + field));
    }
    return new Value.OfFunction(
        user,
        values,
        (given, _) -> {
          @Nullable Object[] all = new Object[user.fields().size()];
          for (int i = 0; i < given.length; i++) {
            all[places.get(i)] = given[i];
          }
          return Arrays.asList(all);
        });
  }
}
