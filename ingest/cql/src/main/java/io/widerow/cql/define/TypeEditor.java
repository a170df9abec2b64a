package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.define.SchemaChange.How;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Definition.Alteration;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.TypeName;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// ALTER TYPE, and what types of users may be.
record TypeEditor(SchemaEditor editor) {
  /// Adds a field.
  static void add(List<CqlType.Field> fields, ColumnName field, TypeName.Users users) {
    if (fields.stream().anyMatch(each -> each.name().equals(field.name()))) {
      throw CqlException.invalid("Duplicate field name '%s' in the type".formatted(field.name()));
    }
    CqlType type = field.type().resolve(users);
    if (type.isCollection()) {
      TableValidator.requireType(type, field.type().toString());
    }
    if (type == NativeType.COUNTER) {
      throw CqlException.invalid("A user type cannot contain counters");
    }
    if (type instanceof CqlType.UserType && type.isMultiCell()) {
      throw CqlException.invalid(
          "A user type cannot contain non-frozen UDTs, such as %s".formatted(field.name()));
    }
    fields.add(new CqlType.Field(field.name(), type));
  }

  Schema alter(Definition.AlterType alter, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace =
        editor.keyspace(alter.type(), alter.ifThere(), "Type '%s' doesn't exist");
    if (keyspace == null) {
      return editor.schema();
    }
    CqlType.UserType before = keyspace.type(alter.type().table());
    if (before == null) {
      return editor.missing(
          alter.ifThere(),
          "Type '%s.%s' doesn't exist".formatted(keyspace.name(), alter.type().table()));
    }
    List<CqlType.Field> fields =
        switch (alter.alteration()) {
          case Alteration.Add added -> added(keyspace, before, added);
          case Alteration.Rename rename -> renamed(keyspace, before, rename);
          default -> throw new IllegalStateException("no alteration of a type: " + alter);
        };
    CqlType.UserType after = new CqlType.UserType(before.keyspace(), before.name(), fields, false);
    TypeSizes.require(keyspace, after);
    CqlKeyspace replaced = replaced(keyspace, after);
    for (Table table : replaced.tables()) {
      table.columns().forEach(column -> TableValidator.requireType(column.type()));
    }
    boolean _ = tell.test(SchemaChange.type(How.UPDATED, keyspace.name(), before.name()));
    return editor.schema().with(replaced);
  }

  private List<CqlType.Field> added(
      CqlKeyspace keyspace, CqlType.UserType type, Alteration.Add added) {
    List<CqlType.Field> fields = new ArrayList<>(type.fields());
    for (ColumnName field : added.columns()) {
      if (fields.stream().anyMatch(each -> each.name().equals(field.name()))) {
        if (added.unlessThere()) {
          continue;
        }
        throw CqlException.invalid(
            "Cannot add field %s to type %s: a field with name %s already exists"
                .formatted(field.name(), qualified(type), field.name()));
      }
      requireInNoPartitionKey(keyspace, type, field);
      add(fields, field, editor.users(keyspace));
      if (isIn(fields.getLast().type(), type)) {
        throw CqlException.invalid(
            ("Cannot add new field %s of type %s to user type %s as it would create a circular"
                    + " reference")
                .formatted(field.name(), field.type().in(keyspace.name()), qualified(type)));
      }
    }
    return fields;
  }

  private static String qualified(CqlType.UserType type) {
    return Identifiers.quoted(type.keyspace()) + "." + Identifiers.quotedType(type.name());
  }

  /// All fields at once: two may change their names.
  private static List<CqlType.Field> renamed(
      CqlKeyspace keyspace, CqlType.UserType type, Alteration.Rename rename) {
    requireInNoCondition(keyspace, type);
    List<CqlType.Field> fields = new ArrayList<>(type.fields());
    for (int i = 0; i < rename.from().size(); i++) {
      String from = rename.from().get(i);
      int at = type.find(from);
      if (at < 0) {
        throw CqlException.invalid("Unkown field %s in user type %s".formatted(from, type.name()));
      }
      fields.set(at, new CqlType.Field(rename.to().get(i), fields.get(at).type()));
    }
    Set<String> names = new HashSet<>();
    for (CqlType.Field field : fields) {
      if (!names.add(field.name())) {
        throw CqlException.invalid(
            "Duplicate field name %s in type %s".formatted(field.name(), qualified(type)));
      }
    }
    return fields;
  }

