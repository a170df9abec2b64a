package io.widerow.ingest.config;

/// Limits and times that no key sets: constants, shares of the heap, and those of [MachineLimits].
/// Tests set others.
///
/// @param laneSlots batches that a lane's ring holds, a power of two
/// @param spinMicros how long an idle lane spins before it sleeps
/// @param creditBytes bytes that all requests together may hold
/// @param queryMemoryBytes memory that all queries together may hold
/// @param ratioMax largest ratio of a body's size to its compressed size, for bodies above 1 MiB
/// @param headerSeconds how long the headers of a request, or a TLS handshake, may take
/// @param http2FramesMax control frames of an HTTP/2 connection in ten seconds
/// @param bodyRateMin bytes of a body that must arrive per second, averaged over
///   [#BODY_RATE_SECONDS]
/// @param stallSeconds how long a query waits for a reader that takes nothing
/// @param readOnSeconds how long queries are answered after writing has failed, before the process
///   ends
/// @param networkThreads threads that serve connections
/// @param searchThreads threads that search blocks, in addition to the thread of each query
/// @param idleBatches batches that are kept for the next requests
/// @param ledgerKeysMax keys that a ledger keeps at most, a power of two
public record FixedLimits(
    int laneSlots,
    int spinMicros,
    long creditBytes,
    long queryMemoryBytes,
    int ratioMax,
    int headerSeconds,
    int http2FramesMax,
    int bodyRateMin,
    int stallSeconds,
    int readOnSeconds,
    int networkThreads,
    int searchThreads,
    int idleBatches,
    int ledgerKeysMax) {
  /// Interval at which the pace of a body is checked.
  public static final int BODY_RATE_SECONDS = 10;

  /// Batch keys that a lane keeps, whatever their age.
  public static final int LEDGER_KEYS = 100_000;

  /// The limits of this process.
  ///
  /// @param lanes number of lanes that is configured
  /// @param bodyBytesMax largest body
  static FixedLimits of(HeapShares shares, MachineLimits machine, int lanes, int bodyBytesMax) {
    return new FixedLimits(
        /* laneSlots= */ 1_024,
        /* spinMicros= */ 10,
        shares.creditBytes(bodyBytesMax),
        shares.queryMemoryBytes(),
        /* ratioMax= */ 100,
        /* headerSeconds= */ 10,
        /* http2FramesMax= */ 1_000,
        /* bodyRateMin= */ 1_024,
        /* stallSeconds= */ 30,
        /* readOnSeconds= */ 30,
        machine.networkThreads(),
        machine.searchThreads(),
        machine.idleBatches(),
        machine.ledgerKeysMax(lanes));
  }
}
