package io.widerow.storage.cursor;

import io.widerow.event.EventId;
import io.widerow.storage.EventCursor;
import java.util.function.Supplier;

/// A cursor that is opened on its first [#next]. A merge asks for that only after everything before
/// [#bound], so of a long list of files in sequence one is open at a time.
///
/// - Threads: one.
public final class LazyCursor extends DelegatingCursor {
  private final EventId bound;
  private final Supplier<EventCursor> opener;
  private boolean closed;

  /// @param bound no event comes before this id, in the direction of reading
  /// @param opener opens the cursor
  public LazyCursor(EventId bound, Supplier<EventCursor> opener) {
    this.bound = bound;
    this.opener = opener;
  }

  /// The bound of the first event, until the cursor is opened.
  @Override
  public EventId bound() {
    return opened() == null ? bound : super.bound();
  }

  @Override
  protected EventCursor open() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    return opener.get();
  }

  @Override
  public void close() {
    closed = true;
    super.close();
  }
}
