package io.widerow.storage;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// Acknowledged groups of a lane whose journal frames are missing or damaged.
///
/// @param lsnFirst LSN of the first lost group
/// @param lsnLast LSN of the last lost group
/// @param file where the loss was found
/// @param offset in `file`
/// @param found the content found in place of the groups
/// @param events number of lost events; negative when a header is lost too, so that it is unknown
/// @param aroundFirstNanos earliest time in the frames directly before and after; greater than
///   `aroundLastNanos` when there are none
/// @param aroundLastNanos latest time in those frames
public record JournalLoss(
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

  public JournalLoss(
      int lane, long lsnFirst, long lsnLast, Path file, long offset, String found, long events) {
    this(lane, lsnFirst, lsnLast, file, offset, found, events, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /// The same loss, with the times of a neighbouring frame.
  public JournalLoss around(long firstNanos, long lastNanos) {
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

  /// Everything known about the loss, as a sentence. The neighbouring frames prove nothing: late
  /// events may have been between them.
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

  public Damage damage() {
    return new Damage(Damage.Kind.JOURNAL, file, offset, sentence(), List.of());
  }
}
