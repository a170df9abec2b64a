package io.widerow.storage.embedded;

import java.util.concurrent.atomic.AtomicLong;

/// Counters of a lane since the store was opened.
///
/// - Threads: the lane's writer adds; any thread reads.
final class LaneCounters {
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong journalBytes = new AtomicLong();

  /// Adds a committed group.
  ///
  /// @param groupBytes of its records
  void committed(long groupEvents, long groupBytes) {
    events.addAndGet(groupEvents);
    bytes.addAndGet(groupBytes);
  }

  /// Adds a frame that was written to the journal.
  void journaled(long frameBytes) {
    journalBytes.addAndGet(frameBytes);
  }

  long events() {
    return events.get();
  }

  long bytes() {
    return bytes.get();
  }

  long journalBytes() {
    return journalBytes.get();
  }
}
