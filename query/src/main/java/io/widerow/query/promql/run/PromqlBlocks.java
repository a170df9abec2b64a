package io.widerow.query.promql.run;

import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.run.PromqlValue.Rows;
import io.widerow.query.promql.run.PromqlValue.Scalars;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/// Evaluates an expression over a store within the memory of queries: at all steps at once, or in
/// blocks of steps, so that each block has its samples in a quarter of the memory. A block reads
/// the window before its first step again.
///
/// ```
///   steps   |  block 1  |  block 2  |  block 3  |
///   read  ---------->
///                  ---------->          of 5m windows
///                              ---------->
/// ```
///
/// - Threads: that of the execution.
/// - Memory: the rows of the result, and a block.
///
/// @param execution the query
/// @param source of samples
/// @param whole the times of the query
/// @param lookbackMillis how old the latest sample of a series may be
public record PromqlBlocks(
    QueryExecution execution,
    SampleSource source,
    StepTimes whole,
    long lookbackMillis,
    Annotations annotations) {
  private static final int PARTS = 4; // of the memory
  private static final long ROW_BYTES = 300;

  /// The value of an expression.
  ///
  /// @throws QueryException.OverBudget when a single step needs too much
  public PromqlValue run(PromqlExpr expr) {
    Map<Labels, Row> rows = new LinkedHashMap<>();
    double[] scalars = {};
    int size = whole.count();
    long kept = 0; // bytes of the rows
    for (int at = 0; at < whole.count(); ) {
      int count = Math.min(size, whole.count() - at);
      long mark = execution.held();
      PromqlValue value;
      try {
        value = run(expr, new StepTimes(whole.time(at), whole.stepMillis(), count));
      } catch (QueryException.OverBudget over) {
        if (count == 1) {
          throw over;
        }
        execution.release(mark);
        size = count / 2;
        continue;
      }
      if (count == whole.count()) {
        return value;
      }
      switch (value) {
        case Rows(var all, boolean _) -> append(rows, all, at);
        case Scalars(double[] values) -> {
          scalars = scalars.length == 0 ? new double[whole.count()] : scalars;
          System.arraycopy(values, 0, scalars, at, count);
        }
        case PromqlValue.Samples _, PromqlValue.Text _ ->
            throw new IllegalStateException("only an instant query has one: " + value);
      }
      execution.release(mark);
      long now = (ROW_BYTES + (long) Double.BYTES * whole.count()) * rows.size();
      execution.hold(now - kept);
      kept = now;
      at += count;
    }
    return scalars.length > 0 ? new Scalars(scalars) : new Rows(new ArrayList<>(rows.values()));
  }

  private PromqlValue run(PromqlExpr expr, StepTimes block) {
    LongConsumer memory =
        bytes -> {
          execution.check();
          execution.hold(bytes);
        };
    boolean divisible = block.count() > 1;
    long most = execution.memory().bytesMax();
    boolean limited = divisible && most < Long.MAX_VALUE;
    execution.limitHeld(limited ? execution.held() + most / PARTS : Long.MAX_VALUE);
    try {
      return new PromqlRun(
              source, whole, block, lookbackMillis, annotations, memory, execution::share)
          .run(expr);
    } finally {
      execution.limitHeld(Long.MAX_VALUE);
    }
  }

  private void append(Map<Labels, Row> to, List<Row> rows, int at) {
    for (Row row : rows) {
      Row whole = to.computeIfAbsent(row.labels(), labels -> Row.empty(labels, this.whole.count()));
      for (int step = 0; step < row.values().length; step++) {
        if (row.has(step)) {
          whole.copy(row, step, at + step);
        }
      }
    }
  }
}
