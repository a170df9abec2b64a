package io.widerow.storage.cassandra.keyspace;

import io.widerow.event.EventId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event as a row of the table `events`, the projection for users of CQL.
///
/// @param body the attribute of this name, as text; null when the event has none
/// @param attributes all other attributes that are no numbers, as text
/// @param numbers all other attributes that are numbers
public record EventRow(
    EventId id,
    @Nullable String body,
    Map<String, String> attributes,
    Map<String, Double> numbers) {
  public EventRow {
    attributes = Map.copyOf(attributes);
    numbers = Map.copyOf(numbers);
  }
}
