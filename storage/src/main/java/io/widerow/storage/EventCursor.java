package io.widerow.storage;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// An iterator over events in order. A merge of cursors is a cursor.
///
/// ```
/// while (cursor.nextWhenReady() == EVENT) {
///   use(cursor.event());
/// }
/// ```
///
/// - Threads: one.
/// - Memory: holds at most one block of each open partition until [#close].
public interface EventCursor extends AutoCloseable {
  /// The result of [#next].
  enum Step {
    /// The cursor moved to an event.
    EVENT,
    /// The next event has not arrived yet; wait for [#ready], then call [#next] again. This is not
    /// the end. A store on this machine never returns it, nor does a view with a deadline.
    PENDING,
    /// There are no more events.
    END
  }

  /// Moves to the next event.
  ///
  /// @throws StorageException when data cannot be read or is damaged
  /// @throws WouldBlockException when the view has a deadline and the read would block or has taken
  ///   too long
  Step next();

  /// Searches a limited piece for the next event, so that a merge lets each input search no further
  /// than the other inputs have come. All events that match a filter may lie in one input; with
  /// [#next] the other inputs would be searched to their ends before the first match is shown.
  ///
  /// @return what [#next] returns; null when the piece has no event. Then [#bound] returns how far
  ///   the search has come, and the next call, of this or of [#next], continues there
  default @Nullable Step search() {
    return next();
  }

  /// A bound that no later event comes before, in the direction of reading. Valid when [#search]
  /// has returned null, until the next call.
  ///
  /// @throws IllegalStateException when the cursor does not search in pieces
  default EventId bound() {
    throw new IllegalStateException("the cursor does not search in pieces");
  }

  /// Searches piece after piece, for cursors that override [#search].
  static Step searchThrough(EventCursor cursor) {
    Step found = cursor.search();
    while (found == null) {
      found = cursor.search();
    }
    return found;
  }

  /// Completes when [#next] should be called again, after it returned [Step#PENDING]. It completes
  /// exceptionally when the awaited data cannot be read; the cursor then cannot continue.
  default CompletableFuture<Void> ready() {
    return CompletableFuture.completedFuture(null);
  }

  /// Moves to the next event, and waits for it when it has not arrived yet. For threads that may
  /// wait.
  ///
  /// @return [Step#EVENT] or [Step#END]
  /// @throws StorageException when data cannot be read or is damaged, also while waiting
  default Step nextWhenReady() {
    Step step = next();
    while (step == Step.PENDING) {
      try {
        ready().join();
      } catch (CompletionException failed) {
        switch (failed.getCause()) {
          case RuntimeException known -> throw known;
          case Error error -> throw error;
          case null, default -> throw failed;
        }
      }
      step = next();
    }
    return step;
  }

  /// Moves to the next event of a cursor over files of this machine, which are never waited for.
  ///
  /// @return false at the end
  /// @throws IllegalStateException when the cursor is another one: its events would be lost
  static boolean nextLocal(EventCursor cursor) {
    return switch (cursor.next()) {
      case EVENT -> true;
      case END -> false;
      case PENDING ->
          throw new IllegalStateException("a cursor over local files has not all its events");
    };
  }

  /// The current event, valid until the next call of [#next].
  EventView event();

  /// The cost of reading so far.
  ScanStatistics statistics();

  @Override
  void close();
}
