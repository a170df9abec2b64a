package io.widerow.storage;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// Groups of a lane that were acknowledged, and whose frames are missing or damaged.
///
/// @param lsnFirst the first of them
/// @param lsnLast the last of them
/// @param file where they were found to be missing
/// @param offset in it
/// @param found what is there instead
/// @param events in them; negative when not every header is left to tell
/// @param aroundFirstNanos first time in the frames directly before and behind; above
///   `aroundLastNanos` when there is none
/// @param aroundLastNanos last time in them
record JournalLoss(
    int lane,
    long lsnFirst,
    long lsnLast,
    Path file,
    long offset,
    String found,
    long events,
    long aroundFirstNanos,
    long aroundLastNanos) {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  JournalLoss(
      int lane, long lsnFirst, long lsnLast, Path file, long offset, String found, long events) {
    this(lane, lsnFirst, lsnLast, file, offset, found, events, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /// The same, with what a frame beside it tells.
  JournalLoss around(long firstNanos, long lastNanos) {
    return new JournalLoss(
        lane,
        lsnFirst,
        lsnLast,
        file,
        offset,
        found,
        events,
        Math.min(firstNanos, aroundFirstNanos),
        Math.max(lastNanos, aroundLastNanos));
  }

  /// All that is known, and what is not. The frames around are no proof of anything: late events
  /// may have been in between.
  String sentence() {
    String times =
        aroundFirstNanos <= aroundLastNanos
            ? "; the frames around it hold times from %s to %s"
                .formatted(instant(aroundFirstNanos), instant(aroundLastNanos))
            : "";
    return "acknowledged groups of lane %d, LSN %d to %d, are lost: %s; events: %s; partitions:"
            .formatted(lane, lsnFirst, lsnLast, found, events < 0 ? "unknown" : "" + events)
        + " unknown"
        + times;
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
  }

  Damage damage() {
    return new Damage(Damage.Kind.JOURNAL, file, offset, sentence(), List.of());
  }
}
