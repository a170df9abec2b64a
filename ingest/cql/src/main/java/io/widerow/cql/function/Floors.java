package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlDuration;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/// Rounds times down to a multiple of a duration, counted from a start. Months have their own
/// lengths; without them it is a matter of milliseconds.
///
/// - Errors: a [CqlException] when the duration or the start does not suit the time.
public final class Floors {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final long DAY_NANOS = Duration.ofDays(1).toNanos();
  private static final long MILLI_NANOS = 1_000_000;
  private static final long COUNT_MAX = 100_000;

  private Floors() {}

  /// @param start not after the time
  public static Instant floor(Instant time, CqlDuration by, Instant start) {
    if (by.nanos() % MILLI_NANOS != 0) {
      throw CqlException.invalid(
          "The floor cannot be computed for the %s duration as precision is below 1 millisecond"
              .formatted(by));
    }
    return Instant.ofEpochMilli(floor(time.toEpochMilli(), by, start.toEpochMilli()));
  }

  /// @param start not after the date
  public static LocalDate floor(LocalDate date, CqlDuration by, LocalDate start) {
    if (by.nanos() != 0) {
      throw CqlException.invalid(
          ("The floor on date values cannot be computed for the %s duration as precision is below 1"
                  + " day")
              .formatted(by));
    }
    long floor = floor(date.toEpochDay() * DAY_MILLIS, by, start.toEpochDay() * DAY_MILLIS);
    return LocalDate.ofEpochDay(Math.floorDiv(floor, DAY_MILLIS));
  }

  /// @param by of less than a day
  public static LocalTime floor(LocalTime time, CqlDuration by) {
    requirePositive(by);
    if (by.months() != 0 || by.days() != 0 || by.nanos() > DAY_NANOS) {
      throw CqlException.invalid(
          "For time values, the floor can only be computed for durations smaller that a day");
    }
    long nanos = time.toNanoOfDay();
    return by.nanos() == 0 ? time : LocalTime.ofNanoOfDay(nanos - nanos % by.nanos());
  }

  private static void requirePositive(CqlDuration by) {
    if (by.months() < 0 || by.days() < 0 || by.nanos() < 0) {
      throw CqlException.invalid("Negative durations are not supported by the floor function");
    }
  }

  /// All in milliseconds.
  private static long floor(long time, CqlDuration by, long start) {
    if (start > time) {
      throw CqlException.invalid(
          "The floor function starting time is greater than the provided time");
    }
    requirePositive(by);
    if (by.months() == 0) {
      long millis = millis(by);
      return millis == 0 ? time : time - (time - start) % millis;
    }
    long count = (months(time) - months(start)) / by.months();
    OffsetDateTime at = utc(start).plusMonths(count * by.months());
    if (millis(by) == 0) {
      return at.toInstant().toEpochMilli(); // perhaps the end of a month that is not over
    }
    if (count > COUNT_MAX) {
      throw CqlException.invalid(
          "The floor function counts at most %d durations, not %d".formatted(COUNT_MAX, count));
    }
    while (isAfter(at, count, by, time)) { // each month back may have fewer days
      at = at.minusMonths(by.months());
      count--;
    }
    return Math.max(start, at.toInstant().toEpochMilli() + count * millis(by));
  }

  private static long millis(CqlDuration by) {
    return by.days() * DAY_MILLIS + by.nanos() / MILLI_NANOS;
  }

  private static OffsetDateTime utc(long millis) {
    return Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC);
  }

  private static long months(long millis) {
    return utc(millis).getYear() * 12L + utc(millis).getMonthValue();
  }

  private static boolean isAfter(OffsetDateTime at, long count, CqlDuration by, long time) {
    long room = time - at.toInstant().toEpochMilli();
    return room < 0 || count > room / millis(by);
  }
}
