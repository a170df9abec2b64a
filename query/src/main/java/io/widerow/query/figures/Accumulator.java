package io.widerow.query.figures;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.NumberText;
import java.math.BigInteger;
import org.HdrHistogram.DoubleHistogram;
import org.jspecify.annotations.Nullable;

/// The accumulator of one [Aggregate] for one group.
///
/// - Counts are exact, also of distinct values. Sums of longs are exact at any size. Sums that
///   include doubles are kept as two doubles (Neumaier summation), so the error does not grow with
///   the number of events.
/// - Percentiles come from HdrHistogram with three significant digits: within 0.1 % of a recorded
///   value. They take numbers >= 0; others are counted as [#outside].
final class Accumulator {
  private static final int DIGITS = 3;

  private final Aggregate measure;
  private final @Nullable Field field;
  private final @Nullable DistinctValues values;
  private long count;
  private long longSum;
  private BigInteger largeSum = BigInteger.ZERO;
  private double sum;
  private double lost; // rounding error of `sum`
  private boolean fractions;
  private double extreme;
  private long extremeLong;
  private boolean extremeIsLong;
  private long outside;
  private double recordedLeast = Double.POSITIVE_INFINITY;
  private double recordedMost = Double.NEGATIVE_INFINITY;
  private @Nullable DoubleHistogram histogram;
  private long held;

  Accumulator(Aggregate measure) {
    this.measure = measure;
    AttributeName name = measure.name();
    this.field = name == null ? null : Field.of(name);
    this.values = isDistinct() ? new DistinctValues() : null;
  }

  boolean isDistinct() {
    return measure.kind() == Aggregate.Kind.DISTINCT;
  }

  void add(EventView event, AttributeValue scratch) {
    Field of = field;
    if (of == null) {
      count += event.weight();
      return;
    }
    if (!of.find(event, scratch)) {
      return;
    }
    DistinctValues seen = values;
    if (seen != null) {
      seen.add(scratch);
    } else if (measure.kind() == Aggregate.Kind.COUNT) {
      count += event.weight();
    } else if (isNumber(scratch)) {
      number(scratch);
    }
  }

  /// True for a number, and for a text that is one, which then is made that number.
  private static boolean isNumber(AttributeValue value) {
    if (value.kind() == AttributeKind.STRING && !NumberText.read(value)) {
      return false;
    }
    return value.kind() == AttributeKind.LONG
        || (value.kind() == AttributeKind.DOUBLE && !Double.isNaN(value.asDouble()));
  }

  private void number(AttributeValue value) {
    switch (measure.kind()) {
      case SUM, AVG -> {
        if (value.kind() == AttributeKind.LONG) {
          addLong(value.bits());
        } else {
          addDouble(value.asDouble());
        }
      }
      case MIN -> keepExtreme(value, -1);
      case MAX -> keepExtreme(value, 1);
      case PERCENTILE -> record(value.asDouble());
      case COUNT, COUNT_ALL, DISTINCT -> throw new IllegalStateException("a count takes no number");
    }
    count++;
  }

  private void addLong(long value) {
    long next = longSum + value;
    if (((longSum ^ next) & (value ^ next)) < 0) {
      largeSum = largeSum.add(BigInteger.valueOf(longSum));
      next = value;
    }
    longSum = next;
  }

  private void addDouble(double value) {
    fractions = true;
    double next = sum + value;
    if (Double.isFinite(next)) {
      lost += Math.abs(sum) >= Math.abs(value) ? (sum - next) + value : (value - next) + sum;
    }
    sum = next;
  }

  private void keepExtreme(AttributeValue value, int sign) {
    double number = value.asDouble();
    boolean isLong = value.kind() == AttributeKind.LONG;
    int order =
        isLong && extremeIsLong
            ? Long.compare(value.bits(), extremeLong)
            : Double.compare(number, extreme);
    if (count == 0 || order * sign > 0) {
      extreme = number;
      extremeIsLong = isLong;
      extremeLong = isLong ? value.bits() : 0;
    }
  }

  private void record(double value) {
    DoubleHistogram seen = histogram;
    if (seen == null) {
      seen = new DoubleHistogram(DIGITS);
      seen.setAutoResize(true);
      histogram = seen;
    }
    try {
      seen.recordValue(value);
      recordedLeast = Math.min(recordedLeast, value);
      recordedMost = Math.max(recordedMost, value);
    } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException _) {
      outside++; // negative, infinite, or too far from the others
    }
  }

  /// Bytes allocated since the last call.
  long grown() {
    DoubleHistogram seen = histogram;
    DistinctValues distinct = values;
    long now =
        seen != null
            ? seen.getEstimatedFootprintInBytes()
            : distinct != null ? distinct.bytes() : 0;
    long more = now - held;
    held = now;
    return more;
  }

  long outside() {
    return outside;
  }

  /// The result; missing when no event had a number.
  Cell result() {
    DistinctValues distinct = values;
    if (distinct != null) {
      return Cell.of(distinct.size());
    }
    if (measure.isCount()) {
      return Cell.of(count);
    }
    if (count == 0) {
      return Cell.MISSING;
    }
    return switch (measure.kind()) {
      case COUNT, COUNT_ALL, DISTINCT -> Cell.of(count);
      case SUM -> fractions ? Cell.of(total()) : Cell.of(exactSum());
      case AVG -> Cell.of(total() / count);
      case MIN, MAX -> extremeIsLong ? Cell.of(extremeLong) : Cell.of(extreme);
      case PERCENTILE -> {
        DoubleHistogram seen = histogram;
        yield seen == null || seen.getTotalCount() == 0
            ? Cell.MISSING
            : Cell.of(withinRecorded(seen.getValueAtPercentile(measure.percentile())));
      }
    };
  }

  /// A histogram returns the end of a range of values that it cannot tell apart. That may be
  /// outside the recorded values.
  private double withinRecorded(double value) {
    return Math.clamp(value, recordedLeast, recordedMost);
  }

  private BigInteger exactSum() {
    return largeSum.add(BigInteger.valueOf(longSum));
  }

  private double total() {
    return sum + lost + exactSum().doubleValue();
  }
}
