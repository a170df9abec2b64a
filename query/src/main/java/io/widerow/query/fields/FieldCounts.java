package io.widerow.query.fields;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.storage.sketch.PercentileHistogram;
import java.util.ArrayList;
import java.util.List;

/// The counts of one field: its events, its values, and for its numbers the minimum, the maximum,
/// percentiles and a histogram.
///
/// - Threads: one.
final class FieldCounts {
  /// Numbers with more values than this are reported by powers of two.
  private static final int NUMBERS_MAX = 24;

  /// Numbers below the least power of two share a cell with it.
  private static final int POWER_LEAST = -20;

  private static final int POWER_MAX = 62;
  private static final int POWERS = POWER_MAX - POWER_LEAST + 1;
  private static final int ZERO = POWERS; // index of the cell of zero

  private final long[] events = new long[2];
  private final long[] ofKind = new long[AttributeKind.values().length + 1]; // by code
  private final ValueCounts values = new ValueCounts();
  private final PercentileHistogram grid = new PercentileHistogram();
  private long[] bins = {}; // two for each part of the histogram; none without a number
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;
  private long held;

  /// A part of the histogram: numbers from `from` to below `to` (of negative ones, from above
  /// `from` to `to`).
  record Bin(double from, double to, long rest, long picked) {}

  /// So many events have a value.
  void add(AttributeValue value, int column, long count) {
    AttributeKind kind = value.kind();
    events[column] += count;
    ofKind[kind.code] += count;
    if (kind == AttributeKind.LONG || kind == AttributeKind.DOUBLE) {
      double number = value.asDouble();
      if (!Double.isNaN(number)) {
        grid.add(number, count);
        least = Math.min(least, number);
        most = Math.max(most, number);
        roomForBins();
        bins[2 * bin(number) + column] += count;
      }
    }
    values.add(value, column, count);
  }

  private void roomForBins() {
    if (bins.length == 0) {
      bins = new long[2 * (2 * POWERS + 1)];
    }
  }

  /// Adds what others have counted, whatever its column was.
  void addAll(FieldCounts other, int column) {
    events[column] += other.events[ValueCounts.REST] + other.events[ValueCounts.PICKED];
    for (int kind = 0; kind < ofKind.length; kind++) {
      ofKind[kind] += other.ofKind[kind];
    }
    if (other.bins.length > 0) {
      grid.add(other.grid);
      least = Math.min(least, other.least);
      most = Math.max(most, other.most);
      roomForBins();
      for (int i = 0; i < bins.length; i += 2) {
        bins[i + column] += other.bins[i + ValueCounts.REST] + other.bins[i + ValueCounts.PICKED];
      }
    }
    values.addAll(other.values, column);
  }

  private static int bin(double number) {
    if (number == 0) {
      return ZERO;
    }
    int power = Math.clamp(Math.getExponent(number), POWER_LEAST, POWER_MAX) - POWER_LEAST + 1;
    return number > 0 ? ZERO + power : ZERO - power;
  }

  /// The parts of the histogram that have numbers, in ascending order.
  List<Bin> bins() {
    List<Bin> filled = new ArrayList<>();
    for (int i = 0; i < bins.length / 2; i++) {
      long rest = bins[2 * i + ValueCounts.REST];
      long picked = bins[2 * i + ValueCounts.PICKED];
      if (rest + picked > 0) {
        int power = Math.abs(i - ZERO) - 1 + POWER_LEAST;
        double low = power == POWER_LEAST ? 0 : Math.scalb(1.0, power);
        double high = Math.scalb(1.0, power + 1);
        if (i == ZERO) {
          filled.add(new Bin(0, 0, rest, picked));
        } else {
          filled.add(
              i > ZERO ? new Bin(low, high, rest, picked) : new Bin(-high, -low, rest, picked));
        }
      }
    }
    return filled;
  }

  /// Bytes of its arrays.
  long bytes() {
    return values.bytes() + grid.bytes() + Long.BYTES * (long) bins.length;
  }

  /// Bytes allocated since the last call.
  long grown() {
    long now = bytes();
    long more = now - held;
    held = now;
    return more;
  }

  /// Events that have the field, in a column.
  long events(int column) {
    return events[column];
  }

  ValueCounts values() {
    return values;
  }

  boolean hasNumbers() {
    return grid.total() > 0;
  }

  /// True when every value is a number.
  boolean isNumber() {
    return hasNumbers() && kind().equals("number");
  }

  /// True when its numbers have so many values that they are reported as a histogram.
  boolean hasManyNumbers() {
    return hasNumbers() && (values.isMany() || values.distinct() > NUMBERS_MAX);
  }

  double least() {
    return least;
  }

  double most() {
    return most;
  }

  double percentile(double percent) {
    return grid.percentile(percent);
  }

  /// `string`, `number`, `boolean`, `bytes`, or `mixed`.
  String kind() {
    String kind = "";
    for (AttributeKind each : AttributeKind.values()) {
      if (ofKind[each.code] > 0) {
        String name =
            switch (each) {
              case STRING -> "string";
              case LONG, DOUBLE -> "number";
              case BOOLEAN -> "boolean";
              case BYTES -> "bytes";
            };
        kind = kind.isEmpty() || kind.equals(name) ? name : "mixed";
      }
    }
    return kind;
  }
}
