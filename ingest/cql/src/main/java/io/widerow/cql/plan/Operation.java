package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.CellChange;
import io.widerow.cql.parse.Change;
import io.widerow.cql.parse.Change.How;
import io.widerow.cql.parse.Change.Part;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.schema.Column;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A change of one column, with its types; [CellChange] is the same with its values.
///
/// @param key of the element; null for none
/// @param field of a type of users; negative for none
/// @param value null for a deletion
record Operation(Column column, How how, @Nullable Value key, int field, @Nullable Value value) {
  /// A whole column.
  static Operation put(Column column, Value value) {
    return new Operation(column, How.SET, null, -1, value);
  }

  /// An assignment of UPDATE.
  static Operation of(Change.Assignment assignment, Scope scope) {
    Part to = assignment.to();
    Column column = column(to, scope);
    if (column.isKey()) {
      throw CqlException.invalid("PRIMARY KEY part %s found in SET part".formatted(column.name()));
    }
    Compiler compiler = new Compiler(scope, false);
    if (to.key() != null) {
      if (column.type().isCollection() && !column.type().isMultiCell()) {
        throw CqlException.invalid(
            "Invalid operation (%s[%s] = %s) for frozen collection column %s"
                .formatted(column.name(), to.key(), assignment.value(), column.name()));
      }
      Value key = key(to, column, compiler);
      CqlType type = column.type().parts().getLast();
      if (column.type() instanceof CqlType.SetOf) {
        throw CqlException.invalid(
            "Invalid operation (%s[%s] = %s) for set column %s"
                .formatted(column.name(), to.key(), assignment.value(), column.name()));
      }
      Value value = compiler.compile(assignment.value(), type, "value(" + column.name() + ")");
      return new Operation(column, How.SET, key, -1, value);
    }
    if (to.field() != null) {
      String operation =
          "Invalid operation (%s.%s = %s) for "
              .formatted(column.name(), to.field(), assignment.value());
      int field =
          field(to, column, operation + "non-UDT column %s", operation + "frozen UDT column %s");
      CqlType type = column.type().parts().get(field);
      Value value = compiler.compile(assignment.value(), type, column.name() + "." + to.field());
      return new Operation(column, How.SET, null, field, value);
    }
    CqlType type = operand(column, assignment);
    Value value = compiler.compile(assignment.value(), type, column.name());
    return new Operation(column, assignment.how(), null, -1, value);
  }

  /// A part of DELETE.
  static Operation delete(Part part, Scope scope) {
    Column column = column(part, scope);
    if (column.isKey()) {
      throw CqlException.invalid(
          "Invalid identifier %s for deletion (should not be a PRIMARY KEY part)"
              .formatted(column.name()));
    }
    Compiler compiler = new Compiler(scope, false);
    if (part.key() != null && !column.type().isCollection()) {
      throw CqlException.invalid(
          "Invalid deletion operation for non collection column %s".formatted(column.name()));
    }
    Value key = part.key() == null ? null : key(part, column, compiler);
    int field =
        part.field() == null
            ? -1
            : field(
                part,
                column,
                "Invalid field deletion operation for non-UDT column %s",
                "Frozen UDT column %s does not support field deletions");
    return new Operation(column, How.SET, key, field, null);
  }

  private static Column column(Part part, Scope scope) {
    return scope.table().columns().get(scope.require(part.column()));
  }

  private static Value key(Part part, Column column, Compiler compiler) {
    CqlType type = column.type();
    if (!type.isCollection()) {
      throw CqlException.invalid(
          "Invalid operation on %s: it is no collection".formatted(column.name()));
    }
    requireCells(column);
    CqlType key = type instanceof CqlType.ListOf ? NativeType.INT : type.parts().getFirst();
    String name = type instanceof CqlType.ListOf ? "idx(" : "key(";
    return compiler.compile(Objects.requireNonNull(part.key()), key, name + column.name() + ")");
  }

  private static void requireCells(Column column) {
    if (!column.type().isMultiCell()) {
      throw CqlException.invalid(
          "Invalid operation for frozen column %s of type %s"
              .formatted(column.name(), column.type().cql()));
    }
  }

