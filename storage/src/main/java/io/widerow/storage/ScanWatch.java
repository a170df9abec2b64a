package io.widerow.storage;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/// Counts the events that the cursors of one scan examine and the memory they hold, and calls the
/// scan's owner back at least every [#EVENTS_BETWEEN] events, even when the filter keeps none. The
/// callback may throw, which ends the scan. So may the memory callback when it is told of an
/// increase.
///
/// - Threads: one at a time, that of the cursors.
public final class ScanWatch {
  /// The most events examined between two callbacks.
  public static final int EVENTS_BETWEEN = 1 << 12;

  /// The cost of opening or skipping a block, in events.
  private static final int BLOCK = 1 << 8;

  private final Runnable check;
  private final LongConsumer memory;
  private final LongPredicate room;
  private long events;
  private long cells;
  private long minutesFromEvents;
  private long keptMinutes;
  private long missingMinutes;
  private final Set<String> rollups = new TreeSet<>();
  private int left = EVENTS_BETWEEN;

  public ScanWatch(Runnable check) {
    this(check, _ -> {});
  }

  /// @param memory receives changes of the memory that cursors hold, in bytes
  public ScanWatch(Runnable check, LongConsumer memory) {
    this(
        check,
        memory,
        bytesMore -> {
          memory.accept(bytesMore);
          return true;
        });
  }

  /// @param memory receives changes of the memory that cursors hold, in bytes
  /// @param room receives an increase that the scan can do without; false when there is no room for
  ///   it, and it does not count
  public ScanWatch(Runnable check, LongConsumer memory, LongPredicate room) {
    this.check = check;
    this.memory = memory;
    this.room = room;
  }

  /// A watch that does nothing.
  static ScanWatch none() {
    return new ScanWatch(() -> {});
  }

  /// One more event was examined.
  public void event() {
    events++;
    if (--left <= 0) {
      alarm();
    }
  }

  /// More events were skipped, known not to be wanted.
  public void passed(int count) {
    events += count;
    left -= count;
    if (left <= 0) {
      alarm();
    }
  }

  /// One more block was opened or ruled out.
  public void block() {
    left -= BLOCK;
    if (left <= 0) {
      alarm();
    }
  }

  /// Cursors hold this many more bytes; negative for fewer.
  public void holds(long bytesMore) {
    memory.accept(bytesMore);
  }

  /// Cursors would hold this many more bytes to read ahead, if there is room for them.
  ///
  /// @return false when there is none; then nothing changed
  public boolean tryHold(long bytesMore) {
    return room.test(bytesMore);
  }

  /// Minutes were counted from cells, and so many more, in part or whole, from events.
  public void counted(int fromCells, int fromEvents) {
    cells += fromCells;
    minutesFromEvents += fromEvents;
  }

  /// Minutes were counted from figures whose events are gone, and so many more, that have such
  /// figures, cannot be told from them.
  public void kept(long fromFigures, long missing) {
    keptMinutes += fromFigures;
    missingMinutes += missing;
  }

  /// Minutes of types that were counted from figures whose events are gone.
  public long keptMinutes() {
    return keptMinutes;
  }

  /// Minutes of types whose events are gone, and whose figures do not answer.
  public long missingMinutes() {
    return missingMinutes;
  }

  /// Events of a type are counted from the cells of this rollup.
  public void answeredBy(String rollup) {
    rollups.add(rollup);
  }

  /// The rollups that answer, in the order of names.
  public Set<String> rollups() {
    return rollups;
  }

  /// Minutes of types that were counted from cells so far.
  public long cells() {
    return cells;
  }

  /// Minutes of types in which events were counted, where cells count others.
  public long minutesFromEvents() {
    return minutesFromEvents;
  }

  private void alarm() {
    left = EVENTS_BETWEEN;
    check.run();
  }

  /// Events examined so far.
  public long events() {
    return events;
  }
}
