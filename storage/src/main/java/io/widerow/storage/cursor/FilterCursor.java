package io.widerow.storage.cursor;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;

/// A cursor that shows only the events that a filter keeps. It is for filters that cannot be pushed
/// below a merge: a replaced event must not reappear because its replacement is filtered out.
///
/// - Threads: one.
public final class FilterCursor extends DroppingCursor {
  private final Filter filter;
  private final AttributeValue scratch = new AttributeValue();

  public FilterCursor(EventCursor input, Filter filter) {
    super(input);
    this.filter = filter;
  }

  @Override
  protected boolean isShown(EventView event) {
    return FilterEvaluation.keeps(filter, event, scratch);
  }
}
