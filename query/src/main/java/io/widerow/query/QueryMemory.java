package io.widerow.query;

import java.util.concurrent.atomic.AtomicLong;

/// The memory budget that all queries share, for their open blocks and the groups of their
/// aggregates.
///
/// - Threads: any.
public final class QueryMemory {
  private final long bytesMax;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  public QueryMemory(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// No limit, for the only query of a process.
  public static QueryMemory unlimited() {
    return new QueryMemory(Long.MAX_VALUE);
  }

  /// Adds to the bytes in use, or subtracts when negative. Bytes over the budget are counted too,
  /// until the query gives them back.
  ///
  /// @throws QueryException.OverBudget when it adds bytes and the sum exceeds the budget
  public void hold(long bytesMore) {
    long now = used.addAndGet(bytesMore);
    if (bytesMore > 0 && now > bytesMax) {
      refused.incrementAndGet();
      throw new QueryException.OverBudget(
          "bytes of memory, shared by all queries",
          bytesMax,
          now,
          "ask for fewer types, fewer fields or a shorter range, or retry when others have ended");
    }
  }

  /// Adds to the bytes in use when the sum stays within the budget.
  ///
  /// @param bytesMore not negative
  /// @return false when it does not; then nothing changed
  public boolean tryHold(long bytesMore) {
    if (used.addAndGet(bytesMore) > bytesMax) {
      used.addAndGet(-bytesMore);
      return false;
    }
    return true;
  }

  public long bytesMax() {
    return bytesMax;
  }

  public long bytesUsed() {
    return used.get();
  }

  /// Number of queries that ended because the budget was exceeded.
  public long refused() {
    return refused.get();
  }
}
