package io.widerow.query.filter;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.query.NameText;

/// The field that a filter names: an attribute, or the event's type, time, id or level.
///
/// @param name the attribute; for the event's own, the name that was written
record FilterField(Kind kind, AttributeName name) {
  /// Whose value it is.
  enum Kind {
    ATTRIBUTE,
    TYPE,
    TIME,
    ID,
    LEVEL
  }

  /// The meaning of a name without backticks. `attributes.type` is the attribute `type`. The
  /// operand of `level` decides between the level and the attribute, see [FilterParser].
  static FilterField of(AttributeName written) {
    return switch (written.toString()) {
      case "type" -> new FilterField(Kind.TYPE, written);
      case "ts" -> new FilterField(Kind.TIME, written);
      case "id" -> new FilterField(Kind.ID, written);
      case "level" -> new FilterField(Kind.LEVEL, written);
      case "attributes.level" -> attribute(Level.FIELD);
      default -> attribute(NameText.stored(written));
    };
  }

  static FilterField attribute(AttributeName name) {
    return new FilterField(Kind.ATTRIBUTE, name);
  }
}
