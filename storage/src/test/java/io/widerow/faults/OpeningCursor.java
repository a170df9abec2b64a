package io.widerow.faults;

import io.widerow.event.EventId;
import io.widerow.storage.EventCursor;
import io.widerow.storage.cursor.DelegatingCursor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A cursor whose opening takes its time: until it is done, the cursor is
/// [EventCursor.Step#PENDING].
///
/// - Threads: one. A cursor whose opening is done after [#close] is closed by the thread that
///   opened it.
public final class OpeningCursor extends DelegatingCursor {
  private final EventId bound;
  private final Supplier<CompletableFuture<EventCursor>> opener;
  private @Nullable CompletableFuture<EventCursor> opening;
  private boolean closed;

  /// @param bound no event comes before this id, in the direction of reading
  /// @param opener begins to open the cursor, once. When that fails, [#next] throws the reason
  public OpeningCursor(EventId bound, Supplier<CompletableFuture<EventCursor>> opener) {
    this.bound = bound;
    this.opener = opener;
  }

  /// The bound of the first event, until the cursor is opened.
  @Override
  public EventId bound() {
    return opened() == null ? bound : super.bound();
  }

  @Override
  protected @Nullable EventCursor open() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    CompletableFuture<EventCursor> begun = opening;
    if (begun == null) {
      begun = opener.get();
      opening = begun;
    }
    if (!begun.isDone()) {
      return null;
    }
    try {
      return begun.join();
    } catch (CompletionException failed) {
      switch (failed.getCause()) {
        case RuntimeException known -> throw known;
        case Error error -> throw error;
        case null, default -> throw failed;
      }
    }
  }

  /// Never exceptional while the cursor is being opened: [#next] throws the reason.
  @Override
  public CompletableFuture<Void> ready() {
    EventCursor open = opened();
    if (open != null) {
      return open.ready();
    }
    CompletableFuture<EventCursor> begun = opening;
    return begun == null ? CompletableFuture.completedFuture(null) : begun.handle((_, _) -> null);
  }

  @Override
  public void close() {
    closed = true;
    CompletableFuture<EventCursor> begun = opening;
    opening = null;
    if (opened() != null) {
      super.close();
    } else if (begun != null) {
      var _ = begun.thenAccept(EventCursor::close); // when it failed, there is nothing to close
    }
  }
}
