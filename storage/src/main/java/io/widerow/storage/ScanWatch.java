package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Counts the events that the cursors of one scan examine and the memory they hold, and calls the
/// scan's owner back at least every [#EVENTS_BETWEEN] events, even when the filter keeps none. The
/// callback may throw, which ends the scan. So may the memory callback when the memory grows.
///
/// - Threads: one at a time, that of the cursors.
public final class ScanWatch {
  /// The most events examined between two callbacks.
  public static final int EVENTS_BETWEEN = 1 << 12;

  /// Approximate memory of the record of one skipped part, in bytes.
  public static final long UNREAD_BYTES = 512;

  /// The cost of opening or skipping a block, in events.
  private static final int BLOCK = 1 << 8;

  private final Runnable check;
  private final Memory memory;
  private long events;
  private long cells;
  private long minutesFromEvents;
  private long keptMinutes;
  private long missingMinutes;
  private final Set<String> rollups = new TreeSet<>();
  private final Set<Unread> unread = new LinkedHashSet<>();
  private boolean passesOver;
  private int left = EVENTS_BETWEEN;

  public ScanWatch(Runnable check) {
    this(check, _ -> {});
  }

  /// @param memory gets the changes of the memory that cursors hold
  public ScanWatch(Runnable check, Memory memory) {
    this.check = check;
    this.memory = memory;
  }

  /// The memory that a scan shares with others, in bytes.
  ///
  /// - Threads: any.
  @FunctionalInterface
  public interface Memory {
    /// Adds to the bytes in use, or subtracts when negative. May throw when it adds, which ends the
    /// scan; the bytes count all the same until they are subtracted.
    void hold(long bytesMore);

    /// Adds what a scan can do without, such as a block read ahead.
    ///
    /// @return false when there is no room for it; then nothing changed
    default boolean tryHold(long bytesMore) {
      hold(bytesMore);
      return true;
    }

    /// Adds a block that waits for its turn in a merge. There is less room for these, so that some
    /// is left for merges of more inputs than blocks fit.
    ///
    /// @return false when there is none; then nothing changed, and the cursor should keep few
    ///   events of the block instead
    default boolean tryHoldBlock(long bytesMore) {
      hold(bytesMore);
      return true;
    }

    /// True when there may be no room for another such block. Then one may be opened for a moment
    /// only, between [#takeTurn] and [#endTurn], because it does not count.
    default boolean isCrowded() {
      return false;
    }

    /// Waits until few others have such a block open. They have it for milliseconds.
    default void takeTurn() {}

    /// Ends a turn. Any thread.
    default void endTurn() {}

    /// Bytes that the inputs of a merge may use in all for events of blocks that did not fit.
    default long sliceBytes() {
      return Long.MAX_VALUE;
    }
  }

  /// A damaged part that a scan has skipped.
  ///
  /// @param kind of the damaged part
  /// @param name the file's name without its directory, or the key of a row in a cluster
  /// @param offset of the first byte known to be wrong
  /// @param found the finding, as a sentence
  /// @param partition whose events were not read; null when that is not known
  /// @param events how many they are at most, or [PartitionInfo#EVENTS_UNKNOWN]
  /// @param firstNanos none of them is earlier; nanoseconds since the Unix epoch
  /// @param lastNanos none of them is later
  public record Unread(
      Damage.Kind kind,
      String name,
      long offset,
      String found,
      @Nullable PartitionKey partition,
      long events,
      long firstNanos,
      long lastNanos) {
    /// A part of a partition.
    public static Unread of(StorageException.Corrupt told, Damage.Kind kind, PartitionInfo part) {
      return of(told, kind, part.key(), part.events(), part.timeFirstNanos(), part.timeLastNanos());
    }

    /// A part of which its times are known.
    public static Unread of(
        StorageException.Corrupt told,
        Damage.Kind kind,
        @Nullable PartitionKey partition,
        long events,
        long firstNanos,
        long lastNanos) {
      Path name = told.file == null ? null : told.file.getFileName();
      return new Unread(
          kind,
          name == null ? told.place : name.toString(),
          told.offset,
          told.found,
          partition,
          events,
          firstNanos,
          lastNanos);
    }
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
    memory.hold(bytesMore);
  }

  /// Cursors would hold this many more bytes to read ahead, if there is room for them.
  ///
  /// @return false when there is none; then nothing changed
  public boolean tryHold(long bytesMore) {
    return memory.tryHold(bytesMore);
  }

  /// A cursor holds this many more bytes for the block that its next event is in, if there is room
  /// for them; negative for fewer.
  ///
  /// @return false when there is none; then nothing changed
  public boolean tryHoldBlock(long bytesMore) {
    if (bytesMore > 0) {
      return memory.tryHoldBlock(bytesMore);
    }
    memory.hold(bytesMore);
    return true;
  }

  /// The memory that cursors share.
  public Memory memory() {
    return memory;
  }

  /// Minutes were counted from cells, and so many more, in part or whole, from events.
  public void counted(int fromCells, int fromEvents) {
    cells += fromCells;
    minutesFromEvents += fromEvents;
  }

  /// Adds minutes that were counted from aggregates whose events are gone, and minutes that have
  /// such aggregates, which cannot serve the query.
  public void kept(long fromFigures, long missing) {
    keptMinutes += fromFigures;
    missingMinutes += missing;
  }

  /// Minutes of types that were counted from aggregates whose events are gone.
  public long keptMinutes() {
    return keptMinutes;
  }

  /// Minutes of types whose events are gone, and whose aggregates cannot serve the query.
  public long missingMinutes() {
    return missingMinutes;
  }

  /// Events of a type are counted from the cells of this rollup.
  public void answeredBy(String rollup) {
    rollups.add(rollup);
  }

  /// The rollups that serve the query, in the order of names.
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

  /// Makes cursors skip damaged parts from now on; without this, damage ends the scan.
  public void passOverDamage() {
    passesOver = true;
  }

  /// A cursor has met damage. Each part that it skips is recorded once.
  ///
  /// @return false when the scan has to end with the damage
  public boolean passesOver(Unread part) {
    if (passesOver && unread.add(part)) {
      memory.hold(UNREAD_BYTES);
    }
    return passesOver;
  }

  /// The parts that cursors have skipped so far, in the order in which they met them.
  public List<Unread> unread() {
    return List.copyOf(unread);
  }

  /// Memory that the skipped parts in [#unread] take, in bytes.
  public long unreadBytes() {
    return UNREAD_BYTES * unread.size();
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
