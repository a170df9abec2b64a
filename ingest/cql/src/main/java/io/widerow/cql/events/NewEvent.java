package io.widerow.cql.events;

import io.widerow.event.EventId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event that a statement brings.
///
/// @param body null for none
/// @param texts attributes that are texts
/// @param numbers all others
public record NewEvent(
    String type,
    EventId id,
    @Nullable String body,
    Map<String, String> texts,
    Map<String, Double> numbers) {
  public NewEvent {
    texts = Map.copyOf(texts);
    numbers = Map.copyOf(numbers);
  }
}
