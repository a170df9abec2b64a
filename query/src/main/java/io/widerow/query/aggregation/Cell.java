package io.widerow.query.aggregation;

import io.widerow.event.AttributeValue;
import io.widerow.storage.sketch.ValueHash;
import java.math.BigDecimal;
import java.math.BigInteger;

/// One value of a row of aggregates: of a grouping attribute, or an aggregate.
///
/// Order: false, true, numbers by value, texts, and last a missing value.
///
/// @param text as it is shown; empty when missing
/// @param whole a whole number of 64 bits, or a time in nanoseconds since the Unix epoch; else 0
/// @param number the number, or the nearest double
public record Cell(Kind kind, String text, long whole, double number) implements Comparable<Cell> {
  /// Nothing: a group without the attribute, an aggregate of no number.
  public static final Cell MISSING = new Cell(Kind.MISSING, "", 0, 0);

  /// The kind of a cell's value, in the order of cells.
  public enum Kind {
    BOOLEAN,
    WHOLE,
    NUMBER,
    TIME,
    TEXT,
    MISSING
  }

  static Cell of(String text) {
    return new Cell(Kind.TEXT, text, 0, 0);
  }

  static Cell of(long whole) {
    return new Cell(Kind.WHOLE, Long.toString(whole), whole, whole);
  }

  /// A fraction, an infinity or NaN.
  static Cell of(double number) {
    return new Cell(Kind.NUMBER, Double.toString(number), 0, number);
  }

  static Cell of(BigInteger number) {
    return number.bitLength() < Long.SIZE
        ? of(number.longValue())
        : new Cell(Kind.NUMBER, number.toString(), 0, number.doubleValue());
  }

  /// A number as it was written.
  public static Cell ofNumber(String text) {
    return new Cell(Kind.NUMBER, text, 0, 0);
  }

  public static Cell ofText(String text) {
    return of(text);
  }

  public static Cell of(boolean truth) {
    return new Cell(Kind.BOOLEAN, Boolean.toString(truth), truth ? 1 : 0, 0);
  }

  /// @param text how the time is shown
  public static Cell ofTime(long epochNanos, String text) {
    return new Cell(Kind.TIME, text, epochNanos, 0);
  }

  /// The value of an attribute, so that equal values are equal cells: a double without a fraction
  /// is a whole number, bytes are a text, and so are NaN and the infinities.
  static Cell of(AttributeValue value) {
    return switch (value.kind()) {
      case LONG -> of(value.bits());
      case BOOLEAN -> of(value.bits() != 0);
      case STRING, BYTES -> of(value.toString());
      case DOUBLE -> {
        double number = value.asDouble();
        yield isWhole(number)
            ? of((long) number)
            : Double.isFinite(number) ? of(number) : of(value.toString());
      }
    };
  }

  /// True for a double that is a whole number of 64 bits.
  static boolean isWhole(double number) {
    return ValueHash.isWhole(number);
  }

  boolean isNumber() {
    return kind == Kind.WHOLE || kind == Kind.NUMBER;
  }

  @Override
  public int compareTo(Cell other) {
    if (isNumber() && other.isNumber()) {
      return compareNumbers(other);
    }
    int order = kind.compareTo(other.kind);
    if (order == 0) {
      order = Long.compare(whole, other.whole);
    }
    return order != 0 ? order : text.compareTo(other.text);
  }

  private int compareNumbers(Cell other) {
    int order =
        kind == Kind.WHOLE && other.kind == Kind.WHOLE
            ? Long.compare(whole, other.whole)
            : Double.compare(number, other.number);
    return order != 0 || text.equals(other.text)
        ? order
        : Double.isFinite(number) ? new BigDecimal(text).compareTo(new BigDecimal(other.text)) : 0;
  }
}
