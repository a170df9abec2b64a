package io.widerow.cql.type;

/// The type of a column or of an expression. A closed set: tuples and types of users join it when
/// tables can have them.
///
/// - Threads: any; types are immutable.
public sealed interface CqlType permits NativeType, CqlType.ListOf, CqlType.SetOf, CqlType.MapOf {
  /// A list.
  record ListOf(CqlType element, boolean frozen) implements CqlType {}

  /// A set, sorted by its elements.
  record SetOf(CqlType element, boolean frozen) implements CqlType {}

  /// A map, sorted by its keys.
  record MapOf(CqlType key, CqlType value, boolean frozen) implements CqlType {}

  /// The number of the type in metadata.
  default int option() {
    return switch (this) {
      case NativeType simple -> simple.number;
      case ListOf _ -> 0x20;
      case MapOf _ -> 0x21;
      case SetOf _ -> 0x22;
    };
  }

  /// The same type that is written as a whole; a native type as it is.
  default CqlType asFrozen() {
    return switch (this) {
      case NativeType simple -> simple;
      case ListOf(CqlType element, _) -> new ListOf(element, true);
      case SetOf(CqlType element, _) -> new SetOf(element, true);
      case MapOf(CqlType key, CqlType value, _) -> new MapOf(key, value, true);
    };
  }

  /// True when values of the other type are values of this one: frozen or not makes no difference,
  /// and a timeuuid is a uuid, an ascii a text.
  default boolean takes(CqlType other) {
    return switch (this) {
      case NativeType simple ->
          simple == other
              || (simple == NativeType.UUID && other == NativeType.TIMEUUID)
              || (simple == NativeType.TEXT && other == NativeType.ASCII);
      case ListOf(CqlType element, _) ->
          other instanceof ListOf(CqlType theirs, _) && element.takes(theirs);
      case SetOf(CqlType element, _) ->
          other instanceof SetOf(CqlType theirs, _) && element.takes(theirs);
      case MapOf(CqlType key, CqlType value, _) ->
          other instanceof MapOf(CqlType theirKey, CqlType theirValue, _)
              && key.takes(theirKey)
              && value.takes(theirValue);
    };
  }

  /// The type as CQL writes it, such as `frozen<map<text, int>>`.
  default String cql() {
    return switch (this) {
      case NativeType simple -> simple.cqlName();
      case ListOf(CqlType element, boolean frozen) -> frozen("list<" + element.cql() + ">", frozen);
      case SetOf(CqlType element, boolean frozen) -> frozen("set<" + element.cql() + ">", frozen);
      case MapOf(CqlType key, CqlType value, boolean frozen) ->
          frozen("map<" + key.cql() + ", " + value.cql() + ">", frozen);
    };
  }

  private static String frozen(String type, boolean frozen) {
    return frozen ? "frozen<" + type + ">" : type;
  }
}
