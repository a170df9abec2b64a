package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filters;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.BlockScan;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SlicedCursor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads one partition for an open query, also when its segments are replaced concurrently.
///
/// A merge deletes the segments that it covers. A query that then comes to one of them reads the
/// directory again, and continues with the segments in force now:
///
/// ```
///   a    |=====shown=====|-----------|              fetched before the merge: is read to its end
///   b                    |=======|                  gone
///   c                            |=======|          gone
///   m    |...............|===========|====|         merged of all three: read from b's bound on,
///                                                   instead of b and c
/// ```
///
/// Everything before the bound of `b` is in segments that were opened before. What `m` has in
/// common with them has the same ids and versions, and a merge of cursors shows it once.
///
/// - Threads: one, the query's.
final class PartitionReader {
  /// The state that all partitions of an open query share.
  ///
  /// @param position of the view
  /// @param expired by now, whatever it was when the view was made
  /// @param partitions of the query that are open together
  record Shared(
      ClusterArrivals position,
      Directories directories,
      BlockReaders readers,
      ReadAhead ahead,
      UUID storeId,
      Predicate<PartitionKey> expired,
      int partitions) {}

  private final Shared shared;
  private final int generation;
  private final PartitionRead read;
  private final Scan scan;
  private final @Nullable ClusterArrivals since;
  private final List<SegmentFetch> fetches;
  private final Set<SegmentKey> passedOver; // missing segments; their replacement lists them
  private boolean replaced;

  /// @param directory that was read after the position of the view
  /// @param scan of this partition, without `since`
  PartitionReader(Shared shared, Directory directory, Scan scan, @Nullable ClusterArrivals since) {
    this(shared, directory, scan, since, new HashSet<>());
  }

  private PartitionReader(
      Shared shared,
      Directory directory,
      Scan scan,
      @Nullable ClusterArrivals since,
      Set<SegmentKey> passedOver) {
    this.passedOver = passedOver;
    this.shared = shared;
    this.generation = directory.generation();
    this.scan = scan;
    this.since = since;
    this.read = PartitionRead.of(directory, shared.position, since).within(scan);
    this.fetches = new ArrayList<>();
    for (DirectoryRow row : read.rows()) {
      if (passedOver.contains(row.key())) {
        continue;
      }
      EventId bound = PartitionRead.bound(row, scan);
      fetches.add(new SegmentFetch(row, bound, shared.ahead, shared.storeId));
    }
    for (int i = 1; i < fetches.size(); i++) {
      SegmentFetch before = fetches.get(i - 1);
      SegmentFetch after = fetches.get(i);
      SegmentKey key = before.row.key();
      if (key.tier() == after.row.key().tier() && key.daemon() == after.row.key().daemon()) {
        if (scan.descending()) {
          after.followedBy(before);
        } else {
          before.followedBy(after);
        }
      }
    }
  }

  private PartitionReader(PartitionReader other, Scan scan) {
    this.shared = other.shared;
    this.generation = other.generation;
    this.scan = scan;
    this.since = other.since;
    this.read = other.read;
    this.fetches = other.fetches;
    this.passedOver = other.passedOver;
  }

  List<SegmentFetch> fetches() {
    return fetches;
  }

  PartitionRead read() {
    return read;
  }

  ReadAhead ahead() {
    return shared.ahead;
  }

  /// The same partition for a reader that wants its events in order, each for itself.
  PartitionReader ordered() {
    return new PartitionReader(this, scan.withFold(null));
  }

  /// Cursors in order, one a segment, for a merge.
  List<EventCursor> cursors() {
    List<EventCursor> cursors = new ArrayList<>();
    for (SegmentFetch fetch : fetches) {
      cursors.add(new LazyCursor(fetch.bound, () -> new ValueCursor(this, fetch)));
    }
    return cursors;
  }

  /// Looks whether the value of a segment is here.
  ///
  /// @throws StorageException.Corrupt when it is damaged, also at a quorum, and the scan does not
  ///   pass over it
  SegmentFetch.State poll(SegmentFetch fetch) {
    try {
      return fetch.poll();
    } catch (StorageException.Corrupt damaged) {
      if (passesOver(damaged, fetch.row)) {
        return SegmentFetch.State.UNREADABLE;
      }
      throw damaged;
    }
  }

