package io.widerow.storage.cassandra.read;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.event.Utf8;
import io.widerow.storage.Arrivals;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.FilterCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.live.FilteredRetentions.Hidden;
import io.widerow.storage.scan.BlockReaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A view of a store on a cluster: the events that its daemons had applied at one moment. The
/// position is read first; catalog, directories and values are read when they are needed, without
/// events that are later than the position. So a view never changes, and holds nothing in the
/// cluster.
///
/// One thing a view may miss: an older version of an event with a client's id, when the newer one
/// came after the view and a merge has dropped the older.
///
/// - Threads: any; each cursor has one. Every method may wait for the cluster.
/// - Memory: the catalog of the spans that were asked for; each cursor its segments.
final class ClusterView implements StoreView {
  private static final int PREFETCHED_MAX = 256;

  private final ClusterReader reader;
  private final ClusterArrivals position;
  private final Hidden hidden;
  private final long nowNanos;
  private final ReadCounts counts = new ReadCounts();
  private final CatalogView catalog;
  private final BlockReaders blocks;
  private volatile boolean closed;

  /// @param hidden the time now, and the policies with a filter that count
  ClusterView(ClusterReader reader, ClusterArrivals position, Hidden hidden) {
    this.reader = reader;
    this.position = position;
    this.hidden = hidden;
    this.nowNanos = hidden.nowNanos();
    this.catalog = new CatalogView(reader.catalog(), position, counts);
    this.blocks = BlockReaders.of(reader.blockReaders());
  }

  @Override
  public Arrivals arrivals() {
    return position;
  }

  @Override
  public boolean isExpired(String type, long timeNanos) {
    if (reader.retention().of(type) == null) {
      return false;
    }
    long width = widthNanos(type);
    long end = (Math.floorDiv(timeNanos, width) + 1) * width;
    Long there = catalog.bucketEnd(type, timeNanos);
    return reader.retention().isExpired(type, there == null ? end : Math.min(there, end), nowNanos);
  }

  private long widthNanos(String type) {
    return reader.options().bucketMinutes().applyAsInt(type) * PartitionKey.NANOS_PER_MINUTE;
  }

  private boolean isExpired(PartitionKey key) {
    return reader.retention().isExpired(key.type(), key.untilNanos(), nowNanos);
  }

