package io.widerow.query;

import java.time.Duration;

/// The limits of one query. A query that exceeds one ends with a [QueryException] that names it.
///
/// @param partitionsMax partitions open at the same time
/// @param eventsScannedMax events scanned, including events that the filter drops
/// @param time from the start of the query to its end
public record QueryBudget(int partitionsMax, long eventsScannedMax, Duration time) {
  /// Metrics have a type each, so a query over all types merges thousands of partitions.
  public static final QueryBudget DEFAULT =
      new QueryBudget(16_384, Long.MAX_VALUE, Duration.ofHours(1));

  public QueryBudget {
    if (partitionsMax < 1 || eventsScannedMax < 1 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "a budget must allow something, got %d partitions, %d events, %s"
              .formatted(partitionsMax, eventsScannedMax, time));
    }
  }
}
