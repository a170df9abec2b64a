package io.widerow.storage.cassandra.read;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView.Span;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.live.BucketSpans;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The catalog of one view, read as far as it was needed: a span is asked for when a query comes to
/// it. A bucket is found from the days that it overlaps. Wide buckets stand in the day in which
/// they start, so the days before count too:
///
/// ```
///   spans asked for      day  day  day ...  day | hours of the day, day |
///                        512 days before, of buckets wider than an hour
/// ```
///
/// - Threads: any; one at a time.
/// - Memory: the buckets that were asked for.
final class CatalogView {
  private static final long DAY_NANOS =
      PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;
  private static final long WIDEST_NANOS = Bucket.WIDE_DAYS.getLast() * DAY_NANOS;

  private final ClusterCatalog catalog;
  private final ClusterArrivals position;
  private final ReadCounts counts;
  private @Nullable NavigableMap<Bucket, String> spans; // guarded by this, as is all below
  private final Set<String> read = new HashSet<>();
  private final NavigableSet<Bucket> narrow = new TreeSet<>();
  private final NavigableSet<Bucket> wide = new TreeSet<>();
  private final Map<Bucket, Map<String, Integer>> shards = new HashMap<>();

  CatalogView(ClusterCatalog catalog, ClusterArrivals position, ReadCounts counts) {
    this.catalog = catalog;
    this.position = position;
    this.counts = counts;
  }

  /// See [io.widerow.storage.StoreView#firstSpan].
  synchronized @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    if (fromNanos >= untilNanos) {
      return null;
    }
    for (Span window : windows(fromNanos, untilNanos, descending)) {
      readNear(
          Math.floorDiv(window.fromNanos(), DAY_NANOS) * DAY_NANOS,
          Math.ceilDiv(window.untilNanos(), DAY_NANOS) * DAY_NANOS);
      Span first =
          BucketSpans.first(
              List.of(narrow, wide), window.fromNanos(), window.untilNanos(), descending);
      if (first != null) {
        return first;
      }
    }
    return null;
  }

  /// The parts of a range to look at, one after the other: the days that have spans, and the start
  /// of the range, which buckets that start before it may overlap.
  private List<Span> windows(long fromNanos, long untilNanos, boolean descending) {
    TreeSet<Long> days = new TreeSet<>();
    for (Bucket span : spans().keySet()) {
      days.add(Math.floorDiv(span.fromNanos(), DAY_NANOS) * DAY_NANOS);
    }
    List<Span> windows = new ArrayList<>();
    Span start = new Span(fromNanos, Math.min(untilNanos, fromNanos + 1));
    if (!descending) {
      windows.add(start);
    }
    NavigableSet<Long> wanted = days.headSet(untilNanos, false);
    for (long day : descending ? wanted.descendingSet() : wanted) {
      if (day + DAY_NANOS > fromNanos) {
        windows.add(new Span(Math.max(day, fromNanos), Math.min(day + DAY_NANOS, untilNanos)));
      }
    }
    if (descending) {
      windows.add(start);
    }
    return windows;
  }

  /// The buckets that overlap a range, with the types that each has and how many shards.
  synchronized Map<Bucket, Map<String, Integer>> overlapping(long fromNanos, long untilNanos) {
    Map<Bucket, Map<String, Integer>> found = new TreeMap<>();
    if (fromNanos >= untilNanos) {
      return found;
    }
    readNear(fromNanos, untilNanos);
    for (NavigableSet<Bucket> some : List.of(narrow, wide)) {
      for (Bucket bucket : BucketSpans.near(some, fromNanos, untilNanos)) {
        if (bucket.overlaps(fromNanos, untilNanos)) {
          found.put(bucket, Map.copyOf(shards.getOrDefault(bucket, Map.of())));
        }
      }
    }
    return found;
  }

  private NavigableMap<Bucket, String> spans() {
    NavigableMap<Bucket, String> known = spans;
    if (known == null) {
      known = new TreeMap<>();
      for (String span : catalog.spans(position, counts)) {
        known.put(parse(span), span);
      }
      spans = known;
    }
    return known;
  }

  private static Bucket parse(String span) {
    try {
      return Bucket.parse(span);
    } catch (IllegalArgumentException unknown) {
      throw new StorageException.Incompatible(
          Path.of("spans"), "a span that this program does not know: " + span);
    }
  }

  /// Reads the spans whose buckets may overlap a range.
  private void readNear(long fromNanos, long untilNanos) {
    List<String> missing = new ArrayList<>();
    spans()
        .headMap(Bucket.boundAt(untilNanos), false)
        .forEach((span, name) -> {
          long reach = span.widthMinutes() == PartitionKey.MINUTES_PER_DAY ? WIDEST_NANOS : 0;
          if (Math.max(span.untilNanos(), span.fromNanos() + reach) > fromNanos && read.add(name)) {
            missing.add(name);
          }
        });
    boolean done = false;
    try {
      catalog.buckets(missing, position, counts).forEach(this::add);
      done = true;
    } finally {
      if (!done) {
        missing.forEach(read::remove);
      }
    }
  }

  private void add(BucketRow row) {
    (row.bucket().isWide() ? wide : narrow).add(row.bucket());
    shards
        .computeIfAbsent(row.bucket(), _ -> new HashMap<>())
        .merge(row.type(), row.shards(), Math::max);
  }

  /// The end of the widest bucket of a type that holds an instant, nanoseconds since the Unix
  /// epoch; null when there is none.
  synchronized @Nullable Long bucketEnd(String type, long timeNanos) {
    Long end = null;
    for (var bucket : overlapping(timeNanos, timeNanos + 1).entrySet()) {
      if (bucket.getValue().containsKey(type)) {
        end = Math.max(end == null ? 0 : end, bucket.getKey().untilNanos());
      }
    }
    return end;
  }
}
