package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.logql.line.Line;

/// Takes the lines of a log query, in the order of reading.
@FunctionalInterface
public interface LineSink {
  /// Takes a line, which is valid until the call returns.
  void add(Line line);

  /// Takes an event whose line is as it was stored. False when the line is needed; then nothing was
  /// taken.
  default boolean add(EventView event) {
    return false;
  }
}
