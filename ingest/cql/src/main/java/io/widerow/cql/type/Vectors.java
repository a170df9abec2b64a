package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/// Vectors as bytes and as a type of Cassandra: elements of a fixed length stand one after the
/// other, all others have their length in front.
final class Vectors {
  private static final String PACKAGE = "org.apache.cassandra.db.marshal.";

  private Vectors() {}

  static void put(CqlType.VectorOf type, List<?> values, CellBuffer out) {
    for (Object value : values) {
      ByteBuffer bytes = WireCodec.encode(type.element(), value);
      int fixed = fixedBytes(type.element());
      if (fixed == 0) {
        Vints.put(bytes.remaining(), out);
      } else if (bytes.remaining() != fixed) {
        throw CqlException.invalid("a value without bytes is not supported inside vectors");
      }
      out.put(WireCodec.bytes(bytes));
    }
  }

  /// @throws CqlException when the bytes are another number of elements
  static List<Object> read(CqlType.VectorOf type, ByteBuffer bytes) {
    int fixed = fixedBytes(type.element());
    List<Object> values = new ArrayList<>();
    while (values.size() < type.size()) {
      long length = fixed == 0 ? Vints.read(bytes, type.cql()) : fixed;
      if (length > bytes.remaining() || length < 0) {
        throw CqlException.invalid("Not enough bytes to read a %s".formatted(type.cql()));
      }
      Object value = WireCodec.decode(type.element(), bytes.slice(bytes.position(), (int) length));
      if (value == null) {
        throw CqlException.invalid("null is not supported inside vectors");
      }
      values.add(value);
      bytes.position(bytes.position() + (int) length);
    }
    if (bytes.hasRemaining()) {
      throw CqlException.invalid(
          "Unexpected %d extraneous bytes after %s value".formatted(bytes.remaining(), type.cql()));
    }
    return values;
  }

  /// The length of each value of a type; 0 when they differ.
  private static int fixedBytes(CqlType type) {
    return switch (type) {
      case NativeType simple ->
          switch (simple) {
            case BOOLEAN -> 1;
            case INT, FLOAT -> Integer.BYTES;
            case BIGINT, DOUBLE, TIMESTAMP -> Long.BYTES;
            case UUID, TIMEUUID -> 2 * Long.BYTES;
            default -> 0;
          };
      case CqlType.VectorOf(CqlType element, int size) -> size * fixedBytes(element);
      default -> 0;
    };
  }

  private static String className(String simple, List<CqlType> parts) {
    String inside = parts.stream().map(Vectors::className).collect(Collectors.joining(","));
    return "%s%s(%s)".formatted(PACKAGE, simple, inside);
  }

  private static String hex(String name) {
    return HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }

  /// The class of a type in Cassandra, by which drivers know a vector.
  static String className(CqlType type) {
    return switch (type) {
      case CqlType.VectorOf(CqlType element, int size) ->
          "%sVectorType(%s , %d)".formatted(PACKAGE, className(element), size);
      case NativeType simple ->
          PACKAGE
              + switch (simple) {
                case ASCII -> "AsciiType";
                case BIGINT -> "LongType";
                case BLOB -> "BytesType";
                case BOOLEAN -> "BooleanType";
                case COUNTER -> "CounterColumnType";
                case DATE -> "SimpleDateType";
                case DECIMAL -> "DecimalType";
                case DOUBLE -> "DoubleType";
                case DURATION -> "DurationType";
                case FLOAT -> "FloatType";
                case INET -> "InetAddressType";
                case INT -> "Int32Type";
                case SMALLINT -> "ShortType";
                case TEXT -> "UTF8Type";
                case TIME -> "TimeType";
                case TIMESTAMP -> "TimestampType";
                case TIMEUUID -> "TimeUUIDType";
                case TINYINT -> "ByteType";
                case UUID -> "UUIDType";
                case VARINT -> "IntegerType";
              };
      case CqlType.ListOf(CqlType element, _) -> className("ListType", List.of(element));
      case CqlType.SetOf(CqlType element, _) -> className("SetType", List.of(element));
      case CqlType.MapOf(CqlType key, CqlType value, _) ->
          className("MapType", List.of(key, value));
      case CqlType.TupleOf(List<CqlType> elements) -> className("TupleType", elements);
      case CqlType.UserType user ->
          "%sUserType(%s,%s,%s)"
              .formatted(
                  PACKAGE,
                  user.keyspace(),
                  hex(user.name()),
                  user.fields().stream()
                      .map(field -> hex(field.name()) + ":" + className(field.type()))
                      .collect(Collectors.joining(",")));
    };
  }
}
