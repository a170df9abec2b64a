package io.widerow.ingest;

/// What clients may take by default, which follows from the heap: what is on its way in and what
/// queries have open is bounded by less than there is, also on a machine with little memory.
///
/// ```
///   heap      credit    body     queries' memory
///   >= 256    256       20       96               MiB
///      128    100       12       40
///       64     20        2        8
/// ```
///
/// A body is on the heap, and claims three times its size while it comes, which is what an array
/// that grows takes at worst.
///
/// @param creditBytes bytes that all requests together may hold
/// @param bodyBytesMax largest body, after decompression
/// @param queryMemoryBytes memory that all queries together may hold
record HeapShares(long creditBytes, int bodyBytesMax, long queryMemoryBytes) {
  private static final long MIB = 1L << 20;

  /// For connections, the ledger, metrics and all else.
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
