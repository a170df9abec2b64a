package io.widerow.storage.cursor;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A cursor that is opened on its first [#next]. A merge asks for that only after everything before
/// [#bound], so of a long list of files in sequence one is open at a time.
///
/// - Threads: one.
public final class LazyCursor implements EventCursor {
  private final EventId bound;
  private final Supplier<EventCursor> opener;
  private @Nullable EventCursor cursor;
  private boolean closed;

  /// @param bound no event comes before this id, in the direction of reading
  public LazyCursor(EventId bound, Supplier<EventCursor> opener) {
    this.bound = bound;
    this.opener = opener;
  }

  EventId bound() {
    return bound;
  }

  @Override
  public Step next() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
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
