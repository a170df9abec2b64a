package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/// The count of numbers, and their sum: exact at any size, and rounded once when it includes
/// doubles, see [ExactSum].
///
/// ```
///   varint count | byte: 1 there are doubles, 2 the sum of longs is large |
///   varint sum of longs, zigzag; or varint bytes | two's complement, high byte first |
///   [sum of doubles]
/// ```
///
/// - Threads: one.
public final class NumberSum {
  private static final int HAS_DOUBLES = 1;
  private static final int IS_LARGE = 2;
  private static final int LARGE_BYTES_MAX = 24; // of 2^64 longs

  private long count;
  private long longSum;
  private BigInteger largeSum = BigInteger.ZERO;
  private @Nullable ExactSum fractions;

  /// Adds a number, which is not NaN.
  public void add(AttributeValue number) {
    if (number.kind() == AttributeKind.LONG) {
      add(number.bits());
    } else {
      add(number.asDouble());
    }
  }

  /// Adds a number several times, with the same sum as when each is added alone.
  ///
  /// @param number not NaN
  /// @param times at least one
  public void add(AttributeValue number, long times) {
    if (times == 1) {
      add(number);
      return;
    }
    count += times;
    if (number.kind() == AttributeKind.LONG) {
      long value = number.bits();
      if (Math.multiplyHigh(value, times) == (value * times) >> (Long.SIZE - 1)) {
        addLong(value * times);
      } else {
        largeSum = largeSum.add(BigInteger.valueOf(value).multiply(BigInteger.valueOf(times)));
      }
    } else {
      fractions().add(number.asDouble(), times);
    }
  }

  void add(long number) {
    count++;
    addLong(number);
  }

  /// Adds a double.
  public void add(double number) {
    count++;
    fractions().add(number);
  }

  /// Adds all that another sum has.
  public void add(NumberSum other) {
    count += other.count;
    addLong(other.longSum);
    largeSum = largeSum.add(other.largeSum);
    ExactSum more = other.fractions;
    if (more != null) {
      fractions().add(more);
    }
  }

  private ExactSum fractions() {
    ExactSum sum = fractions;
    if (sum == null) {
      sum = new ExactSum();
      fractions = sum;
    }
    return sum;
  }

  private void addLong(long value) {
    long next = longSum + value;
    if (((longSum ^ next) & (value ^ next)) < 0) {
      largeSum = largeSum.add(BigInteger.valueOf(longSum));
      next = value;
    }
    longSum = next;
  }

  /// The number of added numbers.
  public long count() {
    return count;
  }

  /// True when doubles were added.
  public boolean hasDoubles() {
    return fractions != null;
  }

  /// The sum of the longs.
  public BigInteger whole() {
    return largeSum.add(BigInteger.valueOf(longSum));
  }

  /// The sum of all numbers, rounded once.
  public double value() {
    ExactSum sum = fractions;
    return sum == null ? whole().doubleValue() : sum.plus(whole());
  }

  /// Bytes of its arrays.
  public long bytes() {
    ExactSum sum = fractions;
    return sum == null ? 0 : sum.bytes();
  }

  void write(ByteSink out) {
    BigInteger whole = whole();
    boolean large = whole.bitLength() >= Long.SIZE;
    ExactSum sum = fractions;
    out.putVarint(count);
    out.putByte((sum == null ? 0 : HAS_DOUBLES) | (large ? IS_LARGE : 0));
    if (large) {
      byte[] bytes = whole.toByteArray();
      out.putVarint(bytes.length);
      out.put(bytes, 0, bytes.length);
    } else {
      out.putZigzag(whole.longValue());
    }
    if (sum != null) {
      sum.write(out);
    }
  }

  static NumberSum read(ByteSource in) {
    NumberSum read = new NumberSum();
    read.count = in.readVarint();
    int flags = in.readByte();
    if (flags > (HAS_DOUBLES | IS_LARGE) || read.count < 0) {
      throw in.corrupt("sum of %d numbers with flags %d".formatted(read.count, flags));
    }
    if ((flags & IS_LARGE) != 0) {
      int length = in.readCount(1, LARGE_BYTES_MAX, "bytes of a sum");
      read.largeSum = new BigInteger(in.bytes(), in.skip(length, "a sum"), length);
    } else {
      read.longSum = in.readZigzag();
    }
    if ((flags & HAS_DOUBLES) != 0) {
      read.fractions = ExactSum.read(in);
    }
    return read;
  }
}
