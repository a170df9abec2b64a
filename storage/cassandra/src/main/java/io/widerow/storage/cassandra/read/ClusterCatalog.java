package io.widerow.storage.cassandra.read;

import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The catalog of a cluster: which spans have buckets, and which types each has. A daemon adds a
/// bucket before it writes to it, and records afterwards how far it has applied. So a catalog that
/// is read after a position names every bucket that the position shows.
///
/// - Threads: any.
/// - Memory: a bounded cache.
final class ClusterCatalog {
  private static final String ALL = "";

  private final Keyspace keyspace;
  private final Requests requests;
  private final PositionCache<String, List<String>> spans;
  private final PositionCache<String, List<BucketRow>> buckets;

  ClusterCatalog(Keyspace keyspace, Requests requests, ReadOptions options) {
    this.keyspace = keyspace;
    this.requests = requests;
    this.spans = new PositionCache<>(Integer.MAX_VALUE, List::size);
    this.buckets = new PositionCache<>(options.rowsCached(), List::size);
  }

  /// The spans that have any buckets. Waits for the response.
  List<String> spans(ClusterArrivals position, ReadCounts counts) {
    return Requests.await(
        spans.get(
            ALL,
            position,
            () ->
                requests.ask(
                    counts, ReadCounts.Kind.CATALOG, () -> "the catalog's spans", keyspace::spans)),
        counts);
  }

  /// The buckets of some spans, in the order of the spans. Waits for the responses.
  List<BucketRow> buckets(List<String> wanted, ClusterArrivals position, ReadCounts counts) {
    List<BucketRow> rows = new ArrayList<>();
    Requests.each(wanted, span -> bucketsOf(span, position, counts), counts, rows::addAll);
    return rows;
  }

  private CompletableFuture<List<BucketRow>> bucketsOf(
      String span, ClusterArrivals position, ReadCounts counts) {
    return buckets.get(
        span,
        position,
        () ->
            requests.ask(
                counts,
                ReadCounts.Kind.CATALOG,
                () -> "the catalog of " + span,
                () -> keyspace.buckets(span)));
  }
}
