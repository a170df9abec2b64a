package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;

/// One of `--stages`: a rate or a ramp, and how long it lasts.
///
/// @param durationNanos 0 for as long as `--duration` says
public record Stage(Rate rate, long durationNanos) {
  /// @param text `50k`, `50k/30s` or `10k..200k/60s`
  /// @throws IllegalArgumentException with the text in it when it is none of these
  static Stage parse(String text) {
    int slash = text.indexOf('/');
    try {
      long nanos = slash < 0 ? 0 : Quantity.nanos(text.substring(slash + 1));
      if (slash >= 0 && nanos == 0) {
        throw new IllegalArgumentException("it lasts no time");
      }
      return new Stage(Rate.parse(slash < 0 ? text : text.substring(0, slash)), nanos);
    } catch (IllegalArgumentException impossible) {
      throw new IllegalArgumentException(
          "--stages cannot have '%s': %s".formatted(text, impossible.getMessage()), impossible);
    }
  }
}
