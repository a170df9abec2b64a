package io.widerow.query.parse;

import io.widerow.event.AttributeName;
import io.widerow.storage.Filter;

/// A step behind a pipe of a filter. A closed set.
public sealed interface ParseStep {
  /// Finds the fields of a text. The fields that the event has already win.
  ///
  /// @param source the field that holds the text
  /// @param overwrites whether the fields of the text win instead
  record Parse(AttributeName source, TextFormat format, boolean overwrites) implements ParseStep {}

  /// Keeps events by their fields, those of earlier steps too.
  record Where(Filter filter) implements ParseStep {}
}
