package io.widerow.ingest.kafka;

import io.widerow.ingest.lane.SourcePartition;
import io.widerow.storage.SharedSources;
import io.widerow.storage.SourceRange;
import org.jspecify.annotations.Nullable;

/// The ranges that a daemon of a cluster claims in a partition since it began it: each begins where
/// the one before it ended.
///
/// - Threads: the poller's.
final class SharedChain {
  private final SourcePartition of;
  private final SourceRange.@Nullable Released again;
  private int term;
  private long position;

  /// Only the offsets before it are read.
  final long until;

  SharedChain(SourcePartition of, SharedSources.Start start) {
    this.of = of;
    this.again = start.again();
    this.term = start.term();
    this.position = start.position();
    this.until = start.until();
  }

  /// Whether it reads again what a released daemon owes.
  boolean isAgain() {
    return again != null;
  }

  long position() {
    return position;
  }

  /// The range up to an offset; null when it moves nothing.
  @Nullable SourceRange to(long next, int leaderEpoch) {
    return next == position ? null : move(term, next, leaderEpoch);
  }

  /// Sets the position: the first one of the partition, or an earlier one.
  SourceRange set(long next, int leaderEpoch) {
    return move(term + 1, next, leaderEpoch);
  }

  private SourceRange move(int newTerm, long next, int leaderEpoch) {
    var range =
        new SourceRange(
            of.topic(), of.partition(), again, term, position, newTerm, next, leaderEpoch);
    term = newTerm;
    position = next;
    return range;
  }
}
