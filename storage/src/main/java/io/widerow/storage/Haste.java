package io.widerow.storage;

/// How long a reader may be kept from its thread.
///
/// - Threads: any.
final class Haste {
  /// As long as it takes.
  static final Haste NONE = new Haste(false, 0);

  private final boolean any;
  private final long untilNanos;

  private Haste(boolean any, long untilNanos) {
    this.any = any;
    this.untilNanos = untilNanos;
  }

  /// No longer than so many nanoseconds from now, and not for a disk.
  static Haste of(long nanos) {
    return new Haste(true, System.nanoTime() + nanos);
  }

  boolean isAny() {
    return any;
  }

  /// Before a part of a file is read.
  ///
  /// @throws WouldWait when that would take too long
  void check(DiskFile file, long offset, long bytes) {
    if (any && (System.nanoTime() - untilNanos > 0 || !file.isResident(offset, bytes))) {
      throw new WouldWait();
    }
  }
}