  private boolean passesOver(StorageException.Corrupt told, DirectoryRow row) {
    PartitionInfo lost =
        new PartitionInfo(
            read.key(),
            row.events(),
            TimeUuid.tickNanos(row.first().time()),
            TimeUuid.tickNanos(row.last().time()) + TimeUuid.NANOS_PER_TICK - 1);
    return scan.watch().passesOver(ScanWatch.Unread.of(told, Damage.Kind.SEGMENT, lost));
  }

  /// A cursor over a segment whose value is here.
  EventCursor open(SegmentFetch fetch) {
    boolean filtered = read.isFiltered(fetch.row);
    if (!filtered && scan.fold() != null) {
      Scan own = scan.withFilter(Filters.ofType(scan.filter(), read.key().type()));
      BlockScan.Part all = new BlockScan.Part(read.key(), own, fetch::segment);
      return new BlockScan(List.of(all), own, shared.readers, Prefetch.OFF);
    }
    EventCursor cursor =
        SlicedCursor.open(
            fetch.segment(), read.key(), scan, shared.readers, Prefetch.OFF, shared.partitions);
    return filtered
        ? new ArrivalCursor(
            cursor,
            read.beyond() ? shared.position : null,
            read.mixed() ? since : null,
            read.key().shard())
        : cursor;
  }

  /// True when another cursor reads the rest of the partition.
  boolean isReplaced() {
    return replaced;
  }

  /// A cursor over the rest of the partition, in order, after a segment was found to be gone.
  EventCursor replacement(SegmentFetch missing) {
    EventId bound = missing.bound;
    Scan left =
        scan.descending()
            ? scan.withRange(scan.from(), EventId.min(scan.until(), after(bound)))
            : scan.withRange(bound, scan.until());
    return new AsyncCursor<>(
        newDirectory(),
        directory -> MergeCursor.of(again(directory, missing, left).cursors(), scan.descending()),
        shared.ahead);
  }

  private static EventId after(EventId id) {
    return id.equals(EventId.LIMIT) ? id : id.next();
  }

  /// The same when nothing of the partition was shown yet, in any order.
  EventCursor replacementUnordered(SegmentFetch missing) {
    return new AsyncCursor<>(
        newDirectory(),
        directory -> new UnorderedCursor(again(directory, missing, scan)),
        shared.ahead);
  }

  private CompletableFuture<Directory> newDirectory() {
    replaced = true;
    fetches.stream().filter(fetch -> !fetch.isOpen()).forEach(SegmentFetch::close);
    return shared.directories.anew(read.key(), shared.position, shared.ahead.counts());
  }

  /// @throws StorageException.Corrupt when the segment is gone, nothing has its events, and the
  ///   scan does not pass over it
  private PartitionReader again(Directory directory, SegmentFetch missing, Scan left) {
    SegmentKey key = missing.row.key();
    String lost = lost(directory, key);
    if (lost != null) {
      StorageException.Corrupt told =
          new StorageException.Corrupt(key.toString(), 0, lost).in(read.key());
      if (!passesOver(told, missing.row)) {
        throw told;
      }
      passedOver.add(key);
    }
    PartitionReader again = new PartitionReader(shared, directory, left, since, passedOver);
    shared.ahead.add(again.fetches);
    return again;
  }

  /// The reason why a missing segment is damage; null when a merge replaced it.
  private @Nullable String lost(Directory directory, SegmentKey key) {
    if (shared.expired.test(read.key())) { // it may be half deleted, and is not shown
      return null;
    }
    if (directory.isShown(key)) {
      return directory.rows().stream().anyMatch(row -> row.key().equals(key))
          ? "the directory names it, and no replica of a quorum has it"
          : "it is gone from the directory too, and no merged segment replaces it";
    }
    return key.tier() == SegmentKey.MERGED && directory.generation() < generation
        ? "the directory has gone back to an earlier generation"
        : null;
  }
}
