package io.widerow.storage;

import io.widerow.event.EventView;
import java.util.concurrent.CompletableFuture;

/// Yields events in order, one at a time. A merge of cursors is a cursor.
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
/// - Memory: holds at most one block per open partition until [#close].
public interface EventCursor extends AutoCloseable {
  /// What [#next] found.
  enum Step {
    /// The cursor moved to an event.
    EVENT,
    /// The next event is not here yet; wait for [#ready], then ask again. A store on this machine
    /// never answers so.
    PENDING,
    /// There is no further event.
    END
  }

  /// Moves on.
  ///
  /// @throws StorageException when what must be read cannot be read or is damaged
  Step next();

  /// Completes when [#next] will not answer [Step#PENDING].
  default CompletableFuture<Void> ready() {
    return CompletableFuture.completedFuture(null);
  }

  /// The current event, until [#next] is called again.
  EventView event();

  /// What reading has cost so far.
  ScanStatistics statistics();

  @Override
  void close();
}
