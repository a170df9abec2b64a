package io.widerow.storage.embedded;

import io.widerow.storage.LaneWriter;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The lanes of an open store. [StartedLanes] accept events from the start. A store that was opened
/// on a full disk has a [DelayedStart] instead, which starts its lanes when there is room.
///
/// - Threads: any.
interface OpenedLanes {
  /// The lanes that accept events now.
  List<EmbeddedLane> now();

  LaneWriter writer(int lane);

  /// True when the lanes accept events.
  default boolean isStarted() {
    return true;
  }

  /// @throws io.widerow.storage.StorageException when the lanes wait for room
  default void requireStarted() {}

  /// True when the manifest may be edited.
  default boolean isTidy() {
    return true;
  }

  /// @throws io.widerow.storage.StorageException when the manifest may not be edited yet
  default void requireTidy() {}

  /// Why the lanes wait for room; null when they do not.
  default @Nullable String full() {
    return null;
  }

  /// Tries to start the lanes when they wait for room.
  ///
  /// @param executor runs the try
  default void goOn(Executor executor) {}

  /// Bytes of rows that wait for room.
  default long heldBytes() {
    return 0;
  }

  /// Starts no lane from now on; waits for a running start.
  default void stop() {}

  /// Frees the rows that wait for room. Call it last.
  default void free() {}
}
