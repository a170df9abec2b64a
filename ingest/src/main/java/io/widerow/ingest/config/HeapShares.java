package io.widerow.ingest.config;

/// Limits for clients, computed from the heap size. Together, the data on its way in and the memory
/// of queries stay below the heap, also on a small machine.
///
/// ```
///   heap      credit    body     queries' memory
///     1024    256       20       480              MiB
///      256    256       20       96
///      128    100       12       40
///       64     20        2        8
/// ```
///
/// A body is on the heap. It claims three times its size while it arrives, the worst case of an
/// array that grows.
///
/// @param creditBytes bytes that all requests together may hold with the default body-bytes-max
/// @param creditBytesMax limit of the credit when body-bytes-max is larger
/// @param bodyBytesMax largest body, after decompression
/// @param queryMemoryBytes memory that all queries together may hold
record HeapShares(long creditBytes, long creditBytesMax, int bodyBytesMax, long queryMemoryBytes) {
  private static final long MIB = 1L << 20;

  /// For connections, the ledger, metrics and everything else.
  private static final long REST_BYTES = 48 * MIB;

  private static final long CREDIT_USUAL = 256; // MiB
  private static final long QUERIES_USUAL = 96; // MiB
  private static final long HEAP_USUAL = 256 * MIB;
  private static final int BODIES_BY_DEFAULT = 8; // of the largest size in the credit

  /// Bodies of the largest size that must fit into the credit.
  static final int BODIES_LEAST = 4;

  /// The shares of this process.
  static HeapShares ofProcess() {
    return of(Runtime.getRuntime().maxMemory());
  }

  static HeapShares of(long heapBytes) {
    long spare = Math.max(0, heapBytes - REST_BYTES);
    long most = Math.max(4, spare * 5 / 4 / MIB);
    long credit = Math.min(most, CREDIT_USUAL);
    long body = Math.clamp(credit / BODIES_BY_DEFAULT, 1, 20) * MIB;
    long queries = Math.clamp(spare / 2 / MIB, 8, QUERIES_USUAL) * MIB;
    long more = Math.max(0, heapBytes - HEAP_USUAL) / 2 / MIB * MIB;
    return new HeapShares(credit * MIB, most * MIB, Math.toIntExact(body), queries + more);
  }

  /// The credit for a largest body of this size: at least [#BODIES_LEAST] of them fit.
  long creditBytes(int bodyBytes) {
    return Math.max(creditBytes, (long) BODIES_LEAST * bodyBytes);
  }
}
