package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A cursor that is made of an answer which has not come yet.
///
/// - Threads: one.
/// - Memory: owns the cursor.
final class AsyncCursor<T> implements EventCursor {
  private final CompletableFuture<T> answer;
  private final Function<T, EventCursor> opener;
  private final ReadAhead ahead;
  private @Nullable EventCursor cursor;

  AsyncCursor(CompletableFuture<T> answer, Function<T, EventCursor> opener, ReadAhead ahead) {
    this.answer = answer;
    this.opener = opener;
    this.ahead = ahead;
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  @Override
  public @Nullable Step search() {
    EventCursor open = cursor;
    if (open == null) {
      if (!answer.isDone()) {
        ahead.waitFor(answer);
        return Step.PENDING;
      }
      open = opener.apply(Requests.await(answer));
      cursor = open;
    }
    return open.search();
  }

  @Override
  public EventId bound() {
    return Objects.requireNonNull(cursor).bound();
  }

  @Override
  public CompletableFuture<Void> ready() {
    return ahead.ready();
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
    EventCursor open = cursor;
    if (open != null) {
      open.close();
    }
  }
}
