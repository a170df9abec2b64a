package io.widerow.storage;

import java.util.function.LongConsumer;

/// Counts what the cursors of one scan look at and hold, and lets the scan's owner look up every
/// few thousand events, also when the filter keeps none of them: [Runnable#run] may throw, which
/// ends the scan. So may what is told of memory, when it is told of more.
///
/// - Threads: one at a time, that of the cursors.
public final class ScanWatch {
  /// Most events that are looked at between two calls.
  public static final int EVENTS_BETWEEN = 1 << 12;

  /// What opening a block counts for: a skipped block takes time, too.
  private static final int BLOCK = 1 << 8;

  private final Runnable check;
  private final LongConsumer memory;
  private long events;
  private int left = EVENTS_BETWEEN;

  public ScanWatch(Runnable check) {
    this(check, _ -> {});
  }

  /// @param memory is told by how many bytes the memory that cursors hold has changed
  public ScanWatch(Runnable check, LongConsumer memory) {
    this.check = check;
    this.memory = memory;
  }

  /// Nobody looks up.
  static ScanWatch none() {
    return new ScanWatch(() -> {});
  }

  /// One more event was looked at.
  public void event() {
    events++;
    if (--left <= 0) {
      alarm();
    }
  }

  /// Some more events were passed over, known not to be wanted.
  void passed(int count) {
    events += count;
    left -= count;
    if (left <= 0) {
      alarm();
    }
  }

  /// One more block was opened, or ruled out.
  void block() {
    left -= BLOCK;
    if (left <= 0) {
      alarm();
    }
  }

  /// Cursors hold so many bytes more, or less.
  void holds(long bytesMore) {
    memory.accept(bytesMore);
  }

  private void alarm() {
    left = EVENTS_BETWEEN;
    check.run();
  }

  /// Events looked at so far.
  public long events() {
    return events;
  }
}
