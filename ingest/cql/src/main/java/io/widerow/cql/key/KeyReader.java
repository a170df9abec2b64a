package io.widerow.cql.key;

import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.TimeUuids;
import io.widerow.cql.type.WireCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Reads what [KeyForm] has written.
///
/// - Threads: one.
final class KeyReader {
  private final ByteBuffer bytes;
  private int mask; // of a component in descending order

  /// @param bytes whose position moves
  KeyReader(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  private int next() {
    return (bytes.get() ^ mask) & 0xff;
  }

  private int integer() {
    return bytes.getInt() ^ mask;
  }

  private long longInteger() {
    return bytes.getLong() ^ mask;
  }

  /// Reads a component.
  Object component(CqlType type, boolean descending) {
    int first = bytes.get();
    if (first == KeyForm.EMPTY || first == KeyForm.EMPTY_DESCENDING) {
      return empty(type);
    }
    require(first, KeyForm.VALUE);
    mask = descending ? -1 : 0;
    Object value = value(type);
    mask = 0;
    return value;
  }

  private static Object empty(CqlType type) {
    return Objects.requireNonNull(WireCodec.decode(type, ByteBuffer.allocate(0)));
  }

  private static void require(int found, int wanted) {
    if (found != wanted) {
      throw new IllegalStateException("a key with %d, not %d".formatted(found, wanted));
    }
  }

  /// True at the end of a list, which is then read.
  private boolean skipEnd() {
    boolean end = ((bytes.get(bytes.position()) ^ mask) & 0xff) == KeyForm.END;
    if (end) {
      int _ = next();
    }
    return end;
  }

  /// The value of an element; null when it is null.
  private @Nullable Object element(CqlType type) {
    int first = next();
    return switch (first) {
      case KeyForm.NULL -> null;
      case KeyForm.EMPTY -> empty(type);
      default -> {
        require(first, KeyForm.VALUE);
        yield value(type);
      }
    };
  }

  private Object value(CqlType type) {
    return switch (type) {
      case NativeType simple -> value(simple);
      case CqlType.ListOf(CqlType element, _) -> elements(List.of(element));
      case CqlType.SetOf(CqlType element, _) ->
          WireCodec.sorted(element, elements(List.of(element)));
      case CqlType.MapOf(CqlType key, CqlType value, _) -> map(key, value);
      case CqlType.VectorOf(CqlType element, _) -> elements(List.of(element));
      case CqlType.TupleOf(List<CqlType> types) -> fields(types);
      case CqlType.UserType user -> fields(user.types());
    };
  }

  /// All elements until the end, of types in turn.
  private List<Object> elements(List<CqlType> types) {
    List<Object> values = new ArrayList<>();
    while (!skipEnd()) {
      Object value = element(types.get(values.size() % types.size()));
      values.add(Objects.requireNonNull(value));
    }
    return values;
  }

  private Object map(CqlType key, CqlType value) {
    List<Object> both = elements(List.of(key, value));
    List<Object> keys = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < both.size(); i += 2) {
      keys.add(both.get(i));
      values.add(both.get(i + 1));
    }
    return WireCodec.sorted(key, keys, values);
  }

  private List<@Nullable Object> fields(List<CqlType> types) {
    @Nullable Object[] values = new Object[types.size()];
    for (int i = 0; !skipEnd(); i++) {
      values[i] = element(types.get(i));
    }
    return Arrays.asList(values);
  }

  private Object value(NativeType type) {
    return switch (type) {
      case TINYINT -> (byte) (next() ^ 0x80);
      case SMALLINT -> (short) (bytes.getShort() ^ mask ^ 0x8000);
      case INT -> integer() ^ Integer.MIN_VALUE;
      case BIGINT -> longInteger() ^ Long.MIN_VALUE;
      case TIMESTAMP -> Instant.ofEpochMilli(longInteger() ^ Long.MIN_VALUE);
      case FLOAT -> {
        int bits = integer();
        yield Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
      }
      case DOUBLE -> {
        long bits = longInteger();
        yield Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
      }
      case BOOLEAN -> fixed(type, 1);
      case DATE -> fixed(type, Integer.BYTES);
      case TIME -> fixed(type, Long.BYTES);
      case ASCII, TEXT, BLOB, INET -> decoded(type, escaped());
      case UUID -> uuid();
      case TIMEUUID ->
          new UUID(TimeUuids.mostSignificantBits(longInteger()), longInteger() ^ KeyForm.SIGNS);
      case VARINT -> varint();
      case DECIMAL -> decimal();
      case COUNTER, DURATION -> throw new IllegalStateException("no key: " + type);
    };
  }

  private Object fixed(NativeType type, int length) {
    CellBuffer out = new CellBuffer(length);
    for (int i = 0; i < length; i++) {
      out.putByte(next());
    }
    return decoded(type, out);
  }

  private static Object decoded(CqlType type, CellBuffer bytes) {
    return Objects.requireNonNull(
        WireCodec.decode(type, ByteBuffer.wrap(bytes.bytes(), 0, bytes.length()).slice()));
  }

  private CellBuffer escaped() {
    CellBuffer out = new CellBuffer(16);
    while (true) {
      int value = next();
      if (value == 0 && next() == 0) {
        return out;
      }
      out.putByte(value);
    }
  }

  /// Bytes that were put escaped, as a value of a type.
  Object escaped(CqlType type) {
    require(bytes.get(), KeyForm.VALUE);
    return decoded(type, escaped());
  }

  private UUID uuid() {
    long first = longInteger();
    long version = first >>> 60;
    long rest = first & 0x0fff_ffff_ffff_ffffL;
    long others = ((rest << 4) & 0xffff_ffff_ffff_0000L) | (version << 12) | (rest & 0x0fffL);
    long high = version == 1 ? TimeUuids.mostSignificantBits(rest) : others;
    return new UUID(high, longInteger());
  }

  private BigInteger varint() {
    int first = next();
    int turned = first < 0x80 ? -1 : 0;
    int length = (first ^ turned) & 0x7f;
    if (length == KeyForm.LONG_VARINT) {
      length = integer() ^ turned;
    }
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) next();
    }
    return new BigInteger(value);
  }

  private BigDecimal decimal() {
    int sign = next();
    if (sign == KeyForm.ZERO) {
      return BigDecimal.ZERO;
    }
    int before = mask;
    mask = sign == KeyForm.NEGATIVE ? ~mask : mask;
    long exponent = longInteger() ^ Long.MIN_VALUE;
    StringBuilder digits = new StringBuilder();
    for (int digit = next(); digit != 0; digit = next()) {
      digits.append((char) ('0' + digit - 1));
    }
    mask = before;
    BigDecimal value =
        new BigDecimal(
            new BigInteger(digits.toString()), Math.toIntExact(digits.length() - exponent));
    BigDecimal signed = sign == KeyForm.NEGATIVE ? value.negate() : value;
    boolean plain = signed.scale() < 0 && signed.scale() > -KeyForm.LONG_VARINT;
    return plain ? signed.setScale(0) : signed;
  }
}
