package io.widerow.storage.cursor;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;

/// A cursor that shows only the events that a filter keeps. It is for filters that cannot be pushed
/// below a merge: a replaced event must not reappear because its replacement is filtered out.
///
/// - Threads: one.
/// - Memory: owns its input.
public final class FilterCursor implements EventCursor {
  private final EventCursor input;
  private final Filter filter;
  private final AttributeValue scratch = new AttributeValue();
  private long dropped;

  public FilterCursor(EventCursor input, Filter filter) {
    this.input = input;
    this.filter = filter;
  }

  @Override
  public Step next() {
    while (true) {
      Step step = input.next();
      if (step != Step.EVENT || FilterEvaluation.keeps(filter, input.event(), scratch)) {
        return step;
      }
      dropped++;
    }
  }

  @Override
  public CompletableFuture<Void> ready() {
    return input.ready();
  }

  @Override
  public EventView event() {
    return input.event();
  }

  @Override
  public ScanStatistics statistics() {
    ScanStatistics all = input.statistics();
    return new ScanStatistics(
        all.blocksRead(),
        all.blocksSkipped(),
        all.bytesRead(),
        all.eventsScanned(),
        all.eventsKept() - dropped);
  }

  @Override
  public void close() {
    input.close();
  }
}
