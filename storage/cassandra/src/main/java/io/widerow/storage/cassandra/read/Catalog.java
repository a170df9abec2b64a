package io.widerow.storage.cassandra.read;

import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/// The catalog of a cluster: which spans have buckets, and which types each has. A daemon adds a
/// bucket before it writes to it, and records afterwards how far it has applied. So a catalog that
/// is read after a position names every bucket that the position shows.
///
/// - Threads: any.
/// - Memory: a bounded cache.
final class Catalog {
  /// Requests for parts of the catalog that one caller has in flight.
  private static final int IN_FLIGHT = 128;

  private static final String ALL = "";

  private final Keyspace keyspace;
  private final Requests requests;
  private final PositionCache<String, List<String>> spans;
  private final PositionCache<String, List<BucketRow>> buckets;

  Catalog(Keyspace keyspace, Requests requests, ReadOptions options) {
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
    Queue<CompletableFuture<List<BucketRow>>> underWay = new ArrayDeque<>();
    for (String span : wanted) {
      if (underWay.size() == IN_FLIGHT) {
        rows.addAll(Requests.await(underWay.remove(), counts));
      }
      underWay.add(
          buckets.get(
              span,
              position,
              () ->
                  requests.ask(
                      counts,
                      ReadCounts.Kind.CATALOG,
                      () -> "the catalog of " + span,
                      () -> keyspace.buckets(span))));
    }
    underWay.forEach(answer -> rows.addAll(Requests.await(answer, counts)));
    return rows;
  }
}