  /// A condition of a materialized view that compares with a value of the type has names of its
  /// fields.
  private static void requireInNoCondition(CqlKeyspace keyspace, CqlType.UserType type) {
    for (Table view : keyspace.tables()) {
      Table.ViewOf of = view.view();
      if (of == null) {
        continue;
      }
      Table base = Objects.requireNonNull(keyspace.find(of.base()));
      for (Where condition : of.where()) {
        boolean isNotNull =
            condition instanceof Relation relation && relation.operator() == Operator.IS_NOT;
        if (!isNotNull
            && condition.columns().stream()
                .anyMatch(name -> isIn(base.columns().get(base.find(name)).type(), type))) {
          throw CqlException.invalid(
              "Cannot rename fields of type %s: a condition of view %s has a value of it"
                  .formatted(qualified(type), view.name()));
        }
      }
    }
  }

  /// The keyspace with a type as it is now, wherever it stands.
  private static CqlKeyspace replaced(CqlKeyspace keyspace, CqlType.UserType after) {
    UnaryOperator<CqlType> newer = type -> renewed(type, after);
    List<CqlType.UserType> types =
        keyspace.types().stream().map(type -> (CqlType.UserType) newer.apply(type)).toList();
    List<Table> tables = new ArrayList<>();
    for (Table table : keyspace.tables()) {
      List<Column> columns = new ArrayList<>();
      for (Column each : table.columns()) {
        columns.add(
            new Column(
                each.name(),
                newer.apply(each.type()),
                each.kind(),
                each.position(),
                each.descending(),
                each.number()));
      }
      tables.add(table.withColumns(columns, table.stored()));
    }
    return keyspace.withTypes(types).withTables(tables);
  }

  private static CqlType renewed(CqlType type, CqlType.UserType after) {
    return switch (type) {
      case NativeType simple -> simple;
      case CqlType.ListOf(CqlType element, boolean frozen) ->
          new CqlType.ListOf(renewed(element, after), frozen);
      case CqlType.SetOf(CqlType element, boolean frozen) ->
          new CqlType.SetOf(renewed(element, after), frozen);
      case CqlType.MapOf(CqlType key, CqlType value, boolean frozen) ->
          new CqlType.MapOf(renewed(key, after), renewed(value, after), frozen);
      case CqlType.VectorOf(CqlType element, int size) ->
          new CqlType.VectorOf(renewed(element, after), size);
      case CqlType.TupleOf(List<CqlType> elements) ->
          new CqlType.TupleOf(elements.stream().map(each -> renewed(each, after)).toList());
      case CqlType.UserType user -> {
        List<CqlType.Field> fields =
            user.name().equals(after.name())
                ? after.fields()
                : user.fields().stream()
                    .map(each -> new CqlType.Field(each.name(), renewed(each.type(), after)))
                    .toList();
        yield new CqlType.UserType(user.keyspace(), user.name(), fields, user.frozen());
      }
    };
  }

  /// The token of a partition is that of all fields of its key.
  private static void requireInNoPartitionKey(
      CqlKeyspace keyspace, CqlType.UserType type, ColumnName field) {
    String tables =
        keyspace.tables().stream()
            .filter(table ->
                table.of(Column.Kind.PARTITION_KEY).stream()
                    .anyMatch(each -> isIn(each.type(), type)))
            .map(Table::qualified)
            .collect(Collectors.joining(", "));
    if (!tables.isEmpty()) {
      throw CqlException.invalid(
          ("Cannot add new field %s of type %s to user type %s as the type is being used in"
                  + " partition key by the following tables: %s")
              .formatted(field.name(), field.type().in(keyspace.name()), qualified(type), tables));
    }
  }

  /// @throws CqlException when a table or another type has the type
  static void requireUnused(CqlKeyspace keyspace, CqlType.UserType type) {
    for (Table table : keyspace.tables()) {
      if (table.columns().stream().anyMatch(each -> isIn(each.type(), type))) {
        throw CqlException.invalid(
            "Cannot drop user type '%s.%s' as it is still used by tables %s"
                .formatted(keyspace.name(), type.name(), table.name()));
      }
    }
    for (CqlType.UserType other : keyspace.types()) {
      boolean inside = other.parts().stream().anyMatch(each -> isIn(each, type));
      if (inside) {
        throw CqlException.invalid(
            "Cannot drop user type '%s.%s' as it is still used by user types %s"
                .formatted(keyspace.name(), type.name(), other.name()));
      }
    }
  }

  private static boolean isIn(CqlType type, CqlType.UserType wanted) {
    boolean is = type instanceof CqlType.UserType user && user.name().equals(wanted.name());
    return is || type.parts().stream().anyMatch(part -> isIn(part, wanted));
  }
}
