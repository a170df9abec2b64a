package io.widerow.query;

import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The limits of one query. A query that exceeds one ends with a [QueryException] that names it.
///
/// @param partitionsMax partitions open at the same time
/// @param eventsScannedMax events scanned, including events that the filter drops
/// @param time from the start of the query to its end
/// @param fetchedBytesMax bytes fetched of segments that are kept elsewhere; null for
///   [QueryMemory#fetchedBytesMax]
public record QueryBudget(
    int partitionsMax, long eventsScannedMax, Duration time, @Nullable Long fetchedBytesMax) {
  /// Metrics have a type each, so a query over all types merges thousands of partitions.
  public static final QueryBudget DEFAULT =
      new QueryBudget(16_384, Long.MAX_VALUE, Duration.ofHours(1));

  public QueryBudget {
    if (fetchedBytesMax != null && fetchedBytesMax < 0) {
      throw new IllegalArgumentException("a budget of %d bytes".formatted(fetchedBytesMax));
    }
    if (partitionsMax < 1 || eventsScannedMax < 1 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "a budget must allow something, got %d partitions, %d events, %s"
              .formatted(partitionsMax, eventsScannedMax, time));
    }
  }

  public QueryBudget(int partitionsMax, long eventsScannedMax, Duration time) {
    this(partitionsMax, eventsScannedMax, time, null);
  }

  /// @param bytesMax null for the usual limit
  public QueryBudget withFetchedBytes(@Nullable Long bytesMax) {
    return new QueryBudget(partitionsMax, eventsScannedMax, time, bytesMax);
  }

  /// Limits what the readers of a view fetch from elsewhere.
  ///
  /// @param all what the query could fetch
  void limitFetches(StoreView view, QueryMemory memory, Supplier<StoreView.Elsewhere> all) {
    long most = fetchedBytesMax == null ? memory.fetchedBytesMax() : fetchedBytesMax;
    StoreView.Fetches fetches = view.fetches();
    fetches.limit(
        most,
        () -> {
          StoreView.Elsewhere whole = all.get();
          return new QueryException.OverBudget(
              "bytes of cold segments",
              most,
              fetches.bytes(),
              (whole.segments() == 0
                      ? ""
                      : "its range has %d in %d segments: "
                          .formatted(whole.bytes(), whole.segments()))
                  + "query a shorter one, or raise cold-budget or the key cold-read-budget");
        });
  }
}
