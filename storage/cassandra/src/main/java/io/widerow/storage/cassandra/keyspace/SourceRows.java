package io.widerow.storage.cassandra.keyspace;

import io.widerow.storage.SourceRange;
import java.util.List;

/// The position of a partition of a source, and the newest claim of each daemon.
///
/// @param term [SourceRange#NO_TERM] when there is no position
/// @param position first offset that nobody has claimed
/// @param leaderEpoch of the record before it; -1 when it is not known
public record SourceRows(int term, long position, int leaderEpoch, List<Owed> claims) {
  public static final SourceRows NONE = new SourceRows(SourceRange.NO_TERM, 0, -1, List.of());

  /// The offsets that a daemon claimed last. They are owed by it until the round is applied.
  ///
  /// @param term of the position then
  /// @param first one that no other daemon has read again
  /// @param next one past the last
  /// @param stamp of the round
  public record Owed(int daemon, int term, long first, long next, long stamp) {}

  public SourceRows {
    claims = List.copyOf(claims);
  }
}
