package io.widerow.loadgen.workload;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One event as a scenario draws it, before any target's encoding. Texts may hold the marks of
/// [Stamp].
///
/// @param body text of a log line, null for a metric
/// @param shiftNanos how far the event's time is from its place in the run: late events and equal
///   times; never above zero
public record Sample(
    String type, @Nullable String body, List<Attribute> attributes, long shiftNanos) {
  public Sample {
    assert shiftNanos <= 0 : "an event may not be early: " + shiftNanos;
    attributes = List.copyOf(attributes);
  }

  /// How targets that know the difference write an attribute.
  public enum Kind {
    TAG,
    TEXT,
    LONG,
    DOUBLE
  }

  /// @param text the value, as it is written
  public record Attribute(String name, Kind kind, String text) {}

  /// The text of an attribute; null when there is none of this name.
  public @Nullable String text(String name) {
    for (Attribute attribute : attributes) {
      if (attribute.name().equals(name)) {
        return attribute.text();
      }
    }
    return null;
  }

  Sample shifted(long nanos) {
    return new Sample(type, body, attributes, nanos);
  }
}
