package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// One event as a reader sees it, wherever it is stored: in an open row, in a segment, on another
/// machine. A cursor moves the view; it shows the current event until the cursor moves on.
///
/// - Threads: one, that of the cursor.
public interface EventView {
  /// Bytes of an event without attributes, before encoding: id and version.
  long PLAIN_BYTES = 3 * Long.BYTES;

  long idTime();

  long idTail();

  /// Zero when Widerow assigned the id. Otherwise the sequence number of this write among all
  /// writes with client ids; the greater is the later.
  long version();

  /// Name of the event's type.
  String type();

  /// Fills `out` with the name of the event's type, as a string. An override avoids the copy.
  default void readType(AttributeValue out) {
    byte[] utf8 = type().getBytes(StandardCharsets.UTF_8);
    out.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
  }

  /// Fills `out` with the value of an attribute. False, with `out` unchanged, when the event does
  /// not have the attribute or it is not in the projection.
  boolean find(AttributeName name, AttributeValue out);

  /// Visits every attribute in the projection, in ascending order of names.
  ///
  /// @param scratch the value passed to `visitor`, reused for each attribute
  void forEach(AttributeValue scratch, AttributeVisitor visitor);

  /// The event's level; null when it has none. An override knows it without looking for it.
  ///
  /// @param scratch overwritten
  default @Nullable Level level(AttributeValue scratch) {
    return Level.search(this, scratch);
  }

  /// The number of events that this one represents, including itself: 1, unless the scan has a
  /// [io.widerow.storage.Grouping]. The grouping attributes of all these events have the values
  /// shown here; the id is that of one event in the same step of time.
  default long weight() {
    return 1;
  }

  /// Bytes of the event before encoding, or of all events that it stands for: 24 for id and version
  /// of each, 8 for a number or a boolean, 4 and their length for a text or bytes. Counts only
  /// attributes in the projection.
  ///
  /// @param scratch overwritten
  default long plainBytes(AttributeValue scratch) {
    long[] sum = {PLAIN_BYTES};
    forEach(
        scratch,
        (_, value) ->
            sum[0] += value.kind().isText() ? Integer.BYTES + value.length() : Long.BYTES);
    return sum[0];
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

  /// The event's position in the order of arrival at its daemon.
  default long arrival() {
    return EventLayout.arrival(version(), idTail());
  }

  /// Receives one attribute of an event.
  @FunctionalInterface
  interface AttributeVisitor {
    void visit(AttributeName name, AttributeValue value);
  }
}
