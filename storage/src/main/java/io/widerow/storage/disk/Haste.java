package io.widerow.storage.disk;

import io.widerow.storage.WouldWait;

/// The deadline of a read that must not block.
///
/// - Threads: any.
public final class Haste {
  /// No deadline; reads may block.
  public static final Haste NONE = new Haste(false, 0);

  private final boolean any;
  private final long untilNanos;

  private Haste(boolean any, long untilNanos) {
    this.any = any;
    this.untilNanos = untilNanos;
  }

  /// A deadline that many nanoseconds from now; reads must not wait for a disk.
  public static Haste of(long nanos) {
    return new Haste(true, System.nanoTime() + nanos);
  }

  public boolean isAny() {
    return any;
  }

  /// Checks the deadline before a part of a file is read.
  ///
  /// @throws WouldWait when the deadline has passed or the read may wait for a disk
  public void check(DiskFile file, long offset, long bytes) {
    if (any && (System.nanoTime() - untilNanos > 0 || !file.isResident(offset, bytes))) {
      throw new WouldWait();
    }
  }
}
