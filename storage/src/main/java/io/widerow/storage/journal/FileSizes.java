package io.widerow.storage.journal;

import java.util.function.LongSupplier;

/// The sizes of a lane's journal files. A store that takes few events has small files; while a lane
/// fills its files quickly, each next one is twice as large, so that a busy lane changes files a
/// few times a minute and not a few times a second.
///
/// ```
///   4 MiB | 8 MiB | 16 MiB | 32 MiB | 64 MiB | 64 MiB | 64 MiB ...        full rate
///   64 MiB ... | 4 MiB                                                    everything is sealed
/// ```
///
/// The size of the next file is decided when the present one is half full: the next one is created
/// from then on.
///
/// - Threads: the lane's; [#next] from any.
final class FileSizes {
  /// The least size, unless the configured one is smaller.
  static final long FIRST_BYTES = 4L << 20;

  /// A lane that fills a file in less time gets a larger one.
  static final long QUICK_NANOS = 30_000_000_000L;

  private final long first;
  private final long most;
  private final LongSupplier nanos;
  private long begunNanos;
  private boolean decided; // for the file after the present one
  private volatile long next;

  /// @param most the configured size
  /// @param nanos the monotonic clock
  FileSizes(long first, long most, LongSupplier nanos) {
    this.first = Math.min(first, most);
    this.most = most;
    this.nanos = nanos;
    this.next = this.first;
    this.begunNanos = nanos.getAsLong();
  }

  long first() {
    return first;
  }

  long most() {
    return most;
  }

  /// Size of the next file.
  long next() {
    return next;
  }

  /// A file begins.
  void begin() {
    begunNanos = nanos.getAsLong();
    decided = false;
  }

  /// The present file is half full, or fuller. Counts once a file.
  void halfFull() {
    if (!decided) {
      decided = true;
      if (nanos.getAsLong() - begunNanos < QUICK_NANOS / 2) {
        next = Math.min(2 * next, most);
      }
    }
  }

  /// True when the present file lasts as long as a file should.
  boolean areEnough() {
    return nanos.getAsLong() - begunNanos >= QUICK_NANOS;
  }

  /// The next file is the smallest again.
  void restart() {
    next = first;
  }

  /// Size of the next file if it must hold a frame; the configured size when even that is too
  /// small.
  long nextFor(long frameBytes) {
    long bytes = next;
    while (bytes < most && !ChronicleFile.holds(bytes, QueueHeader.BYTES, frameBytes)) {
      bytes = Math.min(2 * bytes, most);
    }
    return bytes;
  }
}
