package io.widerow.storage;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// How a batch of a source moves the position of its partition, which the daemons of a cluster
/// share: from one position to the next. It has the offsets between them.
///
/// ```
///   of a daemon     [a, b) [b, c) [c, d)          each begins where the one before ended
///   in the cluster  position a -> d               one conditional update for each round
/// ```
///
/// Of two daemons that read the same offsets, one moves the position. The other one finds it
/// elsewhere, so its range and all that follow are left out.
///
/// @param topic the id of the topic
/// @param again the claim of a daemon that was released, whose offsets are read again; null for the
///   position of the partition
/// @param fromTerm term of the position before; [#NO_TERM] when there is none
/// @param from position before
/// @param term of the position after; greater than `fromTerm` where the position is set or goes
///   back, so that no position comes twice
/// @param next position after
/// @param leaderEpoch of the record before `next`; -1 when it is not known
public record SourceRange(
    UUID topic,
    int partition,
    @Nullable Released again,
    int fromTerm,
    long from,
    int term,
    long next,
    int leaderEpoch) {
  /// The term of a partition without a position.
  public static final int NO_TERM = -1;

  /// The offsets that a daemon had claimed and not applied when it was released.
  ///
  /// @param stamp of the round that claimed them
  public record Released(int daemon, long stamp) {}
}
