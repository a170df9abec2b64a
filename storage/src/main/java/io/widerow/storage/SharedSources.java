package io.widerow.storage;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The positions of sources in a cluster, which all its daemons move. A batch of a source names its
/// [SourceRange] by [LaneWriter#claim(SourceRange, boolean)]; the daemon claims it in the cluster
/// before it applies the batch, and leaves the batch out when another daemon has moved the
/// position. An unclaimed batch is never needed: the log has its records.
///
/// A daemon begins a partition in this order, so that its own ranges form one chain:
///
/// 1. [#isPending] is false: what it read of the partition before is applied or left out;
/// 2. [#begin] gives the position;
/// 3. each range begins where the one before it ended, until [#isRefused]. Then it begins again.
///
/// - Threads: any. Futures fail with an exception whose message is for people.
public interface SharedSources {
  /// Where a daemon continues in a partition.
  ///
  /// @param again set when the offsets are those of a released daemon
  /// @param term for the first range; [SourceRange#NO_TERM] for a partition without a position
  /// @param position of the first offset to read
  /// @param until only the offsets before it are to be read, then the daemon begins again
  record Start(
      SourceRange.@Nullable Released again, int term, long position, long until, int leaderEpoch) {}

  /// The number of this daemon.
  int daemon();

  /// Whether batches of the partition wait here to be applied or left out.
  boolean isPending(UUID topic, int partition);

  /// Whether the position was not where a range began, since [#begin].
  boolean isRefused(UUID topic, int partition);

  /// Whether so many batches wait for the cluster that no source should hand over more.
  boolean isFull();

  /// Asks where to continue.
  CompletableFuture<Start> begin(UUID topic, int partition);

  /// Whether a daemon was released that had claimed offsets and not applied them. [#begin] gives
  /// them first.
  CompletableFuture<Boolean> isOwed(UUID topic, int partition);

  /// The number of partitions that a topic had when a daemon of the cluster first read it.
  ///
  /// @param partitions number now, to be remembered when it is the first time
  CompletableFuture<Integer> partitionsAtFirst(UUID topic, int partitions);
}
