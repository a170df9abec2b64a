package io.widerow.ingest.transform;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.query.parse.TextFormat;
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

  /// Adds the fields of a text. The attributes of the event win.
  ///
  /// @param source the attribute that holds the text
  /// @param overwrites whether the fields of the text win instead
  record Parse(AttributeName source, TextFormat format, boolean overwrites) implements Action {}

  /// Gives an attribute a value, whether the event has it or not.
  record SetValue(AttributeName name, Literal value) implements Action {}

  /// Adds the value of an attribute under another name, with a number as [Rename] does.
  record Copy(AttributeName from, AttributeName to) implements Action {}

  /// Gives the event another type.
  record MoveToType(String type) implements Action {}

  /// Leaves out events, of equal ones all or none.
  ///
  /// @param percent of all that are kept
  /// @param by the attribute whose value decides, so that events with equal values stay together;
  ///   null for the whole event
  record Sample(double percent, @Nullable AttributeName by) implements Action {
    /// The hash below which an event is kept, see [SampleHash].
    long limit() {
      return SampleHash.limit(percent);
    }
  }

  /// Adds the fields of a table's row. The attributes of the event win.
  ///
  /// @param file as it was written
  /// @param by the attribute that is the key
  /// @param overwrites whether the fields of the table win instead
  record Lookup(String file, LookupTable table, AttributeName by, boolean overwrites)
      implements Action {}
}
