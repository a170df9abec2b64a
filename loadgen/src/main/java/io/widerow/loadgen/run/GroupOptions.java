package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;

/// Grouping of a count, and the events that it covers.
///
/// @param by a field, or `type`
/// @param everyNanos step of time, whole seconds
/// @param overNanos how much of the newest time is counted
public record GroupOptions(String by, long everyNanos, long overNanos) {
  public GroupOptions {
    if (by.isBlank()) {
      throw new IllegalArgumentException("--by cannot be '" + by + "'");
    }
    if (everyNanos < Quantity.SECOND || everyNanos % Quantity.SECOND != 0) {
      throw new IllegalArgumentException(
          "--every must be whole seconds, got " + Quantity.time(everyNanos));
    }
    if (overNanos <= 0) {
      throw new IllegalArgumentException("--over cannot be " + Quantity.time(overNanos));
    }
  }
}
