package io.widerow.storage.cassandra;

import io.widerow.storage.SharedSources;
import io.widerow.storage.SourceRange;
import io.widerow.storage.cassandra.apply.DaemonNumber;
import io.widerow.storage.cassandra.apply.SourceRanges;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/// The positions of sources in a keyspace, for the sources of a daemon.
///
/// - Threads: any.
final class ClusterSources implements SharedSources {
  /// The row with the number of partitions of a topic.
  private static final int COUNT = -1;

  private final Keyspace keyspace;
  private final DaemonNumber number;
  private final SourceRanges ranges;

  ClusterSources(Keyspace keyspace, DaemonNumber number, SourceRanges ranges) {
    this.keyspace = keyspace;
    this.number = number;
    this.ranges = ranges;
  }

  @Override
  public int daemon() {
    return number.daemon();
  }

  @Override
  public boolean isPending(UUID topic, int partition) {
    return ranges.isPending(topic, partition);
  }

  @Override
  public boolean isRefused(UUID topic, int partition) {
    return ranges.isRefused(topic, partition);
  }

  @Override
  public boolean isFull() {
    return ranges.isFull();
  }

  @Override
  public CompletableFuture<Start> begin(UUID topic, int partition) {
    ranges.begin(topic, partition);
    return keyspace.source(topic, partition).thenCombine(keyspace.daemons(), ClusterSources::start);
  }

  @Override
  public CompletableFuture<Boolean> isOwed(UUID topic, int partition) {
    return keyspace
        .source(topic, partition)
        .thenCombine(keyspace.daemons(), (rows, daemons) -> start(rows, daemons).again() != null);
  }

  /// What a released daemon owes comes first.
  private static Start start(SourceRows rows, List<DaemonRow> daemons) {
    for (SourceRows.Owed claim : rows.claims()) {
      // when the log has gone back since, other records have these offsets
      boolean isOwed = claim.first() < claim.next() && claim.term() == rows.term();
      if (isOwed && daemons.stream().anyMatch(daemon -> isReleased(daemon, claim))) {
        return new Start(
            new SourceRange.Released(claim.daemon(), claim.stamp()),
            rows.term(),
            claim.first(),
            claim.next(),
            -1);
      }
    }
    return new Start(null, rows.term(), rows.position(), Long.MAX_VALUE, rows.leaderEpoch());
  }

  private static boolean isReleased(DaemonRow daemon, SourceRows.Owed claim) {
    return daemon.daemon() == claim.daemon()
        && daemon.owner() == null
        && daemon.applied().stamp() < claim.stamp();
  }

  @Override
  public CompletableFuture<Integer> partitionsAtFirst(UUID topic, int partitions) {
    var count = new SourceRange(topic, COUNT, null, SourceRange.NO_TERM, 0, 0, partitions, -1);
    return keyspace
        .advance(count, number.daemon(), Stamp.NONE, false)
        .thenCompose(isFirst ->
            isFirst
                ? CompletableFuture.completedFuture(partitions)
                : keyspace.source(topic, COUNT).thenApply(rows -> (int) rows.position()));
  }
}
