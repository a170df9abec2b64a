package io.widerow.cql.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The order of the values of each type, as Cassandra has it.
public final class ValueOrder {
  private ValueOrder() {}

  public static int compare(CqlType type, Object one, Object other) {
    if (one == Empty.VALUE || other == Empty.VALUE) {
      return Boolean.compare(one != Empty.VALUE, other != Empty.VALUE);
    }
    return switch (type) {
      case NativeType simple -> compare(simple, one, other);
      case CqlType.ListOf(CqlType element, _) ->
          elements(element, (Collection<?>) one, (Collection<?>) other);
      case CqlType.SetOf(CqlType element, _) ->
          elements(element, (Collection<?>) one, (Collection<?>) other);
      case CqlType.MapOf(CqlType key, CqlType value, _) ->
          entries(key, value, (Map<?, ?>) one, (Map<?, ?>) other);
      case CqlType.VectorOf(CqlType element, _) ->
          elements(element, (Collection<?>) one, (Collection<?>) other);
      case CqlType.TupleOf(List<CqlType> types) -> tuples(types, (List<?>) one, (List<?>) other);
      case CqlType.UserType user -> tuples(user.types(), (List<?>) one, (List<?>) other);
    };
  }

  /// A null comes before every value.
  private static int tuples(List<CqlType> types, List<?> one, List<?> other) {
    for (int i = 0; i < types.size(); i++) {
      Object mine = i < one.size() ? one.get(i) : null;
      Object theirs = i < other.size() ? other.get(i) : null;
      int order =
          mine == null || theirs == null
              ? Boolean.compare(mine != null, theirs != null)
              : compare(types.get(i), mine, theirs);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int elements(CqlType element, Collection<?> one, Collection<?> other) {
    Iterator<?> theirs = other.iterator();
    for (Object value : one) {
      int order = theirs.hasNext() ? compare(element, value, theirs.next()) : 1;
      if (order != 0) {
        return order;
      }
    }
    return theirs.hasNext() ? -1 : 0;
  }

  private static int entries(CqlType key, CqlType value, Map<?, ?> one, Map<?, ?> other) {
    Iterator<? extends Map.Entry<?, ?>> theirs = other.entrySet().iterator();
    for (Map.Entry<?, ?> mine : one.entrySet()) {
      if (!theirs.hasNext()) {
        return 1;
      }
      Map.Entry<?, ?> entry = theirs.next();
      int order = compare(key, mine.getKey(), entry.getKey());
      order = order != 0 ? order : compare(value, mine.getValue(), entry.getValue());
      if (order != 0) {
        return order;
      }
    }
    return theirs.hasNext() ? -1 : 0;
  }

  private static int compare(NativeType type, Object one, Object other) {
    return switch (type) {
      case ASCII, TEXT -> Arrays.compareUnsigned(utf8(one), utf8(other));
      case BIGINT, COUNTER -> ((Long) one).compareTo((Long) other);
      case BLOB ->
          Arrays.compareUnsigned(
              WireCodec.bytes((ByteBuffer) one), WireCodec.bytes((ByteBuffer) other));
      case BOOLEAN -> ((Boolean) one).compareTo((Boolean) other);
      case DECIMAL -> ((BigDecimal) one).compareTo((BigDecimal) other);
      case DOUBLE -> ((Double) one).compareTo((Double) other);
      case FLOAT -> ((Float) one).compareTo((Float) other);
      case INT -> ((Integer) one).compareTo((Integer) other);
      case TIMESTAMP -> ((Instant) one).compareTo((Instant) other);
      case TIMEUUID -> TimeUuids.compare((UUID) one, (UUID) other);
      case UUID -> uuids((UUID) one, (UUID) other);
      case VARINT -> ((BigInteger) one).compareTo((BigInteger) other);
      case INET ->
          Arrays.compareUnsigned(
              ((InetAddress) one).getAddress(), ((InetAddress) other).getAddress());
      case DATE -> ((LocalDate) one).compareTo((LocalDate) other);
      case TIME -> ((LocalTime) one).compareTo((LocalTime) other);
      case SMALLINT -> ((Short) one).compareTo((Short) other);
      case TINYINT -> ((Byte) one).compareTo((Byte) other);
      case DURATION -> // no order of lengths: a month has no fixed one
          Arrays.compareUnsigned(
              WireCodec.bytes(WireCodec.encode(type, one)),
              WireCodec.bytes(WireCodec.encode(type, other)));
    };
  }

  private static byte[] utf8(Object text) {
    return ((String) text).getBytes(StandardCharsets.UTF_8);
  }

  /// By version, then by time for version 1, else by the bytes.
  private static int uuids(UUID one, UUID other) {
    int order = Integer.compare(one.version(), other.version());
    if (order != 0) {
      return order;
    }
    order =
        one.version() == 1
            ? Long.compare(TimeUuids.ticks(one), TimeUuids.ticks(other))
            : Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
    return order != 0
        ? order
        : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
  }
}
