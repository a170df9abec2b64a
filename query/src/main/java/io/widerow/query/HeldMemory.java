package io.widerow.query;

import java.util.function.LongConsumer;

/// The bytes of [QueryMemory] that one query holds for one purpose, released together.
///
/// - Threads: one.
public final class HeldMemory implements LongConsumer, AutoCloseable {
  private final QueryMemory memory;
  private long held;

  public HeldMemory(QueryMemory memory) {
    this.memory = memory;
  }

  /// Adds bytes, or subtracts them when negative. Call it before they are allocated.
  ///
  /// @throws QueryException.OverBudget when the budget is exceeded
  @Override
  public void accept(long bytesMore) {
    held += bytesMore; // first, because refused bytes are counted too
    memory.hold(bytesMore);
  }

  /// Bytes that are held.
  public long bytes() {
    return held;
  }

  /// Gives all back.
  @Override
  public void close() {
    memory.hold(-held);
    held = 0;
  }
}
