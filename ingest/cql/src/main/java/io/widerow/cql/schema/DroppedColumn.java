package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;

/// A column that a table had. It can be added again with a type that takes its values.
///
/// @param type as CQL writes it; types of users in it may be gone
/// @param time in microseconds: later cells are shown again
/// @param number of its cells
/// @param given whether the statement had the time; without one all cells stay hidden
public record DroppedColumn(
    String name, String type, boolean isStatic, long time, int number, boolean given) {
  private static final int PARTS = 5;

  /// A column as [#stored] has written it.
  ///
  /// @throws CqlException when the text is none
  public static DroppedColumn read(String name, String text) {
    String[] parts = text.split(" ", PARTS);
    try {
      return new DroppedColumn(
          name,
          parts[4],
          Boolean.parseBoolean(parts[2]),
          Long.parseLong(parts[1]),
          Integer.parseInt(parts[0]),
          Boolean.parseBoolean(parts[3]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException damaged) {
      throw CqlException.invalid("'%s' is no dropped column".formatted(text));
    }
  }

  /// Its number, time, whether it is static, whether the time was given, and its type.
  public String stored() {
    return "%d %d %b %b %s".formatted(number, time, isStatic, given, type);
  }

  /// Whether its values are values of a type.
  public boolean fits(CqlType wanted) {
    NativeType simple = NativeType.of(type);
    return type.equals(wanted.cql())
        || (simple != null && (wanted == NativeType.BLOB || wanted.takes(simple)));
  }
}
