package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;

/// The field by which a query groups or which it aggregates: an attribute, or the event's type or
/// level.
///
/// @param name the attribute, as it is stored
/// @param kind whose value it is
public record Field(AttributeName name, Kind kind) {
  /// The event's type.
  public static final Field TYPE = new Field(Aggregation.TYPE, Kind.TYPE);

  /// The event's level.
  public static final Field LEVEL = new Field(Level.FIELD, Kind.LEVEL);

  /// Whose value it is.
  public enum Kind {
    ATTRIBUTE,
    TYPE,
    LEVEL
  }

  /// An attribute.
  public static Field attribute(AttributeName name) {
    return new Field(name, Kind.ATTRIBUTE);
  }

  /// The field of an aggregate.
  ///
  /// @param shown a name as answers show it: `type` is the event's type, `attributes.type` an
  ///   attribute
  static Field of(AttributeName shown) {
    return shown.toString().equals("type") ? TYPE : attribute(NameText.stored(shown));
  }

  /// The field of a grouping: the same, and `level` is the event's level, `attributes.level` the
  /// attribute.
  static Field group(AttributeName shown) {
    if (shown.equals(Level.FIELD)) {
      return LEVEL;
    }
    boolean isLevel = shown.toString().equals(NameText.PREFIX + Level.FIELD);
    return isLevel ? attribute(Level.FIELD) : of(shown);
  }

  boolean isType() {
    return kind == Kind.TYPE;
  }

  /// Refuses the time and the id, which no group and no aggregate is of.
  ///
  /// @param parameter where the name comes from, for the message
  static AttributeName require(String parameter, AttributeName shown) {
    return switch (shown.toString()) {
      case "ts" ->
          throw new QueryException.Refused(
              parameter, "ts is the time; group by it with every; an attribute is attributes.ts");
      case "id" ->
          throw new QueryException.Refused(
              parameter, "id is the event's id, and each has one; an attribute is attributes.id");
      default -> shown;
    };
  }

  /// Fills `out` with an event's value. False when it has none.
  public boolean find(EventView event, AttributeValue out) {
    return switch (kind) {
      case ATTRIBUTE -> event.find(name, out);
      case TYPE -> {
        event.readType(out);
        yield true;
      }
      case LEVEL -> Level.find(event, out);
    };
  }
}
