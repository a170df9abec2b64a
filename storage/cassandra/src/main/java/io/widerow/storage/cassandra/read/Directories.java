package io.widerow.storage.cassandra.read;

import io.widerow.event.PartitionKey;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The directories of partitions. A directory that is read after a position has every segment that
/// the position shows, or a merged segment with its events.
///
/// - Threads: any.
/// - Memory: a bounded cache.
final class Directories {
  private final Keyspace keyspace;
  private final Requests requests;
  private final PositionCache<PartitionKey, Directory> cache;

  Directories(Keyspace keyspace, Requests requests, ReadOptions options) {
    this.keyspace = keyspace;
    this.requests = requests;
    this.cache = new PositionCache<>(options.rowsCached(), directory -> directory.rows().size());
  }

  /// The directory for a view; the future may be pending.
  CompletableFuture<Directory> get(PartitionKey key, ClusterArrivals position, ReadCounts counts) {
    return cache.get(key, position, () -> ask(key, counts));
  }

  /// The directory as it is now, for a view that met a merge; later views get it too. In a store
  /// into which nothing is written each of them would meet the merge again.
  CompletableFuture<Directory> anew(PartitionKey key, ClusterArrivals position, ReadCounts counts) {
    CompletableFuture<Directory> asked = ask(key, counts);
    var _ =
        asked.whenComplete((now, failure) -> {
          if (failure == null) {
            cache.renew(key, position, now);
          }
        });
    return asked;
  }

  private CompletableFuture<Directory> ask(PartitionKey key, ReadCounts counts) {
    return requests.ask(
        counts,
        ReadCounts.Kind.DIRECTORY,
        () -> "the directory of " + key,
        () -> keyspace.directory(key));
  }

  /// The directory for a view, if nothing must be asked for it.
  @Nullable Directory known(PartitionKey key, ClusterArrivals position) {
    return cache.known(key, position);
  }

  /// Gets many, in order. Waits for the responses.
  void forEach(
      List<PartitionKey> keys,
      ClusterArrivals position,
      ReadCounts counts,
      Consumer<Directory> receiver) {
    Requests.each(keys, key -> get(key, position, counts), counts, receiver);
  }
}
