package io.widerow.storage.sketch;

import io.widerow.event.EventView;
import org.jspecify.annotations.Nullable;

/// An event that stands for several, which agree in all attributes except the number of one: its
/// attributes are those of an event that agrees with them, see [io.widerow.storage.Grouping.Runs].
///
/// - Threads: one, that of the cursor.
/// - Order: ascending ids.
public interface EventRun extends EventView {
  /// An object that other runs have, too, only when their events agree with these in the attributes
  /// and in the kind of the number. Null when nobody knows: agreeing runs may have different ones.
  @Nullable Object key();

  /// Number of its events, at least 1.
  int size();

  /// Where its events are. The bits of the numbers have the kind of the attribute's number; they
  /// are not defined when it has none.
  EventColumns columns();

  /// The first of its events in the columns.
  int from();

  /// The time of one of them in nanoseconds since the Unix epoch.
  default long timeNanos(int at) {
    return columns().nanos()[from() + at];
  }

  /// The position of one of them in the order of arrival.
  default long arrival(int at) {
    return columns().arrivals()[from() + at];
  }

  /// The bits of the number of one of them.
  default long bits(int at) {
    return columns().bits()[from() + at];
  }

  @Override
  default long timeNanos() {
    return timeNanos(0);
  }

  @Override
  default long arrival() {
    return arrival(0);
  }

  @Override
  default long weight() {
    return size();
  }
}
