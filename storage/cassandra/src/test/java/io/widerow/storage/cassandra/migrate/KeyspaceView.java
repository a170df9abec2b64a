package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What a keyspace shows, by the rules of the design and without any speed: the reference that a
/// migration is read back by.
final class KeyspaceView implements StoreView {
  private final Keyspace keyspace;
  private final ClusterArrivals position;

  KeyspaceView(Keyspace keyspace) {
    this.keyspace = keyspace;
    TreeMap<Integer, ClusterArrivals.Position> daemons = new TreeMap<>();
    for (DaemonRow row : keyspace.daemons().join()) {
      DaemonRow.Applied applied = row.applied();
      if (applied.stamp() != Stamp.NONE) {
        daemons.put(
            row.daemon(),
            new ClusterArrivals.Position(
                applied.stamp(), applied.versionLimit(), applied.laneLimits()));
      }
    }
    position = new ClusterArrivals(daemons);
  }

  @Override
  public Arrivals arrivals() {
    return position;
  }

  @Override
  public List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since) {
    TreeMap<PartitionKey, PartitionInfo> found = new TreeMap<>();
    for (String span : keyspace.spans().join()) {
      for (BucketRow row : keyspace.buckets(span).join()) {
        for (int shard = 0; shard < row.shards(); shard++) {
          PartitionKey key =
              new PartitionKey(
                  row.bucket().startMinutes(), row.bucket().widthMinutes(), row.type(), shard);
          if (types.test(key.type()) && row.bucket().overlaps(fromNanos, untilNanos)) {
            long events = rows(key, since).stream().mapToLong(DirectoryRow::events).sum();
            if (events > 0) {
              found.put(key, new PartitionInfo(key, events, key.fromNanos(), key.untilNanos() - 1));
            }
          }
        }
      }
    }
    return List.copyOf(found.values());
  }

  private List<DirectoryRow> rows(PartitionKey key, @Nullable Arrivals since) {
    Directory directory = keyspace.directory(key).join();
    return directory.rows().stream()
        .filter(row -> directory.isShown(row.key()))
        .filter(row ->
            row.key().tier() != SegmentKey.APPLIED
                || row.key().seq() <= position.stampOf(row.key().daemon()))
        .filter(row ->
            !(since instanceof ClusterArrivals before)
                || row.key().tier() != SegmentKey.APPLIED
                || row.key().seq() > before.stampOf(row.key().daemon()))
        .toList();
  }

  @Override
  public EventCursor open(List<PartitionKey> partitions, Scan scan) {
    return MergeCursor.of(cursors(partitions, scan), scan.descending());
  }

  /// The ids of events that are stored more than once although a daemon gave them: figures would
  /// count them so.
  List<String> doubles() {
    List<PartitionKey> keys =
        Views.partitions(this, null).stream().map(PartitionInfo::key).toList();
    List<String> doubles = new ArrayList<>();
    String last = "";
    try (EventCursor all = MergeCursor.ofEveryWrite(cursors(keys, Scan.all()))) {
      while (Views.next(all)) {
        EventView event = all.event();
        String shown = event.id() + " " + event.type();
        if (event.version() == EventLayout.VERSION_ASSIGNED && shown.equals(last)) {
          doubles.add(shown);
        }
        last = shown;
      }
    }
    return doubles;
  }

  private List<EventCursor> cursors(List<PartitionKey> partitions, Scan scan) {
    List<EventCursor> cursors = new ArrayList<>();
    for (PartitionKey key : partitions) {
      for (DirectoryRow row : rows(key, scan.since())) {
        ByteBuffer value = keyspace.value(row.key(), true).join();
        if (value == null) {
          throw new IllegalStateException("no value of " + row.key());
        }
        EventCursor all =
            SegmentCursor.open(
                SegmentValue.open(value, row, keyspace.identity().id()), key, scan.withSince(null));
        cursors.add(
            new Filtered(
                all,
                event -> {
                  Arrivals since = scan.since();
                  boolean shown =
                      row.key().tier() == SegmentKey.APPLIED || !position.isNew(event, key.shard());
                  return shown && (since == null || since.isNew(event, key.shard()));
                }));
      }
    }
    return cursors;
  }

  private record Filtered(EventCursor all, Predicate<EventView> kept) implements EventCursor {
    @Override
    public Step next() {
      Step step = all.next();
      while (step == Step.EVENT && !kept.test(all.event())) {
        step = all.next();
      }
      return step;
    }

    @Override
    public CompletableFuture<Void> ready() {
      return all.ready();
    }

    @Override
    public EventView event() {
      return all.event();
    }

    @Override
    public ScanStatistics statistics() {
      return all.statistics();
    }

    @Override
    public void close() {
      all.close();
    }
  }

  @Override
  public List<TypeInfo> types(Predicate<String> types) {
    throw new UnsupportedOperationException("a migration does not ask");
  }

  @Override
  public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    throw new UnsupportedOperationException("a migration does not ask");
  }

  @Override
  public boolean isExpired(String type, long timeNanos) {
    return false;
  }

  @Override
  public void close() {}
}
