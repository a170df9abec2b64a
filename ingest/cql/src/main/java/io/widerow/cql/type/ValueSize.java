package io.widerow.cql.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The heap memory of a value, roughly.
public final class ValueSize {
  private static final long HEAD_BYTES = 64;

  private ValueSize() {}

  public static long bytes(@Nullable Object value) {
    return switch (value) {
      case null -> 0;
      case String text -> HEAD_BYTES + (long) Character.BYTES * text.length();
      case ByteBuffer bytes -> HEAD_BYTES + bytes.remaining();
      case BigInteger whole -> HEAD_BYTES + whole.bitLength() / Byte.SIZE;
      case BigDecimal decimal -> 2 * HEAD_BYTES + decimal.unscaledValue().bitLength() / Byte.SIZE;
      case Collection<?> all -> all.stream().mapToLong(ValueSize::bytes).sum() + HEAD_BYTES;
      case Map<?, ?> map -> bytes(map.keySet()) + bytes(map.values()) + HEAD_BYTES * map.size();
      default -> HEAD_BYTES;
    };
  }
}
