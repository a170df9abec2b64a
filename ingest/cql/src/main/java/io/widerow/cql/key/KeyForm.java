package io.widerow.cql.key;

import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.TimeUuids;
import io.widerow.cql.type.WireCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Values as bytes whose order, unsigned and byte by byte, is that of the values. No form is the
/// beginning of another one of its type. [KeyReader] reads them.
///
/// - Threads: any.
final class KeyForm {
  static final int VALUE = 0x40;
  static final int EMPTY = 0x3f;
  static final int EMPTY_DESCENDING = 0x41;
  static final int AFTER = 0x42;
  static final int NULL = 0x3e;
  static final int END = 0x38;

  /// From so many bytes on, the length of a varint has four bytes of its own.
  static final int LONG_VARINT = 0x7f;

  static final int NEGATIVE = 1;
  static final int ZERO = 2;
  static final int POSITIVE = 3;
  static final long SIGNS = 0x8080_8080_8080_8080L;
  private static final long SIGN = Long.MIN_VALUE;
  private static final int ESCAPE = 0xff;

  private KeyForm() {}

  /// A component of a key: a byte that is set if the value is empty, then its form.
  static void putComponent(CqlType type, Object value, boolean descending, CellBuffer out) {
    if (isEmpty(value)) {
      out.putByte(descending ? EMPTY_DESCENDING : EMPTY);
      return;
    }
    out.putByte(VALUE);
    int from = out.length();
    put(type, value, out);
    if (descending) {
      complement(out, from);
    }
  }

  private static boolean isEmpty(Object value) {
    return switch (value) {
      case String text -> text.isEmpty();
      case ByteBuffer bytes -> !bytes.hasRemaining();
      case Empty _ -> true;
      default -> false;
    };
  }

  private static void complement(CellBuffer out, int from) {
    byte[] bytes = out.bytes();
    for (int i = from; i < out.length(); i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }

  private static void put(CqlType type, Object value, CellBuffer out) {
    switch (type) {
      case NativeType simple -> put(simple, value, out);
      case CqlType.ListOf(CqlType element, _) -> putAll(element, (Collection<?>) value, out);
      case CqlType.SetOf(CqlType element, _) -> putAll(element, (Collection<?>) value, out);
      case CqlType.MapOf(CqlType key, CqlType of, _) -> {
        ((Map<?, ?>) value)
            .forEach((k, v) -> {
              putComponent(key, k, false, out);
              putComponent(of, v, false, out);
            });
        out.putByte(END);
      }
      case CqlType.VectorOf(CqlType element, _) -> putAll(element, (Collection<?>) value, out);
      case CqlType.TupleOf(List<CqlType> types) -> putFields(types, (List<?>) value, out);
      case CqlType.UserType user -> putFields(user.types(), (List<?>) value, out);
    }
  }

  private static void putAll(CqlType element, Collection<?> values, CellBuffer out) {
    values.forEach(value -> putComponent(element, value, false, out));
    out.putByte(END);
  }

  /// Without the nulls at the end, so a type of users can get more fields.
  private static void putFields(List<CqlType> types, List<?> values, CellBuffer out) {
    int end = values.size();
    while (end > 0 && values.get(end - 1) == null) {
      end--;
    }
    for (int i = 0; i < end; i++) {
      Object value = values.get(i);
      if (value == null) {
        out.putByte(NULL);
      } else {
        putComponent(types.get(i), value, false, out);
      }
    }
    out.putByte(END);
  }

  private static void put(NativeType type, Object value, CellBuffer out) {
    switch (type) {
      case TINYINT -> out.putByte((Byte) value ^ 0x80);
      case SMALLINT -> out.putShort((Short) value ^ 0x8000);
      case INT -> out.putInt((Integer) value ^ Integer.MIN_VALUE);
      case BIGINT -> out.putLong((Long) value ^ SIGN);
      case TIMESTAMP -> out.putLong(((java.time.Instant) value).toEpochMilli() ^ SIGN);
      case FLOAT -> {
        int bits = Float.floatToIntBits((Float) value);
        out.putInt(bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE);
      }
      case DOUBLE -> {
        long bits = Double.doubleToLongBits((Double) value);
        out.putLong(bits < 0 ? ~bits : bits ^ SIGN);
      }
      case DATE, TIME, BOOLEAN -> out.put(WireCodec.bytes(WireCodec.encode(type, value)));
      case ASCII, TEXT, BLOB, INET -> putEscaped(WireCodec.encode(type, value), out);
      case UUID -> putUuid((UUID) value, out);
      case TIMEUUID -> {
        UUID id = (UUID) value;
        out.putLong(TimeUuids.ticks(id));
        out.putLong(id.getLeastSignificantBits() ^ SIGNS);
      }
      case VARINT -> putVarint((BigInteger) value, out);
      case DECIMAL -> putDecimal((BigDecimal) value, out);
      case COUNTER, DURATION -> throw new IllegalStateException("no key: " + type);
    }
  }

  /// Each zero followed by an escape, and two zeros as the end.
  static void putEscaped(ByteBuffer bytes, CellBuffer out) {
    while (bytes.hasRemaining()) {
      int next = bytes.get();
      out.putByte(next);
      if (next == 0) {
        out.putByte(ESCAPE);
      }
    }
    out.putShort(0);
  }

  private static void putUuid(UUID id, CellBuffer out) {
    long high = id.getMostSignificantBits();
    long version = (high >>> 12) & 0xf;
    long others = ((high >>> 4) & 0x0fff_ffff_ffff_f000L) | (high & 0x0fffL);
    long rest = version == 1 ? TimeUuids.ticks(id) : others;
    out.putLong((version << 60) | rest);
    out.putLong(id.getLeastSignificantBits());
  }

  private static void putVarint(BigInteger value, CellBuffer out) {
    byte[] bytes = value.toByteArray();
    int turned = value.signum() < 0 ? -1 : 0;
    if (bytes.length < LONG_VARINT) {
      out.putByte((0x80 | bytes.length) ^ turned);
    } else {
      out.putByte(0xff ^ turned);
      out.putInt(bytes.length ^ turned);
    }
    out.put(bytes);
  }

  /// The sign, the exponent of ten, and each digit plus one, with a zero at the end.
  private static void putDecimal(BigDecimal value, CellBuffer out) {
    if (value.signum() == 0) {
      out.putByte(ZERO);
      return;
    }
    out.putByte(value.signum() < 0 ? NEGATIVE : POSITIVE);
    int from = out.length();
    BigDecimal least = value.abs().stripTrailingZeros();
    String digits = least.unscaledValue().toString();
    out.putLong(((long) digits.length() - least.scale()) ^ SIGN);
    for (int i = 0; i < digits.length(); i++) {
      out.putByte(digits.charAt(i) - '0' + 1);
    }
    out.putByte(0);
    if (value.signum() < 0) {
      complement(out, from);
    }
  }
}
