package io.widerow.query.figures;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;

/// What groups are made by and aggregates are of: an attribute, or the event's type.
///
/// @param name the attribute, as it is stored
/// @param isType true for the event's type
public record Field(AttributeName name, boolean isType) {
  /// The event's type.
  public static final Field TYPE = new Field(Aggregation.TYPE, true);

  /// @param shown a name as answers show it: `type` is the event's type, `attributes.type` an
  ///   attribute
  static Field of(AttributeName shown) {
    return new Field(NameText.stored(shown), shown.toString().equals("type"));
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
    if (isType) {
      event.readType(out);
      return true;
    }
    return event.find(name, out);
  }
}
