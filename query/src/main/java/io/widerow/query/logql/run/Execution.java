package io.widerow.query.logql.run;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.line.LabelNames;
import io.widerow.storage.StoreView;

/// What one query of LogQL reads from, which attributes are labels, and what limits it.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: counts what the answer holds, until [#close]. Does not own the view.
public final class Execution extends QueryExecution {
  private final LabelNames labels;

  /// @param memory the budget that it shares with other queries
  public Execution(StoreView view, LabelNames labels, QueryBudget budget, QueryMemory memory) {
    super(view, budget, memory);
    this.labels = labels;
  }

  public LabelNames labels() {
    return labels;
  }
}
