package io.widerow.cql.function;

import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/// The sum of numbers of one type, and their mean. A type of fixed size wraps around in a sum and
/// not in a mean. Floats and doubles are added with compensation of rounding errors.
///
/// - Threads: one.
public final class Sum {
  private final NativeType type;
  private long count;
  private BigDecimal exact = BigDecimal.ZERO; // of numbers that are no float and no double
  private double sum;
  private double lost; // by rounding
  private double plain; // without the compensation, which infinite numbers break
  private BigDecimal large = BigDecimal.ZERO; // the sum of doubles when they have none
  private boolean isLarge;

  public Sum(NativeType type) {
    this.type = type;
  }

  /// @param value of the type; one without bytes does not count
  public void add(Object value) {
    if (value == Empty.VALUE) {
      return;
    }
    count++;
    if (!isFloating()) {
      BigDecimal number = Casts.decimal((Number) value);
      Casts.requireSum(exact, number);
      exact = exact.add(number);
      return;
    }
    double number = ((Number) value).doubleValue();
    double before = sum;
    plain += number;
    double compensated = number - lost;
    double next = sum + compensated;
    lost = (next - sum) - compensated;
    sum = next;
    if (isLarge) {
      isLarge = Double.isFinite(number);
      large = isLarge ? large.add(BigDecimal.valueOf(number)) : large;
    } else if (Double.isInfinite(sum) && Double.isFinite(before) && Double.isFinite(number)) {
      isLarge = true;
      large = BigDecimal.valueOf(before).add(BigDecimal.valueOf(number));
    }
  }

  /// Heap memory of the exact sum, in bytes, at half a byte a digit; 0 for types of fixed size.
  public long bytes() {
    boolean grows = type == NativeType.DECIMAL || type == NativeType.VARINT;
    return grows ? exact.precision() / 2 : 0;
  }

  private boolean isFloating() {
    return type == NativeType.DOUBLE || type == NativeType.FLOAT;
  }

  private double doubles() {
    return Double.isNaN(sum) && Double.isInfinite(plain) ? plain : sum;
  }

  public Number sum() {
    return Casts.number(type, isFloating() ? (Number) doubles() : exact);
  }

  /// The mean; 0 of no numbers. The mean of whole numbers has no fraction, that of decimals as many
  /// digits as their sum.
  public Number average() {
    if (count == 0) {
      return Casts.number(type, 0);
    }
    if (isFloating()) {
      double mean =
          isLarge
              ? large.divide(BigDecimal.valueOf(count), RoundingMode.HALF_EVEN).doubleValue()
              : doubles() / count;
      return Casts.number(type, mean);
    }
    return type == NativeType.DECIMAL
        ? exact.divide(BigDecimal.valueOf(count), RoundingMode.HALF_EVEN)
        : Casts.number(
            type, Casts.writable(exact).toBigInteger().divide(BigInteger.valueOf(count)));
  }
}
