package io.widerow.storage.cursor;

import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;

/// A cursor without events.
final class EmptyCursor implements EventCursor {
  static final EmptyCursor INSTANCE = new EmptyCursor();

  private EmptyCursor() {}

  @Override
  public Step next() {
    return Step.END;
  }

  @Override
  public EventView event() {
    throw new IllegalStateException("no current event");
  }

  @Override
  public ScanStatistics statistics() {
    return ScanStatistics.NONE;
  }

  @Override
  public void close() {}
}
