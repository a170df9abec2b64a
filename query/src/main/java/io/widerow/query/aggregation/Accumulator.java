package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.Extreme;
import io.widerow.storage.sketch.GroupedEvents;
import io.widerow.storage.sketch.HashedValues;
import io.widerow.storage.sketch.NumberSum;
import io.widerow.storage.sketch.PercentileHistogram;
import io.widerow.storage.sketch.ValueTable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The accumulator of one [Aggregate] for one group. The order of the events cannot be seen in its
/// result, to the last bit, nor whether they were added one by one or as stored aggregates.
///
/// - Counts are exact, also of distinct values; with stored aggregates these count by hashes, see
///   [HashedValues]. Sums are exact at any size and rounded once, see [NumberSum].
/// - Percentiles come from one fixed grid, see [PercentileHistogram]: within 0.1 % of a number that
///   was added.
/// - The least and the greatest number compare exactly, see [Extreme].
final class Accumulator {
  private final Aggregate measure;
  private final @Nullable Field field;
  private long count;
  private @Nullable ValueTable values;
  private @Nullable HashedValues hashes; // instead of values, when aggregates were added
  private final @Nullable NumberSum sum;
  private final @Nullable Extreme extreme;
  private @Nullable PercentileHistogram grid;
  private long held;

  Accumulator(Aggregate measure) {
    this.measure = measure;
    AttributeName name = measure.name();
    this.field = name == null ? null : Field.of(name);
    this.values = isDistinct() ? new ValueTable(false) : null;
    this.sum =
        switch (measure.kind()) {
          case SUM, AVG -> new NumberSum();
          default -> null;
        };
    this.extreme =
        switch (measure.kind()) {
          case MIN -> Extreme.least();
          case MAX -> Extreme.greatest();
          default -> null;
        };
  }

  boolean isDistinct() {
    return measure.kind() == Aggregate.Kind.DISTINCT
        || measure.kind() == Aggregate.Kind.COUNT_DISTINCT;
  }

  void add(EventView event, AttributeValue scratch) {
    Aggregate.Where where = measure.where();
    if (where != null && !FilterEvaluation.keeps(where.filter(), event, scratch)) {
      return;
    }
    Field of = field;
    if (of == null) {
      count += measure.isOfAll() ? event.plainBytes(scratch) : event.weight();
      return;
    }
    if (event instanceof GroupedEvents group && !of.isType()) {
      AttributeFigures figures = group.figures(of.name());
      RollupFigure needed = measure.figure();
      if (figures != null && needed != null && figures.has(needed)) {
        add(figures);
        return;
      }
    }
    if (!of.find(event, scratch)) {
      return;
    }
    if (isDistinct()) {
      addValue(scratch);
    } else if (measure.kind() == Aggregate.Kind.COUNT) {
      count += event.weight();
    } else if (AttributeFigures.isNumber(scratch)) {
      addNumber(scratch, event.weight());
    }
  }

  private void addValue(AttributeValue value) {
    HashedValues hashed = hashes;
    if (hashed != null) {
      hashed.add(value);
    } else {
      int _ = Objects.requireNonNull(values).add(value);
    }
  }

  /// Adds the number of several events.
  private void addNumber(AttributeValue value, long times) {
    if (sum != null) {
      sum.add(value, times);
    } else if (extreme != null) {
      extreme.add(value);
    } else {
      grid().add(value.asDouble(), times);
    }
  }

  private PercentileHistogram grid() {
    PercentileHistogram seen = grid;
    if (seen == null) {
      seen = new PercentileHistogram();
      grid = seen;
    }
    return seen;
  }

  /// Adds the aggregates of many events.
  private void add(AttributeFigures figures) {
    switch (measure.kind()) {
      case COUNT -> count += figures.count();
      case SUM, AVG -> Objects.requireNonNull(sum).add(figures.sum());
      case MIN -> Objects.requireNonNull(extreme).add(figures.least());
      case MAX -> Objects.requireNonNull(extreme).add(figures.greatest());
      case PERCENTILE -> grid().add(figures.grid());
      case DISTINCT, COUNT_DISTINCT -> addDistinct(figures);
      case BYTES, COUNT_ALL ->
          throw new IllegalStateException("a count of events has no attribute");
    }
  }

  private void addDistinct(AttributeFigures figures) {
    ValueTable exact = figures.values();
    if (exact == null) {
      hashes().add(figures.distinct());
    } else if (hashes != null) {
      exact.addTo(hashes);
    } else {
      Objects.requireNonNull(values).addAll(exact);
    }
  }

  private HashedValues hashes() {
    HashedValues hashed = hashes;
    if (hashed == null) {
      hashed = new HashedValues();
      Objects.requireNonNull(values).addTo(hashed);
      values = null;
      hashes = hashed;
    }
    return hashed;
  }

  /// Adds all that another accumulator of the same aggregate has.
  void add(Accumulator other) {
    count += other.count;
    NumberSum otherSum = other.sum;
    if (sum != null && otherSum != null) {
      sum.add(otherSum);
    }
    Extreme otherExtreme = other.extreme;
    if (extreme != null && otherExtreme != null) {
      extreme.add(otherExtreme);
    }
    PercentileHistogram otherGrid = other.grid;
    if (otherGrid != null) {
      grid().add(otherGrid);
    }
    HashedValues otherHashes = other.hashes;
    ValueTable otherValues = other.values;
    if (otherHashes != null) {
      hashes().add(otherHashes);
    } else if (otherValues != null && hashes != null) {
      otherValues.addTo(hashes);
    } else if (otherValues != null) {
      Objects.requireNonNull(values).addAll(otherValues);
    }
  }

  /// Bytes allocated since the last call.
  long grown() {
    PercentileHistogram seen = grid;
    ValueTable distinct = values;
    HashedValues hashed = hashes;
    long now =
        (seen == null ? 0 : seen.bytes())
            + (distinct == null ? 0 : distinct.bytes())
            + (hashed == null ? 0 : hashed.bytes())
            + (sum == null ? 0 : sum.bytes());
    long more = now - held;
    held = now;
    return more;
  }

  /// The result; missing when no event had a number.
  Cell result() {
    if (isDistinct()) {
      HashedValues hashed = hashes;
      return Cell.of(hashed == null ? Objects.requireNonNull(values).size() : hashed.size());
    }
    if (measure.isCount()) {
      return Cell.of(count);
    }
    if (sum != null) {
      return result(sum);
    }
    if (extreme != null) {
      return !extreme.isAny()
          ? Cell.MISSING
          : extreme.isLong() ? Cell.of(extreme.whole()) : Cell.of(extreme.number());
    }
    PercentileHistogram seen = grid;
    return seen == null || seen.total() == 0
        ? Cell.MISSING
        : Cell.of(seen.percentile(measure.percentile()));
  }

  private Cell result(NumberSum of) {
    if (of.count() == 0) {
      return Cell.MISSING;
    }
    if (measure.kind() == Aggregate.Kind.AVG) {
      return Cell.of(of.value() / of.count());
    }
    return of.hasDoubles() ? Cell.of(of.value()) : Cell.of(of.whole());
  }
}
