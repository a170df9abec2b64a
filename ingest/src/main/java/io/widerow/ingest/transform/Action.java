package io.widerow.ingest.transform;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import org.jspecify.annotations.Nullable;

/// The action of a transform on an event. A closed set: [TransformRun] does each of them.
sealed interface Action {
  /// Leaves the event out.
  record DropEvent() implements Action {}

  /// Leaves attributes out.
  record Drop(AttributeSelector names) implements Action {}

  /// Gives an attribute another name; where the event has that one already, the name with `_2` at
  /// its end, or the next number that is free.
  record Rename(AttributeName from, AttributeName to) implements Action {}

  /// Replaces values, or the matches of an expression in them.
  ///
  /// @param pattern null for whole values
  record Redact(AttributeSelector names, @Nullable Pattern pattern, Replacement replacement)
      implements Action {}

  /// Replaces values by a keyed digest.
  record Hash(AttributeSelector names) implements Action {}
}
