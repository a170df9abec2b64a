package io.widerow.ingest.decode;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/// Completes times that leave something out: the zone, or the year. Remembers the last offset of
/// the zone and the last year, so that a line costs no allocation.
///
/// - Threads: one.
public final class SenderLocalTimes {
  private static final long DAY_NANOS = 86_400 * TimeParser.NANOS_PER_SECOND;

  /// Zones change their offset at such steps only (all of them since 1973).
  private static final long STEP_NANOS = 900 * TimeParser.NANOS_PER_SECOND;

  private static final int YEARS_TRIED = 9; // a leap day may be eight years ago

  private final ZoneId zone;
  private final boolean utc;
  private long step = Long.MIN_VALUE;
  private long offsetNanos; // of `step`
  private long yearOf = Long.MIN_VALUE;
  private int year; // of `yearOf`

  /// @param zone of times without one
  public SenderLocalTimes(ZoneId zone) {
    this.zone = zone;
    utc = zone.normalized().equals(ZoneOffset.UTC);
  }

  /// Converts a local time, given as if it were UTC, to nanoseconds since the Unix epoch.
  long ofLocal(long localNanos) {
    if (utc) {
      return localNanos;
    }
    long newStep = Math.floorDiv(localNanos, STEP_NANOS);
    if (newStep != step) {
      step = newStep;
      offsetNanos = localNanos - TimePattern.ofLocal(localNanos, zone);
    }
    return localNanos - offsetNanos;
  }

  /// Completes a time without a year: the latest such time that is at most a day after now.
  ///
  /// @return [TimeParser#NONE] when no such day exists
  public long nearest(int month, int day, long secondsOfDay, long nowNanos) {
    long latest = nowNanos + DAY_NANOS;
    int tried = yearOf(nowNanos) + 1;
    for (int last = tried - YEARS_TRIED; tried > last; tried--) {
      if (TimeParser.isDate(tried, month, day)) {
        long nanos = ofLocal(TimeParser.nanosOf(tried, month, day, secondsOfDay));
        if (nanos <= latest) {
          return nanos;
        }
      }
    }
    return TimeParser.NONE;
  }

  private int yearOf(long nowNanos) {
    if (nowNanos != yearOf) {
      Instant now = Instant.ofEpochSecond(Math.floorDiv(nowNanos, TimeParser.NANOS_PER_SECOND));
      year = ZonedDateTime.ofInstant(now, zone).getYear();
      yearOf = nowNanos;
    }
    return year;
  }
}
