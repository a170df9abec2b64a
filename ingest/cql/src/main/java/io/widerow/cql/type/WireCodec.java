package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Values as bytes on the wire, see [io.widerow.cql.type] for the objects.
public final class WireCodec {
  private static final long EPOCH_DAY = 1L << 31; // of a date that is 1970-01-01

  private WireCodec() {}

  /// Puts a cell.
  public static void putCell(CqlType type, @Nullable Object value, CellBuffer out) {
    if (value == null) {
      out.putNull();
      return;
    }
    int begun = out.begin();
    put(type, value, out);
    out.end(begun);
  }

  /// The bytes of a value.
  public static ByteBuffer encode(CqlType type, Object value) {
    CellBuffer out = new CellBuffer(64);
    put(type, value, out);
    return ByteBuffer.wrap(out.bytes(), 0, out.length()).slice();
  }

  private static void put(CqlType type, Object value, CellBuffer out) {
    switch (type) {
      case NativeType simple -> put(simple, value, out);
      case CqlType.ListOf(CqlType element, _) -> putAll(element, (List<?>) value, out);
      case CqlType.SetOf(CqlType element, _) -> putAll(element, (Set<?>) value, out);
      case CqlType.MapOf(CqlType key, CqlType of, _) -> {
        Map<?, ?> map = (Map<?, ?>) value;
        out.putInt(map.size());
        map.forEach((k, v) -> {
          putCell(key, k, out);
          putCell(of, v, out);
        });
      }
      case CqlType.TupleOf(List<CqlType> types) -> putFields(types, (List<?>) value, out);
      case CqlType.VectorOf vector -> Vectors.put(vector, (List<?>) value, out);
      case CqlType.UserType user -> putFields(user.types(), (List<?>) value, out);
    }
  }

  private static void putFields(List<CqlType> types, List<?> values, CellBuffer out) {
    for (int i = 0; i < values.size(); i++) {
      putCell(types.get(i), values.get(i), out);
    }
  }

  private static void putAll(CqlType element, Collection<?> values, CellBuffer out) {
    out.putInt(values.size());
    values.forEach(value -> putCell(element, value, out));
  }

  private static void put(NativeType type, Object value, CellBuffer out) {
    if (value == Empty.VALUE) {
      return;
    }
    switch (type) {
      case ASCII, TEXT -> out.putText((String) value);
      case BIGINT, COUNTER -> out.putLong((Long) value);
      case BLOB -> out.put(bytes((ByteBuffer) value));
      case BOOLEAN -> out.putByte((Boolean) value ? 1 : 0);
      case DECIMAL -> {
        BigDecimal decimal = (BigDecimal) value;
        out.putInt(decimal.scale());
        out.put(decimal.unscaledValue().toByteArray());
      }
      case DOUBLE -> out.putLong(Double.doubleToRawLongBits((Double) value));
      case FLOAT -> out.putInt(Float.floatToRawIntBits((Float) value));
      case INT -> out.putInt((Integer) value);
      case TIMESTAMP -> out.putLong(((Instant) value).toEpochMilli());
      case UUID, TIMEUUID -> {
        out.putLong(((UUID) value).getMostSignificantBits());
        out.putLong(((UUID) value).getLeastSignificantBits());
      }
      case VARINT -> out.put(((BigInteger) value).toByteArray());
      case INET -> out.put(((InetAddress) value).getAddress());
      case DATE -> out.putInt((int) (((LocalDate) value).toEpochDay() + EPOCH_DAY));
      case TIME -> out.putLong(((LocalTime) value).toNanoOfDay());
      case SMALLINT -> out.putShort((Short) value);
      case TINYINT -> out.putByte((Byte) value);
      case DURATION -> ((CqlDuration) value).put(out);
    }
  }

