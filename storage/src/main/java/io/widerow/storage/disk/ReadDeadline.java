package io.widerow.storage.disk;

import io.widerow.storage.StoreView;
import io.widerow.storage.WouldBlockException;

/// The limits of the reads of a view: the deadline of reads that must not block, and what they may
/// fetch from elsewhere.
///
/// - Threads: any.
public final class ReadDeadline {
  /// No deadline; reads may block, and fetch all they need.
  public static final ReadDeadline NONE = none();

  private final boolean any;
  private final long untilNanos;
  private final StoreView.Fetches fetches = new StoreView.Fetches();

  private ReadDeadline(boolean any, long untilNanos) {
    this.any = any;
    this.untilNanos = untilNanos;
  }

  /// No deadline, for the reads of one view.
  public static ReadDeadline none() {
    return new ReadDeadline(false, 0);
  }

  /// A deadline that many nanoseconds from now; reads must not wait for a disk.
  public static ReadDeadline of(long nanos) {
    return new ReadDeadline(true, System.nanoTime() + nanos);
  }

  public boolean isAny() {
    return any;
  }

  /// What is fetched from elsewhere.
  public StoreView.Fetches fetches() {
    return fetches;
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
