package io.widerow.storage.sketch;

import io.widerow.event.AttributeName;
import io.widerow.event.EventView;
import org.jspecify.annotations.Nullable;

/// An event that stands for all events of a group: it has the attributes that group, and aggregates
/// of others. The level of the events is its attribute [io.widerow.event.Level#FIELD].
///
/// - Threads: one, that of the cursor.
public interface GroupedEvents extends EventView {
  /// The aggregates of an attribute; null when there are none.
  @Nullable AttributeFigures figures(AttributeName name);
}
