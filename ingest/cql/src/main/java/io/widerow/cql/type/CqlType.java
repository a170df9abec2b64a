package io.widerow.cql.type;

import java.util.List;

/// The type of a column or of an expression. A closed set.
///
/// - Threads: any; types are immutable.
public sealed interface CqlType
    permits NativeType,
        CqlType.ListOf,
        CqlType.SetOf,
        CqlType.MapOf,
        CqlType.TupleOf,
        CqlType.VectorOf,
        CqlType.UserType {
  /// A list.
  record ListOf(CqlType element, boolean frozen) implements CqlType {}

  /// A set, sorted by its elements.
  record SetOf(CqlType element, boolean frozen) implements CqlType {}

  /// A map, sorted by its keys.
  record MapOf(CqlType key, CqlType value, boolean frozen) implements CqlType {}

  /// A tuple, which is always written as a whole.
  record TupleOf(List<CqlType> elements) implements CqlType {
    public TupleOf {
      elements = List.copyOf(elements);
    }
  }

  /// A list of a fixed number of elements, which is always written as a whole.
  record VectorOf(CqlType element, int size) implements CqlType {
    public VectorOf {
      element = element.asFrozen();
    }

    /// Its class in Cassandra.
    public String className() {
      return Vectors.className(this);
    }
  }

  /// A type of users: fields with names.
  record UserType(String keyspace, String name, List<Field> fields, boolean frozen)
      implements CqlType {
    public UserType {
      fields = List.copyOf(fields);
    }

    /// The place of a field; negative when there is none.
    public int find(String field) {
      for (int i = 0; i < fields.size(); i++) {
        if (fields.get(i).name().equals(field)) {
          return i;
        }
      }
      return -1;
    }

    public List<CqlType> types() {
      return fields.stream().map(Field::type).toList();
    }
  }

  /// A field of a type of users.
  record Field(String name, CqlType type) {}

  /// The number of the type in metadata.
  default int option() {
    return switch (this) {
      case NativeType simple -> simple.number;
      case ListOf _ -> 0x20;
      case MapOf _ -> 0x21;
      case SetOf _ -> 0x22;
      case UserType _ -> 0x30;
      case TupleOf _ -> 0x31;
      case VectorOf _ -> 0; // a custom type
    };
  }

  /// The same type that is written as a whole; a native type as it is.
  default CqlType asFrozen() {
    return switch (this) {
      case NativeType simple -> simple;
      case TupleOf tuple -> tuple;
      case VectorOf vector -> vector;
      case ListOf(CqlType element, _) -> new ListOf(element.asFrozen(), true);
      case SetOf(CqlType element, _) -> new SetOf(element.asFrozen(), true);
      case MapOf(CqlType key, CqlType value, _) ->
          new MapOf(key.asFrozen(), value.asFrozen(), true);
      case UserType(String keyspace, String name, List<Field> fields, _) ->
          new UserType(keyspace, name, fields, true);
    };
  }

  /// True when a column of the type has a cell for each of its elements.
  default boolean isMultiCell() {
    return switch (this) {
      case NativeType _, TupleOf _, VectorOf _ -> false;
      case ListOf list -> !list.frozen;
      case SetOf set -> !set.frozen;
      case MapOf map -> !map.frozen;
      case UserType user -> !user.frozen;
    };
  }

  /// True for lists, sets and maps.
  default boolean isCollection() {
    return this instanceof ListOf || this instanceof SetOf || this instanceof MapOf;
  }

  /// The types that stand in this one, itself not among them.
  default List<CqlType> parts() {
    return switch (this) {
      case NativeType _ -> List.of();
      case TupleOf tuple -> tuple.elements;
      case VectorOf vector -> List.of(vector.element);
      case ListOf list -> List.of(list.element);
      case SetOf set -> List.of(set.element);
      case MapOf map -> List.of(map.key, map.value);
      case UserType user -> user.types();
    };
  }

  /// True when the type is another one or stands in it.
  default boolean contains(CqlType other) {
    return equals(other) || parts().stream().anyMatch(part -> part.contains(other));
  }

  /// True when values of the other type are values of this one: frozen or not makes no difference,
  /// and a timeuuid is a uuid, an ascii a text, a bigint a counter.
  default boolean takes(CqlType other) {
    return switch (this) {
      case NativeType simple ->
          simple == other
              || (simple == NativeType.UUID && other == NativeType.TIMEUUID)
              || (simple == NativeType.TEXT && other == NativeType.ASCII)
              || (simple == NativeType.COUNTER && other == NativeType.BIGINT);
      case ListOf(CqlType element, _) ->
          other instanceof ListOf(CqlType theirs, _) && element.takes(theirs);
      case SetOf(CqlType element, _) ->
          other instanceof SetOf(CqlType theirs, _) && element.takes(theirs);
      case MapOf(CqlType key, CqlType value, _) ->
          other instanceof MapOf(CqlType theirKey, CqlType theirValue, _)
              && key.takes(theirKey)
              && value.takes(theirValue);
      case TupleOf(List<CqlType> elements) ->
          other instanceof TupleOf(List<CqlType> theirs) && takeAll(elements, theirs);
      case VectorOf(CqlType element, int size) ->
          other instanceof VectorOf(CqlType theirs, int theirSize)
              && size == theirSize
              && element.takes(theirs);
      case UserType user ->
          other instanceof UserType theirs
              && user.keyspace.equals(theirs.keyspace)
              && user.name.equals(theirs.name);
    };
  }

  private static boolean takeAll(List<CqlType> mine, List<CqlType> theirs) {
    boolean all = mine.size() == theirs.size();
    for (int i = 0; i < mine.size() && all; i++) {
      all = mine.get(i).takes(theirs.get(i));
    }
    return all;
  }

  /// The type as CQL writes it, such as `frozen<map<text, int>>`.
  default String cql() {
    return switch (this) {
      case NativeType simple -> simple.cqlName();
      case ListOf(CqlType element, boolean frozen) -> frozen("list<" + element.cql() + ">", frozen);
      case SetOf(CqlType element, boolean frozen) -> frozen("set<" + element.cql() + ">", frozen);
      case MapOf(CqlType key, CqlType value, boolean frozen) ->
          frozen("map<" + key.cql() + ", " + value.cql() + ">", frozen);
      case TupleOf(List<CqlType> elements) ->
          frozen(
              "tuple<" + String.join(", ", elements.stream().map(CqlType::cql).toList()) + ">",
              true);
      case VectorOf(CqlType element, int size) -> "vector<" + inVector(element) + ", " + size + ">";
      case UserType user -> frozen(Identifiers.quotedType(user.name), user.frozen);
    };
  }

  /// The elements of a vector are frozen without being called so.
  private static String inVector(CqlType element) {
    CqlType shown =
        switch (element) {
          case ListOf list -> new ListOf(list.element, false);
          case SetOf set -> new SetOf(set.element, false);
          case MapOf map -> new MapOf(map.key, map.value, false);
          case UserType user -> new UserType(user.keyspace, user.name, user.fields, false);
          case NativeType _, TupleOf _, VectorOf _ -> element;
        };
    return shown.cql();
  }

  private static String frozen(String type, boolean frozen) {
    return frozen ? "frozen<" + type + ">" : type;
  }
}
