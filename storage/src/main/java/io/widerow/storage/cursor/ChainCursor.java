package io.widerow.storage.cursor;

import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// A concatenation of cursors, for readers that ignore the order of events.
///
/// - Threads: one.
/// - Memory: owns its inputs; closes each at its end and lets go of it, the rest in [#close].
public final class ChainCursor implements EventCursor {
  private final EventCursor[] inputs;
  private ScanStatistics finished = ScanStatistics.NONE;
  private int at;

  public ChainCursor(List<EventCursor> inputs) {
    this.inputs = inputs.toArray(EventCursor[]::new);
  }

  private EventCursor input() {
    return at < inputs.length ? inputs[at] : EmptyCursor.INSTANCE;
  }

  @Override
  public Step next() {
    while (at < inputs.length) {
      Step step = inputs[at].next();
      if (step != Step.END) {
        return step;
      }
      closeInput();
    }
    return Step.END;
  }

  private void closeInput() {
    EventCursor ended = inputs[at];
    inputs[at++] = EmptyCursor.INSTANCE;
    finished = finished.plus(ended.statistics());
    ended.close();
  }

  @Override
  public CompletableFuture<Void> ready() {
    return input().ready();
  }

  @Override
  public EventView event() {
    return input().event();
  }

  @Override
  public ScanStatistics statistics() {
    return finished.plus(input().statistics());
  }

  @Override
  public void close() {
    while (at < inputs.length) {
      closeInput();
    }
  }
}
