package io.widerow.event;

/// The total order of events: by id, then by type. A merge shows events in it, and a position in it
/// is where a reader continues.
public final class EventOrder {
  private EventOrder() {}

  /// Compares an event with a position.
  ///
  /// @return negative, zero or positive when the event is before, at or after the position
  public static int compare(EventView event, long idTime, long idTail, String type) {
    int byId = TimeUuid.compare(event.idTime(), event.idTail(), idTime, idTail);
    return byId != 0 ? byId : event.type().compareTo(type);
  }
}