  @Override
  public List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals after) {
    ClusterArrivals since = clusterPosition(after);
    if (since != null && PositionCache.includes(since, position)) {
      return List.of();
    }
    List<PartitionKey> keys = new ArrayList<>();
    catalog
        .overlapping(fromNanos, untilNanos)
        .forEach((bucket, shards) ->
            shards.forEach((type, count) -> addWanted(types, type, bucket, count, keys)));
    List<PartitionInfo> infos = new ArrayList<>();
    if (since == null) {
      for (PartitionKey key : keys) {
        Directory known = reader.directories().known(key, position);
        infos.add(known == null ? unknown(key) : info(known, null));
      }
    } else {
      reader
          .directories()
          .forEach(keys, position, counts, directory -> infos.add(info(directory, since)));
    }
    return infos.stream()
        .filter(info -> info.events() != 0)
        .map(this::kept)
        .filter(info -> info.timeFirstNanos() < untilNanos && info.timeLastNanos() >= fromNanos)
        .filter(info -> info.timeFirstNanos() <= info.timeLastNanos())
        .sorted(Comparator.comparing(PartitionInfo::key))
        .toList();
  }

  private void addWanted(
      Predicate<String> types, String type, Bucket bucket, int shards, List<PartitionKey> keys) {
    if (!types.test(type) || reader.retention().isExpired(type, bucket.untilNanos(), nowNanos)) {
      return;
    }
    for (int shard = 0; shard < shards; shard++) {
      keys.add(bucket.partition(type, shard));
    }
  }

  /// The information on a partition without its directory.
  private static PartitionInfo unknown(PartitionKey key) {
    return new PartitionInfo(
        key, PartitionInfo.EVENTS_UNKNOWN, key.fromNanos(), key.untilNanos() - 1);
  }

  /// The information on a partition from its directory; without events when it has none to show.
  private PartitionInfo info(Directory directory, @Nullable ClusterArrivals since) {
    PartitionInfo info = PartitionRead.of(directory, position, since).info();
    return info == null ? new PartitionInfo(directory.partition(), 0, 0, 0) : info;
  }

  /// The same, without the times that are past retention.
  private PartitionInfo kept(PartitionInfo info) {
    long from = keptFromNanos(info.key());
    return info.timeFirstNanos() >= from
        ? info
        : new PartitionInfo(info.key(), info.events(), from, info.timeLastNanos());
  }

  /// The least time that is kept of a partition. One of a wider bucket is partly past its retention
  /// for long; its events are hidden as if they were in the buckets by which they were admitted.
  private long keptFromNanos(PartitionKey key) {
    Duration age = reader.retention().of(key.type());
    long width = widthNanos(key.type());
    if (age == null || key.untilNanos() - key.fromNanos() <= width) {
      return Long.MIN_VALUE;
    }
    return Math.max(0, Math.floorDiv(nowNanos - age.toNanos(), width) * width);
  }

  /// All partitions with what they hold, also those past their retention. Reads every directory.
  List<Going> stored() {
    List<PartitionKey> keys = new ArrayList<>();
    catalog
        .overlapping(0, Long.MAX_VALUE)
        .forEach((bucket, shards) ->
            shards.forEach((type, count) -> {
              for (int shard = 0; shard < count; shard++) {
                keys.add(bucket.partition(type, shard));
              }
            }));
    List<Going> stored = new ArrayList<>();
    reader
        .directories()
        .forEach(
            keys,
            position,
            counts,
            directory -> {
              PartitionRead read = PartitionRead.of(directory, position, null);
              PartitionInfo found = read.info();
              if (found != null) {
                stored.add(new Going(found.key(), found.events(), read.bytes()));
              }
            });
    return stored;
  }

  @Override
  public List<TypeInfo> types(Predicate<String> types) {
    List<PartitionKey> keys = new ArrayList<>();
    catalog
        .overlapping(0, Long.MAX_VALUE)
        .forEach((bucket, shards) ->
            shards.forEach((type, count) -> addWanted(types, type, bucket, count, keys)));
    TreeMap<String, TypeInfo> sums = new TreeMap<>(Utf8::compare);
    reader
        .directories()
        .forEach(
            keys,
            position,
            counts,
            directory -> {
              PartitionRead read = PartitionRead.of(directory, position, null);
              PartitionInfo found = read.info();
              if (found != null && found.timeLastNanos() >= keptFromNanos(found.key())) {
                PartitionInfo shown = kept(found);
                sums.merge(shown.key().type(), TypeInfo.of(shown, read.bytes()), TypeInfo::and);
              }
            });
    return List.copyOf(sums.values());
  }

  @Override
  public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    return catalog.firstSpan(fromNanos, untilNanos, descending);
  }

  @Override
  public EventCursor open(List<PartitionKey> partitions, Scan all) {
    Scan scan = shown(partitions, all);
    Group group = group(partitions, scan);
    boolean pushDown = scan.filter() instanceof Filter.Everything || !group.hasOwnIds();
    Scan below = pushDown ? scan : Filters.removedFrom(scan);
    Comparator<SegmentFetch> byBound = Comparator.comparing(fetch -> fetch.bound);
    ReadAhead ahead = ahead(scan, scan.descending() ? byBound.reversed() : byBound);
    List<EventCursor> inputs = new ArrayList<>();
    for (PartitionReader partition : readers(group, below.withFold(null), ahead)) {
      inputs.addAll(partition.cursors());
    }
    EventCursor merged = MergeCursor.of(inputs, scan.descending());
    return begin(pushDown ? merged : new FilterCursor(merged, scan.filter()), ahead, group, scan);
  }

  /// Unordered only when no event may replace another: the order decides which one is shown.
  @Override
  public EventCursor openUnordered(List<PartitionKey> partitions, Scan all) {
    Scan scan = shown(partitions, all);
    Group group = group(partitions, scan);
    if (group.hasOwnIds()) {
      return open(partitions, all.withFold(null));
    }
    Comparator<SegmentFetch> byPartition =
        Comparator.comparing(fetch -> fetch.row.key().partition());
    ReadAhead ahead = ahead(scan, byPartition);
    List<EventCursor> inputs = new ArrayList<>();
    for (PartitionReader partition : readers(group, scan, ahead)) {
      inputs.add(
          partition.read().bytes() <= reader.options().readAheadBytes()
              ? new UnorderedCursor(partition)
              : MergeCursor.of(partition.ordered().cursors(), scan.descending()));
    }
    return begin(new ChainCursor(inputs), ahead, group, scan);
  }

  /// The scan without the events that retention policies with a filter hide.
  private Scan shown(List<PartitionKey> partitions, Scan scan) {
    Filter shown = hidden.isNone() ? null : hidden.shownOf(partitions, (_, _) -> true);
    return shown == null ? scan : scan.withFilter(new Filter.And(List.of(scan.filter(), shown)));
  }

  /// The partitions of an open query, with their directories.
  private record Group(List<Directory> directories, List<PartitionRead> reads) {
    boolean hasOwnIds() {
      return reads.stream().anyMatch(PartitionRead::hasOwnIds);
    }
  }

  private Group group(List<PartitionKey> partitions, Scan scan) {
    if (closed) {
      throw new IllegalStateException("the view is closed");
    }
    ClusterArrivals since = clusterPosition(scan.since());
    List<PartitionKey> wanted = partitions.stream().filter(key -> !isExpired(key)).toList();
    Group group = new Group(new ArrayList<>(), new ArrayList<>());
    reader
        .directories()
        .forEach(
            wanted,
            position,
            counts,
            directory -> {
              group.directories.add(directory);
              group.reads.add(
                  PartitionRead.of(directory, position, since)
                      .within(kept(directory.partition(), scan)));
            });
    return group;
  }

  private ReadAhead ahead(Scan scan, Comparator<SegmentFetch> order) {
    return new ReadAhead(reader.values(), reader.options(), counts, scan.watch(), order);
  }

  private List<PartitionReader> readers(Group group, Scan scan, ReadAhead ahead) {
    ClusterArrivals since = clusterPosition(scan.since());
    PartitionReader.Shared shared =
        new PartitionReader.Shared(
            position,
            reader.directories(),
            blocks,
            ahead,
            reader.storeId(),
            reader::isExpiredByNow,
            group.directories.size());
    List<PartitionReader> readers = new ArrayList<>();
    for (Directory directory : group.directories) {
      PartitionKey key = directory.partition();
      Scan kept = kept(key, scan).withSince(null);
      Scan own = kept.withFilter(Filters.ofType(kept.filter(), key.type()));
      PartitionReader partition = new PartitionReader(shared, directory, own, since);
      ahead.add(partition.fetches());
      readers.add(partition);
    }
    return readers;
  }

  private ClusterCursor begin(EventCursor merge, ReadAhead ahead, Group group, Scan scan) {
    ahead.atHalf(() -> reader.inBackground(() -> prefetchBehind(group, scan)));
    ClusterCursor cursor = new ClusterCursor(merge, ahead);
    try {
      ahead.pump();
    } catch (RuntimeException refused) {
      cursor.close();
      throw refused;
    }
    return cursor;
  }

  /// Asks for the directories of the partitions that a reader of these comes to next.
  private void prefetchBehind(Group group, Scan scan) {
    if (closed || group.directories.isEmpty()) {
      return;
    }
    long from = Long.MAX_VALUE;
    long until = 0;
    Set<String> types = new TreeSet<>();
    for (Directory directory : group.directories) {
      from = Math.min(from, directory.partition().fromNanos());
      until = Math.max(until, directory.partition().untilNanos());
      types.add(directory.partition().type());
    }
    Span next = scan.descending() ? firstSpan(0, from, true) : firstSpan(until, limit(scan), false);
    if (next == null || (scan.descending() && next.untilNanos() <= start(scan))) {
      return;
    }
    List<PartitionKey> keys = new ArrayList<>();
    catalog
        .overlapping(next.fromNanos(), next.untilNanos())
        .forEach((bucket, shards) ->
            shards.forEach((type, count) -> addWanted(types::contains, type, bucket, count, keys)));
    for (PartitionKey key : keys.subList(0, Math.min(keys.size(), PREFETCHED_MAX))) {
      var _ = reader.directories().get(key, position, counts);
    }
  }

  private static long start(Scan scan) {
    return scan.from().equals(EventId.LEAST) ? 0 : TimeUuid.tickNanos(scan.from().time());
  }

  private static long limit(Scan scan) {
    return scan.until().equals(EventId.LIMIT)
        ? Long.MAX_VALUE
        : TimeUuid.tickNanos(scan.until().time()) + TimeUuid.NANOS_PER_TICK;
  }

  /// The scan restricted to unexpired events of a partition; the scan itself, unless part of it has
  /// expired.
  private Scan kept(PartitionKey key, Scan scan) {
    long keptFrom = keptFromNanos(key);
    if (keptFrom <= key.fromNanos()) {
      return scan;
    }
    EventId from = EventId.max(scan.from(), EventId.leastOf(keptFrom));
    return scan.withRange(from, EventId.max(from, scan.until()));
  }

  private static @Nullable ClusterArrivals clusterPosition(@Nullable Arrivals position) {
    if (position == null || position instanceof ClusterArrivals) {
      return (ClusterArrivals) position;
    }
    throw new IllegalArgumentException(
        "a position of a store on one machine, and this store is on a cluster: " + position);
  }

  @Override
  public List<String> explain() {
    return counts.lines();
  }

  @Override
  public void close() {
    closed = true;
  }
}
