package io.widerow.storage;

import io.widerow.event.EventView;
import org.jspecify.annotations.Nullable;

/// What becomes of stored events when their segments are written again.
///
/// - Threads: one.
@FunctionalInterface
public interface EventChange {
  /// The event to write in place of another: the same object when it stays as it is, null when it
  /// goes. One that is changed keeps type, id, version and time; it is valid until the next call.
  @Nullable EventView of(EventView event);
}
