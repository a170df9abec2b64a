package io.widerow.storage.maintenance;

import io.widerow.storage.StorageException;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.RowMemory;

/// Gives lanes open rows (memtables). When all memory of rows is in use, the lane waits until
/// others are sealed.
///
/// - Threads: the writers of lanes.
public final class RowSupply {
  private static final long MEMORY_WAIT_MILLIS = 100;

  private final StoreContents contents;
  private final RowMemory memory;
  private final Sealer sealer;

  public RowSupply(StoreContents contents, RowMemory memory, Sealer sealer) {
    this.contents = contents;
    this.memory = memory;
    this.sealer = sealer;
  }

  /// @param arrivalFrom the first arrival of the lane that is not shown yet
  /// @throws StorageException.DiskFull when no memory is free and the disk has no room to seal rows
  /// @throws StorageException.Failed when no memory is free and sealing failed too often
  public OpenRows open(int lane, long arrivalFrom) {
    while (true) {
      OpenRows rows = contents.tryOpenRows(lane, arrivalFrom, memory);
      if (rows != null) {
        return rows;
      }
      contents.requireWriting();
      sealer.retry();
      memory.awaitPiece(MEMORY_WAIT_MILLIS);
      StorageException unsealed = memory.isUsedUp() ? sealer.failure() : null;
      if (unsealed instanceof StorageException.DiskFull full) {
        throw full;
      }
      if (unsealed != null && sealer.failsForGood()) {
        // Otherwise the lane would wait indefinitely and report nothing.
        throw contents.fail("seal rows", unsealed);
      }
    }
  }
}
