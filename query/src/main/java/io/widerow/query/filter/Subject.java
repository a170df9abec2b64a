package io.widerow.query.filter;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;

/// What a name in a filter means: an attribute, or the event's own type, time or id.
///
/// @param name the attribute; for the event's own, the name that was written
record Subject(Kind kind, AttributeName name) {
  /// Whose value it is.
  enum Kind {
    ATTRIBUTE,
    TYPE,
    TIME,
    ID
  }

  /// The meaning of a name without backticks. `attributes.type` is the attribute `type`.
  static Subject of(AttributeName written) {
    return switch (written.toString()) {
      case "type" -> new Subject(Kind.TYPE, written);
      case "ts" -> new Subject(Kind.TIME, written);
      case "id" -> new Subject(Kind.ID, written);
      default -> attribute(NameText.stored(written));
    };
  }

  static Subject attribute(AttributeName name) {
    return new Subject(Kind.ATTRIBUTE, name);
  }
}
