package io.widerow.storage.cassandra.apply;

import io.widerow.event.TimeUuid;
import java.time.Duration;
import java.util.List;

/// The options by which a daemon applies accepted events.
///
/// @param daemon number of the daemon, 0 to 511; [#AUTO] for the least free one
/// @param host where it runs, for people who look at the list of daemons
/// @param rows globs of the types that are also written as rows for users of CQL
/// @param roundBytes records that are applied at once at most, about, in bytes as they lie in
///   memory: a longer backlog is applied in several rounds, each with so much of the heap as its
///   segments take. At least 1; rounds of less than some MiB cost more requests
/// @param pendingBytesMax bytes that may wait on this machine; above it no events are taken
public record ApplyOptions(
    int daemon,
    String host,
    Pacing pacing,
    BatchKeys keys,
    List<String> rows,
    long roundBytes,
    long pendingBytesMax) {
  /// Takes the least free number.
  public static final int AUTO = -1;

  private static final int IN_FLIGHT_MAX = 1_024;

  /// A value may have so many bytes.
  private static final long VALUE_BYTES_MAX = 8L << 20;

  /// How often rounds are made, and how much of one is in flight.
  ///
  /// @param interval the longest that events wait for a round while nobody waits for them
  /// @param inFlight statements in flight at most, 1 to 1,024
  /// @param inFlightBytes bytes of values in flight at most
  public record Pacing(Duration interval, int inFlight, long inFlightBytes) {
    public Pacing {
      require(
          interval.isPositive() && interval.compareTo(Duration.ofMinutes(1)) <= 0,
          "events may wait 1 ms to 60 s for a round, got " + interval);
      require(
          inFlight >= 1 && inFlight <= IN_FLIGHT_MAX,
          "statements in flight must be 1 to 1024, got " + inFlight);
      require(
          inFlightBytes >= VALUE_BYTES_MAX,
          "bytes in flight must be at least 8 MiB, got " + inFlightBytes);
    }
  }

  /// How keys of batches are remembered.
  ///
  /// @param kept how long the key of a batch is remembered
  /// @param acceptsRepeats whether batches with keys are applied although they have waited for
  ///   longer than that, so that nobody knows whether another daemon has them
  public record BatchKeys(Duration kept, boolean acceptsRepeats) {
    public BatchKeys {
      require(
          kept.compareTo(Duration.ofMinutes(1)) >= 0 && kept.compareTo(Duration.ofDays(365)) <= 0,
          "keys of batches are kept for 1 minute to 365 days, got " + kept);
    }

    /// Seconds after which the cluster forgets the key of a batch.
    int seconds() {
      return Math.toIntExact(kept.toSeconds());
    }
  }

  public ApplyOptions {
    rows = List.copyOf(rows);
    require(
        daemon >= AUTO && daemon < TimeUuid.DAEMON_LIMIT,
        "the number of a daemon is 0 to 511, got " + daemon);
    require(roundBytes >= 1, "a round has at least 1 byte, got " + roundBytes);
    require(
        pendingBytesMax >= 1 << 20,
        "at least 1 MiB must be allowed to wait for the cluster, got " + pendingBytesMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// The defaults.
  public static ApplyOptions of(String host) {
    var pacing = new Pacing(Duration.ofMillis(250), 64, 32L << 20);
    var keys = new BatchKeys(Duration.ofDays(7), false);
    return new ApplyOptions(AUTO, host, pacing, keys, List.of(), 64L << 20, Long.MAX_VALUE);
  }

  public ApplyOptions withDaemon(int number) {
    return new ApplyOptions(number, host, pacing, keys, rows, roundBytes, pendingBytesMax);
  }

  public ApplyOptions withPacing(Pacing newPacing) {
    return new ApplyOptions(daemon, host, newPacing, keys, rows, roundBytes, pendingBytesMax);
  }

  public ApplyOptions withKeys(BatchKeys newKeys) {
    return new ApplyOptions(daemon, host, pacing, newKeys, rows, roundBytes, pendingBytesMax);
  }

  public ApplyOptions withRows(List<String> globs) {
    return new ApplyOptions(daemon, host, pacing, keys, globs, roundBytes, pendingBytesMax);
  }

  public ApplyOptions withRoundBytes(long bytes) {
    return new ApplyOptions(daemon, host, pacing, keys, rows, bytes, pendingBytesMax);
  }

  public ApplyOptions withPendingBytesMax(long bytes) {
    return new ApplyOptions(daemon, host, pacing, keys, rows, roundBytes, bytes);
  }
}
