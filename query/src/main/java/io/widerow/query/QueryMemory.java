package io.widerow.query;

import io.widerow.storage.ScanWatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// The memory budget that all queries share, for their open blocks and the groups of their
/// aggregates. Blocks that wait for their turn in a merge get at most half of it. A merge of more
/// inputs keeps some events of each of the others, and decodes a block again for the next ones: it
/// takes longer, but is not refused.
///
/// - Threads: any.
public final class QueryMemory implements ScanWatch.Memory {
  /// A block that is open for a moment takes 3 to 8 MB.
  private static final long BYTES_A_TURN = 32 << 20;

  private static final int TURNS_MIN = 2;
  private static final int TURNS_MAX = 256;

  private final long bytesMax;
  private final long fetchedBytesMax;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Semaphore turns;

  public QueryMemory(long bytesMax) {
    this(bytesMax, Long.MAX_VALUE);
  }

  /// @param fetchedBytesMax the most that one query fetches of segments that are kept elsewhere,
  ///   unless it allows itself another number
  public QueryMemory(long bytesMax, long fetchedBytesMax) {
    this.bytesMax = bytesMax;
    this.fetchedBytesMax = fetchedBytesMax;
    this.turns = new Semaphore(Math.clamp(bytesMax / BYTES_A_TURN, TURNS_MIN, TURNS_MAX));
  }

  /// No limit, for the only query of a process.
  public static QueryMemory unlimited() {
    return new QueryMemory(Long.MAX_VALUE);
  }

  /// Adds to the bytes in use, or subtracts when negative. Bytes over the budget are counted too,
  /// until the query gives them back.
  ///
  /// @throws QueryException.OverBudget when it adds bytes and the sum exceeds the budget
  @Override
  public void hold(long bytesMore) {
    long now = used.addAndGet(bytesMore);
    if (bytesMore > 0 && now > bytesMax) {
      refused.incrementAndGet();
      throw new QueryException.OverBudget(
          "bytes of memory, shared by all queries",
          bytesMax,
          now,
          "query fewer types, fewer fields or a shorter range, or retry when other queries end");
    }
  }

  /// Adds to the bytes in use when the sum stays within the budget.
  ///
  /// @param bytesMore not negative
  /// @return false when it does not; then nothing changed
  @Override
  public boolean tryHold(long bytesMore) {
    return tryHold(bytesMore, bytesMax);
  }

  @Override
  public boolean tryHoldBlock(long bytesMore) {
    return tryHold(bytesMore, bytesMax / 2);
  }

  private boolean tryHold(long bytesMore, long most) {
    if (used.addAndGet(bytesMore) > most) {
      used.addAndGet(-bytesMore);
      return false;
    }
    return true;
  }

  @Override
  public boolean isCrowded() {
    return used.get() > bytesMax / 16 * 7; // one more block may pass the half
  }

  @Override
  public void takeTurn() {
    turns.acquireUninterruptibly();
  }

  @Override
  public void endTurn() {
    turns.release();
  }

  /// A quarter of the free memory, since a slice may take twice its events, and another merge needs
  /// some, too. An eighth of the budget is reserved for the smallest slices, those of one event.
  @Override
  public long sliceBytes() {
    return Math.max(0, bytesMax / 8 * 7 - used.get()) / 4;
  }

  public long bytesMax() {
    return bytesMax;
  }

  public long fetchedBytesMax() {
    return fetchedBytesMax;
  }

  public long bytesUsed() {
    return used.get();
  }

  /// Number of queries that ended because the budget was exceeded.
  public long refused() {
    return refused.get();
  }
}
