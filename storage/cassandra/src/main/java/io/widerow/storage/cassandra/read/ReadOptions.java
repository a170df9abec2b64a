package io.widerow.storage.cassandra.read;

import java.time.Duration;
import java.util.function.ToIntFunction;

/// Limits and settings for reading a cluster.
///
/// @param readAhead values that one open query asks for before their turn, at most; 1 to 1,024
/// @param readAheadBytes bytes of these values, at most; 1 MiB to 1 GiB
/// @param inFlightMax requests for values that one reader has in flight, at most, not counting
///   requests that a query waits for; 1 to 65,536
/// @param patience how long a failed request is retried before the query fails
/// @param rowsCached rows of directories and of the catalog that are kept, each
/// @param bucketMinutes width of the buckets of a type that is not in the catalog
public record ReadOptions(
    int readAhead,
    long readAheadBytes,
    int inFlightMax,
    Duration patience,
    int rowsCached,
    ToIntFunction<String> bucketMinutes) {
  private static final int HOUR_MINUTES = 60;
  private static final long MIB = 1L << 20;

  /// The defaults of a daemon.
  public static final ReadOptions DEFAULT =
      new ReadOptions(32, 16 * MIB, 256, Duration.ofSeconds(10), 1 << 18, _ -> HOUR_MINUTES);

  public ReadOptions {
    require(
        readAhead >= 1 && readAhead <= 1 << 10, "values read ahead must be 1 to 1024", readAhead);
    require(
        readAheadBytes >= MIB && readAheadBytes <= 1 << 30,
        "bytes read ahead must be 1 MiB to 1 GiB",
        readAheadBytes);
    require(
        inFlightMax >= 1 && inFlightMax <= 1 << 16,
        "requests in flight must be 1 to 65536",
        inFlightMax);
    require(rowsCached >= 1, "rows cached must be positive", rowsCached);
    if (patience.isNegative()) {
      throw new IllegalArgumentException("patience must not be negative, got " + patience);
    }
  }

  private static void require(boolean fulfilled, String rule, long got) {
    if (!fulfilled) {
      throw new IllegalArgumentException("%s, got %d".formatted(rule, got));
    }
  }

  public ReadOptions withReadAhead(int count) {
    return new ReadOptions(count, readAheadBytes, inFlightMax, patience, rowsCached, bucketMinutes);
  }

  public ReadOptions withInFlightMax(int count) {
    return new ReadOptions(readAhead, readAheadBytes, count, patience, rowsCached, bucketMinutes);
  }

  public ReadOptions withPatience(Duration time) {
    return new ReadOptions(readAhead, readAheadBytes, inFlightMax, time, rowsCached, bucketMinutes);
  }

  public ReadOptions withBucketMinutes(ToIntFunction<String> width) {
    return new ReadOptions(readAhead, readAheadBytes, inFlightMax, patience, rowsCached, width);
  }
}
