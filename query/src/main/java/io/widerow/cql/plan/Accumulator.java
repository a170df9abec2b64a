package io.widerow.cql.plan;

import io.widerow.cql.function.Casts;
import io.widerow.cql.schema.Groups;
import io.widerow.cql.schema.Row;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One aggregate of one group. Nulls are not counted.
///
/// - Threads: one.
final class Accumulator {
  private final Scope.Aggregated aggregate;
  private long count;
  private BigDecimal sum = BigDecimal.ZERO; // of numbers that are no float and no double
  private double sumOfDoubles;
  private @Nullable Object extreme;

  Accumulator(Scope.Aggregated aggregate) {
    this.aggregate = aggregate;
  }

  void add(Row row, Bound bound) {
    Value argument = aggregate.argument();
    if (argument == null) {
      count++;
      return;
    }
    Object value = argument.of(row, bound);
    boolean sums = aggregate.kind() == Groups.Kind.SUM || aggregate.kind() == Groups.Kind.AVG;
    if (value == null || (sums && value == Empty.VALUE)) {
      return;
    }
    count++;
    switch (aggregate.kind()) {
      case COUNT -> {}
      case MIN -> extreme = extreme == null || order(value) < 0 ? value : extreme;
      case MAX -> extreme = extreme == null || order(value) > 0 ? value : extreme;
      case SUM, AVG -> {
        if (isFloating()) {
          sumOfDoubles += ((Number) value).doubleValue();
        } else {
          sum = sum.add(Casts.decimal((Number) value));
        }
      }
    }
  }

  private int order(Object value) {
    return ValueOrder.compare(aggregate.type(), value, Objects.requireNonNull(extreme));
  }

  private boolean isFloating() {
    return aggregate.type() == NativeType.DOUBLE || aggregate.type() == NativeType.FLOAT;
  }

  @Nullable Object result() {
    return switch (aggregate.kind()) {
      case COUNT -> count;
      case MIN, MAX -> extreme;
      case SUM -> number(isFloating() ? sumOfDoubles : sum);
      case AVG -> number(average());
    };
  }

  private Number average() {
    if (count == 0) {
      return 0;
    }
    if (isFloating()) {
      return sumOfDoubles / count;
    }
    BigDecimal by = BigDecimal.valueOf(count);
    return aggregate.type() == NativeType.DECIMAL
        ? sum.divide(by, RoundingMode.HALF_EVEN)
        : sum.toBigInteger().divide(BigInteger.valueOf(count));
  }

  private Object number(Number value) {
    return Casts.number((NativeType) aggregate.type(), value);
  }
}
