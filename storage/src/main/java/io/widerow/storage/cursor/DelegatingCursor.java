package io.widerow.storage.cursor;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A cursor that opens another on its first [#next] or [#search], and shows what that one shows.
///
/// - Threads: one.
/// - Memory: owns the other cursor until [#close], and only its statistics after that.
public abstract class DelegatingCursor implements EventCursor {
  private @Nullable EventCursor cursor;
  private ScanStatistics read = ScanStatistics.NONE; // when it is closed

  protected DelegatingCursor() {}

  /// Opens the other cursor; null when that is not possible yet, and [#ready] has to be waited for.
  protected abstract @Nullable EventCursor open();

  /// The other cursor; null until it is opened, and after [#close].
  protected final @Nullable EventCursor opened() {
    return cursor;
  }

  private @Nullable EventCursor openedNow() {
    EventCursor open = cursor;
    if (open == null) {
      open = open();
      cursor = open;
    }
    return open;
  }

  @Override
  public final Step next() {
    EventCursor open = openedNow();
    return open == null ? Step.PENDING : open.next();
  }

  @Override
  public final @Nullable Step search() {
    EventCursor open = openedNow();
    return open == null ? Step.PENDING : open.search();
  }

  @Override
  public CompletableFuture<Void> ready() {
    EventCursor open = cursor;
    return open == null ? CompletableFuture.completedFuture(null) : open.ready();
  }

  @Override
  public EventId bound() {
    EventCursor open = cursor;
    return open == null ? EventCursor.super.bound() : open.bound();
  }

  @Override
  public final EventView event() {
    EventCursor open = cursor;
    if (open == null) {
      throw new IllegalStateException("no current event");
    }
    return open.event();
  }

  @Override
  public final ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? read : open.statistics();
  }

  @Override
  public void close() {
    EventCursor open = cursor;
    if (open != null) {
      open.close();
      read = open.statistics();
      cursor = null; // a merge keeps this cursor, which must not keep what the other one holds
    }
  }
}
