package io.widerow.storage.cassandra.read;

import io.widerow.storage.EventCursor;
import io.widerow.storage.cursor.DelegatingCursor;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A cursor that is made of a response which has not come yet.
///
/// - Threads: one.
/// - Memory: owns the cursor.
final class AsyncCursor<T> extends DelegatingCursor {
  private final CompletableFuture<T> answer;
  private final Function<T, EventCursor> opener;
  private final ReadAhead ahead;

  AsyncCursor(CompletableFuture<T> answer, Function<T, EventCursor> opener, ReadAhead ahead) {
    this.answer = answer;
    this.opener = opener;
    this.ahead = ahead;
  }

  @Override
  protected @Nullable EventCursor open() {
    if (!answer.isDone()) {
      ahead.waitFor(answer);
      return null;
    }
    return opener.apply(Requests.await(answer));
  }

  @Override
  public CompletableFuture<Void> ready() {
    return ahead.ready();
  }
}
