package io.widerow.query.sizing;

import io.widerow.query.QueryException;
import org.jspecify.annotations.Nullable;

/// A described load of events of one type, and what it takes.
///
/// @param perSecond events a second
/// @param restBytes bytes of an event at rest, in a sealed segment
/// @param attributes attributes of an event; null when that was not said
public record Load(double perSecond, double restBytes, @Nullable Integer attributes) {
  /// Bytes at rest for a byte of a record, until something is known.
  public static final double REST_SHARE = 0.1;

  private static final int SECONDS_PER_HOUR = 3_600;
  private static final int HOURS_PER_DAY = 24;
  private static final int MINUTES_PER_HOUR = 60;

  /// @param eventBytes bytes of an event's record; null when they were not said
  /// @param restBytes bytes of it at rest; null for a share of `eventBytes`
  public static Load of(
      double perSecond,
      @Nullable Double eventBytes,
      @Nullable Double restBytes,
      @Nullable Integer attributes) {
    requirePositive("rate", perSecond);
    if (eventBytes != null) {
      requirePositive("event-bytes", eventBytes);
    }
    if (attributes != null) {
      requirePositive("attributes", attributes);
    }
    if (restBytes != null) {
      requirePositive("rest-bytes", restBytes);
      return new Load(perSecond, restBytes, attributes);
    }
    if (eventBytes == null) {
      throw new QueryException.Refused(
          "rest-bytes", "is missing: give it, or event-bytes: a tenth of them is assumed");
    }
    return new Load(perSecond, eventBytes * REST_SHARE, attributes);
  }

  private static void requirePositive(String parameter, double value) {
    if (!(value > 0 && value <= Long.MAX_VALUE)) {
      throw new QueryException.Refused(parameter, "must be greater than 0, got " + value);
    }
  }

  public double eventsPerHour() {
    return perSecond * SECONDS_PER_HOUR;
  }

  /// Bytes at rest.
  public double bytesPerHour() {
    return eventsPerHour() * restBytes;
  }

  public double bytesPerDay() {
    return bytesPerHour() * HOURS_PER_DAY;
  }

  public double weightPerHour() {
    return Weight.of(bytesPerHour(), eventsPerHour());
  }

  /// The form that its partitions get.
  public PlannedForm form() {
    return PlannedForm.of(weightPerHour() * HOURS_PER_DAY);
  }

  /// Values in one partition of that form; null when nothing was said of attributes.
  public @Nullable Double cellsPerPartition() {
    PlannedForm form = form();
    return attributes == null
        ? null
        : eventsPerHour() * form.widthMinutes() / MINUTES_PER_HOUR / form.shards() * attributes;
  }
}
