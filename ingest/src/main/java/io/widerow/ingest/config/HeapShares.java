package io.widerow.ingest.config;

/// Default limits for clients, computed from the heap size. Together, the data on its way in and
/// the memory of queries stay below the heap, also on a small machine.
///
/// ```
///   heap      credit    body     queries' memory
///   >= 256    256       20       96               MiB
///      128    100       12       40
///       64     20        2        8
/// ```
///
/// A body is on the heap. It claims three times its size while it arrives, the worst case of an
/// array that grows.
///
/// @param creditBytes bytes that all requests together may hold
/// @param bodyBytesMax largest body, after decompression
/// @param queryMemoryBytes memory that all queries together may hold
record HeapShares(long creditBytes, int bodyBytesMax, long queryMemoryBytes) {
  private static final long MIB = 1L << 20;

  /// For connections, the ledger, metrics and everything else.
  private static final long REST_BYTES = 48 * MIB;

  private static final int BODIES_MIN = 8; // of the largest size, at a time

  static HeapShares of(long heapBytes) {
    long spare = Math.max(0, heapBytes - REST_BYTES);
    long credit = Math.clamp(spare * 5 / 4 / MIB, 4, 256) * MIB;
    long body = Math.clamp(credit / BODIES_MIN / MIB, 1, 20) * MIB;
    long queries = Math.clamp(spare / 2 / MIB, 8, 96) * MIB;
    return new HeapShares(credit, Math.toIntExact(body), queries);
  }
}
