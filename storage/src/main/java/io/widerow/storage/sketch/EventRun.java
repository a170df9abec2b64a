package io.widerow.storage.sketch;

import io.widerow.event.EventView;

/// An event that stands for several of a block, which agree in all attributes except the number of
/// one: its attributes are those of the first, see [io.widerow.storage.Grouping.Runs].
///
/// - Threads: one, that of the cursor.
/// - Order: ascending ids.
public interface EventRun extends EventView {
  /// Number of its events, at least 1.
  int size();

  /// The time of one of them in nanoseconds since the Unix epoch.
  long timeNanos(int at);

  /// The position of one of them in the order of arrival.
  long arrival(int at);

  /// The bits of the number of one of them, which has the kind of the first's number; not defined
  /// when the first has none.
  long bits(int at);

  @Override
  default long weight() {
    return size();
  }
}
