package io.widerow.storage;

import io.widerow.event.EventView;
import java.util.concurrent.CompletableFuture;

/// An iterator over events in order. A merge of cursors is a cursor.
///
/// ```
/// while (true) {
///   switch (cursor.next()) {
///     case EVENT -> use(cursor.event());
///     case PENDING -> cursor.ready().join();
///     case END -> { return; }
///   }
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
    /// The next event has not arrived yet; wait for [#ready], then call [#next] again. An embedded
    /// store never returns this.
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

  /// Completes when [#next] will not return [Step#PENDING].
  default CompletableFuture<Void> ready() {
    return CompletableFuture.completedFuture(null);
  }

  /// The current event, valid until the next call of [#next].
  EventView event();

  /// The cost of reading so far.
  ScanStatistics statistics();

  @Override
  void close();
}
