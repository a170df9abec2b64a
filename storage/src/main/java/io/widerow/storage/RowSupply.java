package io.widerow.storage;

/// Gives lanes open rows, and has them wait for memory while others are sealed.
///
/// - Threads: lanes' writers.
final class RowSupply {
  private static final long MEMORY_WAIT_MILLIS = 100;

  private final EmbeddedStore store;
  private final RowMemory memory;
  private final Sealer sealer;

  RowSupply(EmbeddedStore store, RowMemory memory, Sealer sealer) {
    this.store = store;
    this.memory = memory;
    this.sealer = sealer;
  }

  /// @param arrivalFrom the first arrival of the lane that is not shown yet
  /// @throws StorageException.DiskFull when there are none, for want of room to seal others
  /// @throws StorageException.Failed when others cannot be sealed, try after try
  OpenRows open(int lane, long arrivalFrom) {
    while (true) {
      OpenRows rows = store.tryOpenRows(lane, arrivalFrom, memory);
      if (rows != null) {
        return rows;
      }
      store.requireWriting();
      sealer.retry();
      memory.awaitPiece(MEMORY_WAIT_MILLIS);
      StorageException unsealed = memory.isUsedUp() ? sealer.failure() : null;
      if (unsealed instanceof StorageException.DiskFull full) {
        throw full;
      }
      if (unsealed != null && sealer.failsForGood()) {
        // Or the lane would wait for ever, and say nothing.
        throw store.fail("seal rows", unsealed);
      }
    }
  }
}
