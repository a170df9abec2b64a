package io.widerow.query.figures;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.NumberText;
import io.widerow.storage.rollup.ExactSum;
import io.widerow.storage.rollup.NumberGrid;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/// The accumulator of one [Aggregate] for one group. The order of the events cannot be seen in its
/// result, to the last bit.
///
/// - Counts are exact, also of distinct values. Sums are exact at any size and rounded once, when
///   they include doubles, see [ExactSum].
/// - Percentiles come from one fixed grid, see [NumberGrid]: within 0.1 % of a number that was
///   added.
/// - The least and the greatest number compare exactly. Of equal ones, a long stands for a double.
final class Accumulator {
  private static final double LONG_LIMIT = 0x1p63;

  private final Aggregate measure;
  private final @Nullable Field field;
  private final @Nullable DistinctValues values;
  private long count;
  private long longSum;
  private BigInteger largeSum = BigInteger.ZERO;
  private @Nullable ExactSum fractions;
  private double extreme;
  private long extremeLong;
  private boolean extremeIsLong;
  private @Nullable NumberGrid grid;
  private long held;

  Accumulator(Aggregate measure) {
    this.measure = measure;
    AttributeName name = measure.name();
    this.field = name == null ? null : Field.of(name);
    this.values = isDistinct() ? new DistinctValues() : null;
  }

  boolean isDistinct() {
    return measure.kind() == Aggregate.Kind.DISTINCT
        || measure.kind() == Aggregate.Kind.COUNT_DISTINCT;
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
      case COUNT, COUNT_ALL, COUNT_DISTINCT, DISTINCT ->
          throw new IllegalStateException("a count takes no number");
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
    ExactSum sum = fractions;
    if (sum == null) {
      sum = new ExactSum();
      fractions = sum;
    }
    sum.add(value);
  }

  private void keepExtreme(AttributeValue value, int sign) {
    double number = value.asDouble();
    boolean isLong = value.kind() == AttributeKind.LONG;
    long whole = isLong ? value.bits() : 0;
    int order = count == 0 ? sign : compare(number, isLong, whole);
    if (order * sign > 0 || (order == 0 && isLong)) {
      extreme = number;
      extremeIsLong = isLong;
      extremeLong = whole;
    }
  }

  /// Compares a number with the extreme by value.
  private int compare(double number, boolean isLong, long whole) {
    if (isLong && extremeIsLong) {
      return Long.compare(whole, extremeLong);
    }
    int order = Double.compare(number, extreme);
    if (order != 0 || isLong == extremeIsLong) {
      return order;
    }
    // A long and the double nearest to it, which is whole.
    return isLong ? compare(whole, extreme) : -compare(extremeLong, number);
  }

  private static int compare(long whole, double number) {
    return number >= LONG_LIMIT ? -1 : Long.compare(whole, (long) number);
  }

  private void record(double value) {
    NumberGrid seen = grid;
    if (seen == null) {
      seen = new NumberGrid();
      grid = seen;
    }
    seen.add(value);
  }

  /// Bytes allocated since the last call.
  long grown() {
    NumberGrid seen = grid;
    DistinctValues distinct = values;
    ExactSum sum = fractions;
    long now =
        (seen == null ? 0 : seen.bytes())
            + (distinct == null ? 0 : distinct.bytes())
            + (sum == null ? 0 : sum.bytes());
    long more = now - held;
    held = now;
    return more;
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
      case COUNT, COUNT_ALL, COUNT_DISTINCT, DISTINCT -> Cell.of(count);
      case SUM -> fractions == null ? Cell.of(exactSum()) : Cell.of(total());
      case AVG -> Cell.of(total() / count);
      case MIN, MAX -> extremeIsLong ? Cell.of(extremeLong) : Cell.of(extreme);
      case PERCENTILE -> {
        NumberGrid seen = grid;
        yield seen == null ? Cell.MISSING : Cell.of(seen.percentile(measure.percentile()));
      }
    };
  }

  private BigInteger exactSum() {
    return largeSum.add(BigInteger.valueOf(longSum));
  }

  private double total() {
    ExactSum sum = fractions;
    return sum == null ? exactSum().doubleValue() : sum.plus(exactSum());
  }
}
