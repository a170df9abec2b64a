package io.widerow.storage.cursor;

import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// A concatenation of cursors, for readers that ignore the order of events.
///
/// - Threads: one.
/// - Memory: owns its inputs; closes each at its end, the rest in [#close].
public final class ChainCursor implements EventCursor {
  private final List<EventCursor> inputs;
  private ScanStatistics finished = ScanStatistics.NONE;
  private int at;

  public ChainCursor(List<EventCursor> inputs) {
    this.inputs = List.copyOf(inputs);
  }

  private EventCursor input() {
    return at < inputs.size() ? inputs.get(at) : EmptyCursor.INSTANCE;
  }

  @Override
  public Step next() {
    while (at < inputs.size()) {
      Step step = inputs.get(at).next();
      if (step != Step.END) {
        return step;
      }
      closeInput();
    }
    return Step.END;
  }

  private void closeInput() {
    EventCursor ended = inputs.get(at++);
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
    while (at < inputs.size()) {
      closeInput();
    }
  }
}
