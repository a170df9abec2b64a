package io.widerow.ingest.lane;

/// Offsets of a partition that a source could not read.
///
/// @param from the first one
/// @param until one past the last one
/// @param epochSeconds when it was found
public record SourceGap(long from, long until, Why why, long epochSeconds) {
  /// Why records are missing. The numbers are those of the note.
  public enum Why {
    /// Retention or a deletion removed records that were not read.
    EXPIRED(1),
    /// A leader without the newest records took over: stored events stay, `from` is read again.
    TRUNCATED(2),
    /// The broker has a batch of records that is damaged.
    DAMAGED(3);

    final int number;

    Why(int number) {
      this.number = number;
    }

    static Why of(int number) {
      for (Why why : values()) {
        if (why.number == number) {
          return why;
        }
      }
      throw new IllegalArgumentException("no gap has the reason " + number);
    }
  }
}