  /// @param other the error for a column of another type
  /// @param frozen the error for a column that is written as a whole
  private static int field(Part part, Column column, String other, String frozen) {
    if (!(column.type() instanceof CqlType.UserType user)) {
      throw CqlException.invalid(other.replace("%s", column.name()));
    }
    if (!user.isMultiCell()) {
      throw CqlException.invalid(frozen.replace("%s", column.name()));
    }
    int field = user.find(String.valueOf(part.field()));
    if (field < 0) {
      throw CqlException.invalid(
          "UDT column %s does not have a field named %s".formatted(part.column(), part.field()));
    }
    return field;
  }

  /// The type of the value to assign or add.
  private static CqlType operand(Column column, Change.Assignment assignment) {
    CqlType type = column.type();
    How how = assignment.how();
    if (type == NativeType.COUNTER) {
      if (how == How.SET) {
        throw CqlException.invalid(
            ("Cannot set the value of counter column %s (counters can only be"
                    + " incremented/decremented, not set)")
                .formatted(column.name()));
      }
      if (how == How.PREPEND) {
        throw CqlException.invalid(
            "Invalid operation for counter column %s".formatted(column.name()));
      }
      return type;
    }
    if (how == How.SET) {
      return type;
    }
    if (!type.isCollection()) {
      boolean tuple = type instanceof CqlType.TupleOf || type instanceof CqlType.UserType;
      throw CqlException.invalid(
          "Invalid operation (%s = %s %s %s) for %s column %s"
              .formatted(
                  column.name(),
                  column.name(),
                  how == How.SUBTRACT ? "-" : "+",
                  assignment.value(),
                  tuple ? "tuple" : "non counter",
                  column.name()));
    }
    requireCells(column);
    if (type instanceof CqlType.MapOf) {
      requireMapOperand(how, assignment.value());
    }
    if (how == How.PREPEND && !(type instanceof CqlType.ListOf)) {
      throw CqlException.invalid(
          "Invalid operation for column %s: only lists can be prepended to"
              .formatted(column.name()));
    }
    return how == How.SUBTRACT && type instanceof CqlType.MapOf(CqlType key, _, _)
        ? new CqlType.SetOf(key, false)
        : type;
  }

  private static void requireMapOperand(How how, Expression value) {
    boolean removes = how == How.SUBTRACT;
    boolean wrong =
        value instanceof Expression.ListOf
            || (removes
                ? value instanceof Expression.MapOf
                : value instanceof Expression.SetOf(List<Expression> all) && !all.isEmpty());
    if (wrong) {
      throw CqlException.invalid(
          "Value for a map %s has to be a %s, but was: '%s'"
              .formatted(removes ? "substraction" : "addition", removes ? "set" : "map", value));
    }
  }

  /// The change with its values; null when it is not set.
  @Nullable CellChange bind(Bound bound) {
    Value given = value;
    if (given instanceof Value.OfVariable(_, int index) && bound.isUnset(index)) {
      return null;
    }
    Object found = given == null ? null : given.of(null, bound);
    Value keyOf = key;
    boolean ofList = column.type() instanceof CqlType.ListOf;
    boolean unset = keyOf instanceof Value.OfVariable(_, int index) && bound.isUnset(index);
    if (unset && ofList && given == null) {
      return null; // nothing is deleted
    }
    if (keyOf != null) {
      Object element = keyOf.of(null, bound);
      boolean noIndex = column.type() instanceof CqlType.ListOf && element == Empty.VALUE;
      if (element == null || noIndex) {
        throw CqlException.invalid(
            "Invalid null value for the key or the index of %s".formatted(column.name()));
      }
      return new CellChange.PutElement(column, element, found);
    }
    if (field >= 0) {
      return new CellChange.PutField(column, field, found);
    }
    if (column.type() == NativeType.COUNTER && given != null) {
      if (found == null) {
        throw CqlException.invalid("Invalid null value for counter increment/decrement");
      }
      long by = (Long) found;
      return new CellChange.Count(column, how == How.SUBTRACT ? -by : by);
    }
    return switch (how) {
      case SET -> given == null ? new CellChange.Delete(column) : new CellChange.Put(column, found);
      case ADD -> found == null ? null : new CellChange.Add(column, found);
      case PREPEND -> found == null ? null : new CellChange.Prepend(column, (List<?>) found);
      case SUBTRACT -> found == null ? null : new CellChange.Remove(column, elements(found));
    };
  }

  private static Iterable<?> elements(Object value) {
    return value instanceof Map<?, ?> map ? map.keySet() : (Iterable<?>) value;
  }
}
