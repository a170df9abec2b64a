package io.widerow.storage.disk;

import io.widerow.storage.WouldBlockException;

/// The deadline of a read that must not block.
///
/// - Threads: any.
public final class ReadDeadline {
  /// No deadline; reads may block.
  public static final ReadDeadline NONE = new ReadDeadline(false, 0);

  private final boolean any;
  private final long untilNanos;

  private ReadDeadline(boolean any, long untilNanos) {
    this.any = any;
    this.untilNanos = untilNanos;
  }

  /// A deadline that many nanoseconds from now; reads must not wait for a disk.
  public static ReadDeadline of(long nanos) {
    return new ReadDeadline(true, System.nanoTime() + nanos);
  }

  public boolean isAny() {
    return any;
  }

  /// Checks the deadline before a part of a file is read.
  ///
  /// @throws WouldBlockException when the deadline has passed or the read may wait for a disk
  public void check(DiskFile file, long offset, long bytes) {
    if (any && (System.nanoTime() - untilNanos > 0 || !file.isResident(offset, bytes))) {
      throw new WouldBlockException();
    }
  }
}
