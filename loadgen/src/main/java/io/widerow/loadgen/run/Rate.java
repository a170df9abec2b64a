package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;

/// Events per second while measuring: one rate, or one that rises or falls evenly. Warm-up has the
/// rate at the start.
///
/// @param fromPerSecond when measuring begins; 0 at both ends sends whenever a connection is free
/// @param untilPerSecond when measuring ends
public record Rate(double fromPerSecond, double untilPerSecond) {
  static final Rate CLOSED = new Rate(0, 0);

  private static final String TO = "..";

  public Rate {
    boolean closed = fromPerSecond == 0 && untilPerSecond == 0;
    if (!closed && !(fromPerSecond >= 1 && untilPerSecond >= 1)) {
      throw new IllegalArgumentException(
          "a rate must be at least 1 event/s, got " + text(fromPerSecond, untilPerSecond));
    }
  }

  static Rate even(double perSecond) {
    return new Rate(perSecond, perSecond);
  }

  /// @param text `50k`, or `10k..200k`
  /// @throws IllegalArgumentException when it is neither, or below one event per second
  static Rate parse(String text) {
    int to = text.indexOf(TO);
    if (to == 0 || (to > 0 && to + TO.length() == text.length())) {
      throw new IllegalArgumentException("a ramp has two ends, got '" + text + "'");
    }
    double from = Quantity.count(to < 0 ? text : text.substring(0, to));
    double until = to < 0 ? from : Quantity.count(text.substring(to + TO.length()));
    if (from < 1 || until < 1) {
      throw new IllegalArgumentException("a rate must be at least 1 event/s, got '" + text + "'");
    }
    return new Rate(from, until);
  }

  public boolean isClosed() {
    return fromPerSecond == 0;
  }

  public boolean isRamp() {
    return fromPerSecond != untilPerSecond;
  }

  double meanPerSecond() {
    return (fromPerSecond + untilPerSecond) / 2;
  }

  /// A form for names of files and folders.
  public String label() {
    return isClosed() ? "max" : isRamp() ? toString().replace(",", "") : plain(fromPerSecond);
  }

  private static String plain(double perSecond) {
    return Long.toString(Math.round(perSecond));
  }

  private static String text(double from, double until) {
    return from == until ? Quantity.count(from) : Quantity.count(from) + TO + Quantity.count(until);
  }

  @Override
  public String toString() {
    return text(fromPerSecond, untilPerSecond);
  }
}
