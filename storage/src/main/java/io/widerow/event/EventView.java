package io.widerow.event;

/// One event as a reader sees it, wherever it lies: an open row, a segment, another machine. A view
/// is a window that a cursor moves; it shows the current event until the cursor moves on.
///
/// - Threads: one, that of the cursor.
public interface EventView {
  long idTime();

  long idTail();

  /// Zero when Widerow assigned the id; otherwise the place of this write among all writes with ids
  /// of their own, greater is later.
  long version();

  /// The type's name.
  String type();

  /// Fills `out` with the value of an attribute. False, and `out` unchanged, when the event has
  /// none of this name or its column was not asked for.
  boolean find(AttributeName name, AttributeValue out);

  /// Shows every attribute that was asked for, in ascending order of names.
  ///
  /// @param scratch the value that `visitor` is handed, again and again
  void forEach(AttributeValue scratch, AttributeVisitor visitor);

  /// How many events this one stands for, itself among them: 1, unless the scan has a
  /// [io.widerow.storage.Fold]. Its values of the fold's attributes are those of all of them; its
  /// id is that of an event of the same step.
  default long weight() {
    return 1;
  }

  default EventId id() {
    return new EventId(idTime(), idTail());
  }

  /// The event's time in nanoseconds since the Unix epoch.
  default long timeNanos() {
    return version() == EventLayout.VERSION_ASSIGNED
        ? TimeUuid.nanosOf(idTime(), idTail())
        : TimeUuid.tickNanos(idTime());
  }

  /// The event's place in the order of arrival at its daemon.
  default long arrival() {
    return EventLayout.arrival(version(), idTail());
  }

  /// Takes one attribute of an event.
  @FunctionalInterface
  interface AttributeVisitor {
    void visit(AttributeName name, AttributeValue value);
  }
}
