package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;

/// The least or the greatest number, compared exactly. Of equal ones, a long stands for a double.
///
/// ```
///   byte: 0 none, 1 a long, 2 a double | varint, zigzag; or 8 bytes
/// ```
///
/// - Threads: one.
public final class Extreme {
  private static final double LONG_LIMIT = 0x1p63;
  private static final int NONE = 0;
  private static final int IS_LONG = 1;
  private static final int IS_DOUBLE = 2;

  private final int sign;
  private boolean any;
  private double number;
  private long whole;
  private boolean isLong;

  private Extreme(int sign) {
    this.sign = sign;
  }

  /// The least of the added values.
  public static Extreme least() {
    return new Extreme(-1);
  }

  /// The greatest of the added values.
  public static Extreme greatest() {
    return new Extreme(1);
  }

  /// Adds a number, which is not NaN.
  public void add(AttributeValue value) {
    boolean addsLong = value.kind() == AttributeKind.LONG;
    add(value.asDouble(), addsLong, addsLong ? value.bits() : 0);
  }

  void add(long value) {
    add((double) value, true, value);
  }

  void add(double value) {
    add(value, false, 0);
  }

  /// Adds what another one of the same kind has.
  public void add(Extreme other) {
    if (other.any) {
      add(other.number, other.isLong, other.whole);
    }
  }

  private void add(double value, boolean addsLong, long valueWhole) {
    int order = any ? compare(value, addsLong, valueWhole) : sign;
    if (order * sign > 0 || (order == 0 && addsLong)) {
      any = true;
      number = value;
      isLong = addsLong;
      whole = valueWhole;
    }
  }

  /// Compares a number with the extreme by value.
  private int compare(double value, boolean addsLong, long valueWhole) {
    if (addsLong && isLong) {
      return Long.compare(valueWhole, whole);
    }
    int order = Double.compare(value, number);
    if (order != 0 || addsLong == isLong) {
      return order;
    }
    // A long and the double nearest to it, which is whole.
    return addsLong ? compare(valueWhole, number) : -compare(whole, value);
  }

  private static int compare(long whole, double number) {
    return number >= LONG_LIMIT ? -1 : Long.compare(whole, (long) number);
  }

  /// True when a number was added.
  public boolean isAny() {
    return any;
  }

  /// True when the number is a long.
  public boolean isLong() {
    return isLong;
  }

  /// The number, when it is a long.
  public long whole() {
    return whole;
  }

  /// The number as a double.
  public double number() {
    return number;
  }

  void write(ByteSink out) {
    out.putByte(!any ? NONE : isLong ? IS_LONG : IS_DOUBLE);
    if (any && isLong) {
      out.putZigzag(whole);
    } else if (any) {
      out.putLong(Double.doubleToRawLongBits(number));
    }
  }

  void read(ByteSource in) {
    int kind = in.readByte();
    switch (kind) {
      case NONE -> any = false;
      case IS_LONG -> {
        any = true;
        isLong = true;
        whole = in.readZigzag();
        number = whole;
      }
      case IS_DOUBLE -> {
        any = true;
        number = Double.longBitsToDouble(in.readLong());
        if (Double.isNaN(number)) {
          throw in.corrupt("an extreme that is no number");
        }
      }
      default -> throw in.corrupt("an extreme of kind " + kind);
    }
  }
}
