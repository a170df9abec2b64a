package io.widerow.storage;

/// The deadline of a read that must not block.
///
/// - Threads: any.
final class Haste {
  /// No deadline; reads may block.
  static final Haste NONE = new Haste(false, 0);

  private final boolean any;
  private final long untilNanos;

  private Haste(boolean any, long untilNanos) {
    this.any = any;
    this.untilNanos = untilNanos;
  }

  /// A deadline that many nanoseconds from now; reads must not wait for a disk.
  static Haste of(long nanos) {
    return new Haste(true, System.nanoTime() + nanos);
  }

  boolean isAny() {
    return any;
  }

  /// Checks the deadline before a part of a file is read.
  ///
  /// @throws WouldWait when the deadline has passed or the read may wait for a disk
  void check(DiskFile file, long offset, long bytes) {
    if (any && (System.nanoTime() - untilNanos > 0 || !file.isResident(offset, bytes))) {
      throw new WouldWait();
    }
  }
}
