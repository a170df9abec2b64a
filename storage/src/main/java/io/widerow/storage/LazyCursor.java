package io.widerow.storage;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A cursor that is opened when its first event is asked for. A merge asks only when everything
/// before [#bound] has been shown, so a long list of files that follow each other is open one at a
/// time.
///
/// - Threads: one.
final class LazyCursor implements EventCursor {
  private final EventId bound;
  private final Supplier<EventCursor> opener;
  private @Nullable EventCursor cursor;
  private boolean closed;

  /// @param bound no event comes before it, in the direction of reading
  LazyCursor(EventId bound, Supplier<EventCursor> opener) {
    this.bound = bound;
    this.opener = opener;
  }

  EventId bound() {
    return bound;
  }

  @Override
  public Step next() {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    EventCursor open = cursor;
    if (open == null) {
      open = opener.get();
      cursor = open;
    }
    return open.next();
  }

  @Override
  public EventView event() {
    EventCursor open = cursor;
    if (open == null) {
      throw new IllegalStateException("no current event");
    }
    return open.event();
  }

  @Override
  public ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? ScanStatistics.NONE : open.statistics();
  }

  @Override
  public void close() {
    closed = true;
    EventCursor open = cursor;
    if (open != null) {
      open.close();
    }
  }
}
