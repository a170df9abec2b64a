package io.widerow.storage.maintenance;

import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import org.jspecify.annotations.Nullable;

/// Free-space check of a store's disk. Where far more is free than the reserve, the disk is asked
/// once in ten milliseconds, in which that much cannot be written, and not for each batch.
///
/// - Threads: any.
public final class DiskRoom {
  private static final long AMPLE_BYTES = 256L << 20;
  private static final long ASKED_NANOS = 10_000_000;

  private final Disk disk;
  private final StoreConfig config;
  private final Sealer sealer;
  private volatile long ampleUntilNanos = System.nanoTime(); // of the clock of nanoTime

  public DiskRoom(Disk disk, StoreConfig config, Sealer sealer) {
    this.disk = disk;
    this.config = config;
    this.sealer = sealer;
  }

  /// @throws StorageException.DiskFull when there is too little room to seal the open rows
  public void require() {
    StorageException.DiskFull full = belowReserve();
    if (full == null && unsealed() != null) {
      sealer.retry(); // there may be room again
      full = unsealed();
    }
    if (full != null) {
      throw full;
    }
  }

  /// Why the store refuses events; null when there is room. The disk is asked.
  public @Nullable String full() {
    ampleUntilNanos = System.nanoTime();
    StorageException.DiskFull below = belowReserve();
    StorageException.DiskFull full = below == null ? unsealed() : below;
    return full == null ? null : full.getMessage();
  }

  private StorageException.@Nullable DiskFull belowReserve() {
    long now = System.nanoTime();
    if (now - ampleUntilNanos < 0) {
      return null;
    }
    long usable = disk.usableBytes(config.directory());
    ampleUntilNanos = usable - config.diskReserveBytes() > AMPLE_BYTES ? now + ASKED_NANOS : now;
    return usable < config.diskReserveBytes()
        ? new StorageException.DiskFull(config.directory(), usable, config.diskReserveBytes())
        : null;
  }

  private StorageException.@Nullable DiskFull unsealed() {
    return sealer.failure() instanceof StorageException.DiskFull full ? full : null;
  }
}
