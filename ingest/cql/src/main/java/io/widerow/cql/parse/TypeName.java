package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import io.widerow.cql.type.NativeType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The name of a type as a statement writes it.
///
/// @param keyspace of a type of users; null when it names none
/// @param ofUser whether the name, which was in quotes or has a keyspace, can only be that of a
///   type of users
/// @param parameters the types in angle brackets; empty without
/// @param size of a vector; null for everything else
public record TypeName(
    @Nullable String keyspace,
    String name,
    boolean ofUser,
    List<TypeName> parameters,
    @Nullable Integer size) {
  private static final int VECTOR_MAX = 1 << 13;

  public TypeName {
    parameters = List.copyOf(parameters);
  }

  /// Where types of users are looked up.
  @FunctionalInterface
  public interface Users {
    /// @return the type, not frozen; null when there is none
    CqlType.@Nullable UserType find(@Nullable String keyspace, String name);
  }

  /// The type that is meant.
  ///
  /// @throws CqlException when there is no such type
  public CqlType resolve(Users users) {
    requireOrder(this);
    return switch (ofUser ? "" : name) {
      case "frozen" -> {
        parameters.forEach(each -> each.requireOrder(this));
        yield frozen(parameter(users, 0, 1));
      }
      case "list" -> new CqlType.ListOf(inside(users, 0, 1), false);
      case "set" -> new CqlType.SetOf(inside(users, 0, 1), false);
      case "map" -> new CqlType.MapOf(inside(users, 0, 2), inside(users, 1, 2), false);
      case "vector" -> vector(users);
      case "tuple" ->
          new CqlType.TupleOf(
              parameters.stream().map(each -> each.resolve(users).asFrozen()).toList());
      default -> named(users);
    };
  }

  /// Durations have no order.
  ///
  /// @param shown the type, or it frozen
  private void requireOrder(TypeName shown) {
    boolean hasDurations =
        !ofUser && !parameters.isEmpty() && parameters.getFirst().name.equals("duration");
    if (hasDurations && name.equals("set")) {
      throw CqlException.invalid("Durations are not allowed inside sets: " + shown);
    }
    if (hasDurations && name.equals("map")) {
      throw CqlException.invalid("Durations are not allowed as map keys: " + shown);
    }
  }

  private CqlType vector(Users users) {
    CqlType element = inside(users, 0, 1);
    int dimensions = size == null ? 0 : size;
    if (dimensions <= 0) {
      throw CqlException.invalid(
          "vectors may only have positive dimensions; given %d".formatted(dimensions));
    }
    if (dimensions > VECTOR_MAX) {
      throw CqlException.invalid(
          "a vector has at most %d dimensions, got %d".formatted(VECTOR_MAX, dimensions));
    }
    return new CqlType.VectorOf(element, dimensions);
  }

  private static CqlType frozen(CqlType type) {
    if (type instanceof NativeType) {
      throw new CqlException(
          Code.SYNTAX,
          "frozen<> is only allowed on collections, tuples, and user-defined types (got %s)"
              .formatted(type.cql()));
    }
    return type.asFrozen();
  }

  private CqlType parameter(Users users, int index, int count) {
    if (parameters.size() != count) {
      throw CqlException.invalid(
          "%s takes %d types, not %d".formatted(name, count, parameters.size()));
    }
    return parameters.get(index).resolve(users);
  }

  private CqlType inside(Users users, int index, int count) {
    CqlType type = parameter(users, index, count);
    if (type == NativeType.COUNTER) {
      throw CqlException.invalid("Counters are not allowed inside collections: " + this);
    }
    return type;
  }

  private CqlType named(Users users) {
    if (!parameters.isEmpty()) {
      throw CqlException.invalid("%s takes no types".formatted(name));
    }
    NativeType simple = ofUser ? null : NativeType.of(name);
    CqlType type = simple != null ? simple : users.find(keyspace, name);
    if (type == null) {
      throw CqlException.invalid("Unknown type %s".formatted(this));
    }
    return type;
  }

  /// The same with a keyspace before each type of users that has none, as errors show it.
  public TypeName in(String of) {
    boolean builtIn = !ofUser && (NativeType.of(name) != null || !parameters.isEmpty());
    return new TypeName(
        builtIn || keyspace != null ? keyspace : of,
        name,
        !builtIn,
        parameters.stream().map(each -> each.in(of)).toList(),
        size);
  }

  /// The type of a cast: one that needs no keyspace.
  CqlType resolve() {
    return resolve((_, _) -> null);
  }

  @Override
  public String toString() {
    String inside =
        parameters.isEmpty()
            ? ""
            : "<%s%s>"
                .formatted(
                    String.join(", ", parameters.stream().map(TypeName::toString).toList()),
                    size == null ? "" : ", " + size);
    String of = keyspace == null ? "" : Identifiers.quoted(keyspace) + ".";
    boolean builtIn = !ofUser && !parameters.isEmpty();
    String shown = ofUser ? Identifiers.quotedType(name) : Identifiers.quoted(name);
    return of + (builtIn ? name : shown) + inside;
  }
}
