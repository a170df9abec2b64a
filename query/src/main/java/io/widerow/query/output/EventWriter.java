package io.widerow.query.output;

import io.widerow.event.EventView;
import io.widerow.query.Token;
import org.jspecify.annotations.Nullable;

/// Formats events in one output format.
///
/// - Threads: one.
public interface EventWriter extends AutoCloseable {
  /// Writes the header, before the first event.
  default void begin(OutputBuffer out) {}

  void event(EventView event, OutputBuffer out);

  /// Writes the trailer, after the last event.
  ///
  /// @param token position of the last event, or the query's start position; null when there is
  ///   neither
  default void end(@Nullable Token token, OutputBuffer out) {}

  /// Writes that events are missing here because retention removed them before they were read.
  ///
  /// @param first the position where the remaining events begin
  default void gap(Token first, String why, OutputBuffer out) {}

  /// Writes that the query failed and the result ends here.
  default void failure(String why, OutputBuffer out) {}

  /// Releases its memory. Idempotent.
  @Override
  default void close() {}
}
