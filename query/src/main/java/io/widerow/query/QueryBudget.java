package io.widerow.query;

import java.time.Duration;

/// How much one query may take. Beyond it the query ends with a [QueryException] that names the
/// part.
///
/// @param partitionsMax partitions open at once
/// @param eventsScannedMax events looked at, those that the filter drops included
/// @param time from the start of the query to its end
public record QueryBudget(int partitionsMax, long eventsScannedMax, Duration time) {
  public static final QueryBudget DEFAULT =
      new QueryBudget(4_096, Long.MAX_VALUE, Duration.ofHours(1));

  public QueryBudget {
    if (partitionsMax < 1 || eventsScannedMax < 1 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "a budget must allow something, got %d partitions, %d events, %s"
              .formatted(partitionsMax, eventsScannedMax, time));
    }
  }
}
