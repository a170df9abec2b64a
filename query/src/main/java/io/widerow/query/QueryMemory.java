package io.widerow.query;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that all queries together may hold for the blocks that they have open.
///
/// - Threads: any.
public final class QueryMemory {
  private final long bytesMax;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  public QueryMemory(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// For one query that is alone in its process.
  static QueryMemory unlimited() {
    return new QueryMemory(Long.MAX_VALUE);
  }

  /// Counts what a query holds more, or less. What is too much is counted all the same, until the
  /// query gives it back.
  ///
  /// @throws QueryException.OverBudget when it holds more and that is too much
  void hold(long bytesMore) {
    long now = used.addAndGet(bytesMore);
    if (bytesMore > 0 && now > bytesMax) {
      refused.incrementAndGet();
      throw new QueryException.OverBudget(
          "bytes of memory, which all queries share",
          bytesMax,
          now,
          "ask for fewer types, fewer fields or a shorter range, or again when others have ended");
    }
  }

  public long bytesMax() {
    return bytesMax;
  }

  public long bytesUsed() {
    return used.get();
  }

  /// Queries that were ended for want of memory.
  public long refused() {
    return refused.get();
  }
}