  /// A copy of the remaining bytes of a buffer.
  public static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return copy;
  }

  /// Reads a value.
  ///
  /// @return null for a counter without bytes
  /// @throws CqlException when the bytes are no value of the type
  public static @Nullable Object decode(CqlType type, ByteBuffer bytes) {
    return switch (type) {
      case NativeType simple -> decode(simple, bytes);
      case CqlType.ListOf(CqlType element, _) -> elements(type, element, bytes);
      case CqlType.SetOf(CqlType element, _) -> sorted(element, elements(type, element, bytes));
      case CqlType.MapOf(CqlType key, CqlType value, _) -> {
        List<Object> keys = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        try {
          int count = count(type, bytes);
          for (int i = 0; i < count; i++) {
            keys.add(element(type, key, bytes));
            values.add(element(type, value, bytes));
          }
        } catch (BufferUnderflowException cut) {
          throw broken(type);
        }
        yield sorted(key, keys, values);
      }
      case CqlType.VectorOf vector -> bytes.hasRemaining() ? Vectors.read(vector, bytes) : null;
      case CqlType.TupleOf(List<CqlType> types) -> fields(type, types, bytes);
      case CqlType.UserType user -> fields(type, user.types(), bytes);
    };
  }

  /// The values of a tuple or of fields; missing values at the end are null.
  private static List<@Nullable Object> fields(
      CqlType type, List<CqlType> types, ByteBuffer bytes) {
    @Nullable Object[] values = new Object[types.size()];
    for (int i = 0; i < values.length && bytes.hasRemaining(); i++) {
      if (bytes.remaining() < Integer.BYTES) {
        throw broken(type);
      }
      int length = bytes.getInt();
      if (length > bytes.remaining()) {
        throw broken(type);
      }
      if (length >= 0) {
        values[i] = decode(types.get(i), bytes.slice(bytes.position(), length));
        bytes.position(bytes.position() + length);
      }
    }
    if (bytes.hasRemaining()) {
      throw CqlException.invalid(
          "Invalid remaining data after end of %s value".formatted(type.cql()));
    }
    return Arrays.asList(values);
  }

  private static int count(CqlType type, ByteBuffer bytes) {
    int count = bytes.getInt();
    if (count < 0 || count > bytes.remaining() / Integer.BYTES) {
      throw broken(type);
    }
    return count;
  }

  private static CqlException broken(CqlType type) {
    return CqlException.invalid("Not enough bytes to read a %s".formatted(type.cql()));
  }

  private static List<Object> elements(CqlType type, CqlType element, ByteBuffer bytes) {
    try {
      int count = count(type, bytes);
      List<Object> values = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        values.add(element(type, element, bytes));
      }
      return values;
    } catch (BufferUnderflowException cut) {
      throw broken(type);
    }
  }

  private static Object element(CqlType type, CqlType element, ByteBuffer bytes) {
    int length = bytes.getInt();
    if (length > bytes.remaining()) {
      throw broken(type);
    }
    Object value = null;
    if (length >= 0) {
      value = decode(element, bytes.slice(bytes.position(), length));
      bytes.position(bytes.position() + length);
    }
    if (value == null) {
      throw CqlException.invalid("null is not supported inside collections");
    }
    return value;
  }

  /// A set in the order of its elements.
  public static Set<Object> sorted(CqlType element, List<Object> values) {
    List<Object> inOrder = new ArrayList<>(values);
    inOrder.sort((one, other) -> ValueOrder.compare(element, one, other));
    return new LinkedHashSet<>(inOrder);
  }

  /// A map in the order of its keys; of equal keys the last one counts.
  public static Map<Object, Object> sorted(CqlType key, List<Object> keys, List<Object> values) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      places.add(i);
    }
    places.sort((one, other) -> ValueOrder.compare(key, keys.get(one), keys.get(other)));
    Map<Object, Object> map = new LinkedHashMap<>();
    places.forEach(place -> map.put(keys.get(place), values.get(place)));
    return map;
  }

  private static @Nullable Object decode(NativeType type, ByteBuffer bytes) {
    int length = bytes.remaining();
    if (length == 0 && !type.isText() && type != NativeType.BLOB) {
      if (type == NativeType.COUNTER) {
        return null;
      }
      if (type.isPerhapsEmpty()) {
        return Empty.VALUE;
      }
    }
    return switch (type) {
      case ASCII, TEXT -> text(type, bytes);
      case BLOB -> ByteBuffer.wrap(bytes(bytes)).asReadOnlyBuffer();
      case BIGINT, COUNTER -> sized(bytes, Long.BYTES, "8 or 0 byte long").getLong();
      case BOOLEAN -> sized(bytes, 1, "1 or 0 byte value").get() != 0;
      case DECIMAL -> decimal(bytes);
      case DOUBLE -> sized(bytes, Double.BYTES, "8 or 0 byte value for a double").getDouble();
      case FLOAT -> sized(bytes, Float.BYTES, "4 or 0 byte value for a float").getFloat();
      case INT -> sized(bytes, Integer.BYTES, "4 or 0 byte int").getInt();
      case TIMESTAMP ->
          Instant.ofEpochMilli(sized(bytes, Long.BYTES, "8 or 0 byte long for date").getLong());
      case UUID, TIMEUUID -> uuid(type, sized(bytes, 16, "16 or 0 byte uuid"));
      case VARINT -> new BigInteger(bytes(bytes));
      case INET -> inet(bytes);
      case DATE -> {
        long days = Integer.toUnsignedLong(sized(bytes, Integer.BYTES, "4 byte date").getInt());
        yield LocalDate.ofEpochDay(days - EPOCH_DAY);
      }
      case TIME -> time(sized(bytes, Long.BYTES, "8 byte long for time").getLong());
      case SMALLINT -> sized(bytes, Short.BYTES, "2 byte short").getShort();
      case TINYINT -> sized(bytes, 1, "1 byte for a tinyint").get();
      case DURATION -> CqlDuration.read(bytes);
    };
  }

  private static ByteBuffer sized(ByteBuffer bytes, int wanted, String what) {
    if (bytes.remaining() != wanted) {
      throw CqlException.invalid("Expected %s (%d)".formatted(what, bytes.remaining()));
    }
    return bytes;
  }

  private static String text(NativeType type, ByteBuffer bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate()).toString();
      if (type == NativeType.ASCII && text.chars().anyMatch(c -> c > 0x7f)) {
        throw CqlException.invalid("Invalid byte for ascii: a character above 127");
      }
      return text;
    } catch (CharacterCodingException malformed) {
      throw CqlException.invalid("String didn't validate: the bytes are not UTF-8");
    }
  }

  private static BigDecimal decimal(ByteBuffer bytes) {
    if (bytes.remaining() <= Integer.BYTES) {
      throw CqlException.invalid(
          "Expected at least 5 bytes for a decimal (%d)".formatted(bytes.remaining()));
    }
    int scale = bytes.getInt();
    return new BigDecimal(new BigInteger(bytes(bytes)), scale);
  }

  private static UUID uuid(NativeType type, ByteBuffer bytes) {
    UUID id = new UUID(bytes.getLong(), bytes.getLong());
    if (type == NativeType.TIMEUUID && !TimeUuids.isVersionOne(id)) {
      throw CqlException.invalid("Invalid version for TimeUUID type.");
    }
    return id;
  }

  private static InetAddress inet(ByteBuffer bytes) {
    try {
      return InetAddress.getByAddress(bytes(bytes));
    } catch (UnknownHostException wrongLength) {
      throw CqlException.invalid(
          "Expected 4 or 16 byte inetaddress (%d)".formatted(bytes.remaining()));
    }
  }

  private static LocalTime time(long nanos) {
    if (nanos < 0 || nanos > LocalTime.MAX.toNanoOfDay()) {
      throw CqlException.invalid("%d is no time of a day in nanoseconds".formatted(nanos));
    }
    return LocalTime.ofNanoOfDay(nanos);
  }
}
