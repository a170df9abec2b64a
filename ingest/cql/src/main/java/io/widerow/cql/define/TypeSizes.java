package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Limits of the size of a type with its nested types: each of ten types with ten fields of the
/// type before would otherwise make one of ten billion.
///
/// - Threads: one.
final class TypeSizes {
  private static final int FIELDS_MAX = 10_000;
  private static final int DEPTH_MAX = 150;

  private final String name; // for messages
  private final CqlType.@Nullable UserType changed;
  private int fields;

  private TypeSizes(String name, CqlType.@Nullable UserType changed) {
    this.name = name;
    this.changed = changed;
  }

  /// @param name of the object with the type, for messages
  /// @throws CqlException when it is too large
  static void require(String name, CqlType type) {
    new TypeSizes(name, null).count(type, 1);
  }

  /// @param changed a type of the keyspace as it is to be
  /// @throws CqlException when it, or another type or a column with it, would be too large
  static void require(CqlKeyspace keyspace, CqlType.UserType changed) {
    for (CqlType.UserType type : keyspace.types()) {
      new TypeSizes("type " + type.name(), changed).count(type, 1);
    }
    for (Table table : keyspace.tables()) {
      table
          .columns()
          .forEach(
              column -> new TypeSizes("column " + column.name(), changed).count(column.type(), 1));
    }
  }

  private void count(CqlType type, int depth) {
    if (depth > DEPTH_MAX) {
      throw CqlException.invalid("%s: types are nested at most %d deep".formatted(name, DEPTH_MAX));
    }
    List<CqlType> parts =
        changed != null
                && type instanceof CqlType.UserType user
                && user.name().equals(changed.name())
            ? changed.types()
            : type.parts();
    fields += parts.size();
    if (fields > FIELDS_MAX) {
      throw CqlException.invalid(
          "%s: a type has at most %d fields, including fields of nested types"
              .formatted(name, FIELDS_MAX));
    }
    parts.forEach(part -> count(part, depth + 1));
  }
}
