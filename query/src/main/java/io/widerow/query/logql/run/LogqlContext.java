package io.widerow.query.logql.run;

import io.widerow.event.PartitionKey;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.fields.FieldValues;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.LineMemory;
import io.widerow.storage.StoreView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The context of one LogQL query: its view, the attributes that are labels, and its limits.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: counts what the result holds, until [#close]. Does not own the view.
public final class LogqlContext extends QueryExecution {
  private final LabelMapping labels;
  private final KnownFields known;
  private final LogqlLimits limits;
  private final LineMemory lines;

  /// @param memory the budget that it shares with other queries
  public LogqlContext(StoreView view, LabelMapping labels, QueryBudget budget, QueryMemory memory) {
    this(view, labels, new KnownFields(), LogqlLimits.DEFAULT, budget, memory);
  }

  /// @param known the earlier counts of sealed blocks
  /// @param memory the budget that it shares with other queries
  public LogqlContext(
      StoreView view,
      LabelMapping labels,
      KnownFields known,
      LogqlLimits limits,
      QueryBudget budget,
      QueryMemory memory) {
    super(view, budget, memory);
    this.limits = limits;
    this.lines = new LineMemory(limits.textBytesMax(), this::holdPassing, this::check);
    this.labels = labels;
    this.known = known;
  }

  LogqlLimits limits() {
    return limits;
  }

  public LabelMapping labels() {
    return labels;
  }

  /// Memory for the lines that are read one after the other.
  LineMemory lineMemory() {
    return lines;
  }

  /// The values found in sealed blocks; null when only events have them.
  ///
  /// @param partitions those of the range
  @Nullable FieldValues values(List<PartitionKey> partitions, RangeQuery range) {
    return FieldValues.of(view(), known, partitions, scan(range));
  }
}
