package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.NumberText;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The aggregates of an attribute's values in a group, or in the cell of a rollup: the aggregates
/// of a [RollupField], in the order of [RollupFigure]. A cell counts distinct values by their
/// hashes, a group of a query by the values.
///
/// - Threads: one.
public final class AttributeFigures {
  private final RollupField field;
  private long values;
  private long lengths;
  private final @Nullable NumberSum sum;
  private final @Nullable Extreme least;
  private final @Nullable Extreme greatest;
  private @Nullable PercentileHistogram grid;
  private @Nullable HashedValues distinct;
  private @Nullable ValueTable exact; // instead of hashes
  private final @Nullable NumberCounts numbers; // of a query

  /// Those of a cell.
  AttributeFigures(RollupField field) {
    this(field, false);
  }

  private AttributeFigures(RollupField field, boolean ofValues) {
    this.field = field;
    this.sum = field.has(RollupFigure.SUM) ? new NumberSum() : null;
    this.least = field.has(RollupFigure.MIN) ? Extreme.least() : null;
    this.greatest = field.has(RollupFigure.MAX) ? Extreme.greatest() : null;
    this.grid = field.has(RollupFigure.GRID) ? new PercentileHistogram() : null;
    boolean counts = field.has(RollupFigure.DISTINCT);
    this.distinct = counts && !ofValues ? new HashedValues() : null;
    this.exact = counts && ofValues ? new ValueTable(false) : null;
    this.numbers = field.has(RollupFigure.NUMBERS) ? new NumberCounts() : null;
  }

  /// Those of a group of a query, without values.
  public static AttributeFigures ofGroup(RollupField field) {
    return new AttributeFigures(field, true);
  }

  /// True for a number, and for a text that is one, which then is made that number.
  public static boolean isNumber(AttributeValue value) {
    if (value.kind() == AttributeKind.STRING && !NumberText.read(value)) {
      return false;
    }
    return value.kind() == AttributeKind.LONG
        || (value.kind() == AttributeKind.DOUBLE && !Double.isNaN(value.asDouble()));
  }

  /// Adds the value of an event.
  ///
  /// @param value overwritten
  /// @return false when there are more distinct values than a cell keeps
  boolean add(AttributeValue value) {
    values++;
    HashedValues hashes = distinct;
    if (hashes != null) {
      hashes.add(value);
      if (hashes.size() > HashedValues.CELL_MAX) {
        return false;
      }
    }
    if ((sum != null || least != null || greatest != null || grid != null) && isNumber(value)) {
      addNumber(value);
    }
    return true;
  }

  /// Adds that so many more events have a value.
  public void addCount(long events) {
    values += events;
  }

  /// Adds the length of a text, without counting an event.
  public void addLength(long bytes) {
    lengths += bytes;
  }

  /// Adds one of the distinct values, without counting an event.
  public void addDistinct(AttributeValue value) {
    int _ = Objects.requireNonNull(exact).add(value);
  }

  /// Adds a number, without counting an event and without the distinct values.
  public void addNumber(long number) {
    if (sum != null) {
      sum.add(number);
    }
    if (least != null) {
      least.add(number);
    }
    if (greatest != null) {
      greatest.add(number);
    }
    PercentileHistogram cells = grid;
    if (cells != null) {
      cells.add((double) number);
    }
    if (numbers != null) {
      numbers.add((double) number, 1);
    }
  }

  /// The same for a number that is not NaN.
  public void addNumber(double number) {
    if (sum != null) {
      sum.add(number);
    }
    if (least != null) {
      least.add(number);
    }
    if (greatest != null) {
      greatest.add(number);
    }
    PercentileHistogram cells = grid;
    if (cells != null) {
      cells.add(number);
    }
    if (numbers != null) {
      numbers.add(number, 1);
    }
  }

  private void addNumber(AttributeValue value) {
    if (sum != null) {
      sum.add(value);
    }
    if (least != null) {
      least.add(value);
    }
    if (greatest != null) {
      greatest.add(value);
    }
    PercentileHistogram cells = grid;
    if (cells != null) {
      cells.add(value.asDouble());
    }
  }

  /// True when it keeps this aggregate.
  public boolean has(RollupFigure figure) {
    return field.has(figure);
  }

  /// The number of events with the attribute.
  public long count() {
    return values;
  }

  /// The lengths of the texts together, in bytes.
  public long lengths() {
    return lengths;
  }

  /// The sum of the numbers.
  public NumberSum sum() {
    return Objects.requireNonNull(sum);
  }

  /// The least number.
  public Extreme least() {
    return Objects.requireNonNull(least);
  }

  /// The greatest number.
  public Extreme greatest() {
    return Objects.requireNonNull(greatest);
  }

  /// The numbers on a grid.
  public PercentileHistogram grid() {
    return Objects.requireNonNull(grid);
  }

  /// The numbers with how often each occurs.
  public NumberCounts numbers() {
    return Objects.requireNonNull(numbers);
  }

  /// The distinct values of a group; null when it has their hashes, or does not count them.
  public @Nullable ValueTable values() {
    return exact;
  }

  /// The hashes of the values.
  public HashedValues distinct() {
    return Objects.requireNonNull(distinct);
  }

  /// Bytes of its arrays.
  public long bytes() {
    PercentileHistogram cells = grid;
    HashedValues hashes = distinct;
    ValueTable distinctValues = exact;
    return (sum == null ? 0 : sum.bytes())
        + (cells == null ? 0 : cells.bytes())
        + (numbers == null ? 0 : numbers.bytes())
        + (hashes == null ? 0 : hashes.bytes())
        + (distinctValues == null ? 0 : distinctValues.bytes());
  }

  void write(ByteSink out) {
    if (field.has(RollupFigure.COUNT)) {
      out.putVarint(values);
    }
    if (sum != null) {
      sum.write(out);
    }
    if (least != null) {
      least.write(out);
    }
    if (greatest != null) {
      greatest.write(out);
    }
    PercentileHistogram cells = grid;
    if (cells != null) {
      cells.write(out);
    }
    HashedValues hashes = distinct;
    if (hashes != null) {
      hashes.write(out);
    }
  }

  static AttributeFigures read(RollupField field, ByteSource in) {
    AttributeFigures read = new AttributeFigures(field);
    if (field.has(RollupFigure.COUNT)) {
      read.values = in.readVarint();
      if (read.values < 0) {
        throw in.corrupt("%d values".formatted(read.values));
      }
    }
    NumberSum sum = read.sum == null ? null : NumberSum.read(in);
    if (read.least != null) {
      read.least.read(in);
    }
    if (read.greatest != null) {
      read.greatest.read(in);
    }
    if (read.grid != null) {
      read.grid = PercentileHistogram.read(in);
    }
    if (read.distinct != null) {
      read.distinct = HashedValues.read(in);
    }
    if (sum != null && read.sum != null) {
      read.sum.add(sum);
    }
    return read;
  }
}
