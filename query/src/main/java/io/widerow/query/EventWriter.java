package io.widerow.query;

import io.widerow.event.EventView;
import org.jspecify.annotations.Nullable;

/// Turns events into bytes of one output format.
///
/// - Threads: one.
public interface EventWriter extends AutoCloseable {
  /// Writes what comes before the first event.
  default void begin(ByteSink out) {}

  void event(EventView event, ByteSink out);

  /// Writes what comes behind the last event.
  ///
  /// @param token position of the last event; null when there was none and none was asked from
  default void end(@Nullable Token token, ByteSink out) {}

  /// Writes that events are missing here, which were past their retention before they were read.
  ///
  /// @param first where what is left begins
  default void gap(Token first, String why, ByteSink out) {}

  /// Writes that the answer ends here because something failed.
  default void failure(String why, ByteSink out) {}

  /// Gives back what it holds. May be called again.
  @Override
  default void close() {}
}
