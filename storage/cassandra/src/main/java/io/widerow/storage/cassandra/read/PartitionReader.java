package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads one partition for an open query, also when its segments are replaced meanwhile.
///
/// A merge deletes the segments that it covers. A query that then comes to one of them reads the
/// directory again, and reads from there on what is in force now:
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
  /// What all partitions of an open query share.
  ///
  /// @param position of the view
  /// @param expired by now, whatever it was when the view was made
  record Shared(
      ClusterArrivals position,
      Directories directories,
      BlockReaders readers,
      ReadAhead ahead,
      UUID storeId,
      Predicate<PartitionKey> expired) {}

  private final Shared shared;
  private final int generation;
  private final PartitionRead read;
  private final Scan scan;
  private final @Nullable ClusterArrivals since;
  private final List<SegmentFetch> fetches;
  private boolean replaced;

  /// @param directory that was read after the position of the view
  /// @param scan of this partition, without `since`
  PartitionReader(Shared shared, Directory directory, Scan scan, @Nullable ClusterArrivals since) {
    this.shared = shared;
    this.generation = directory.generation();
    this.scan = scan;
    this.since = since;
    this.read = PartitionRead.of(directory, shared.position, since).within(scan);
    this.fetches = new ArrayList<>();
    for (DirectoryRow row : read.rows()) {
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

  /// A cursor over a segment whose value is here.
  EventCursor open(SegmentFetch fetch) {
    boolean filtered = read.isFiltered(fetch.row);
    Scan own = filtered ? scan.withFold(null) : scan; // a fold does not know arrivals
    EventCursor cursor =
        SegmentCursor.open(fetch.segment(), read.key(), own, shared.readers, Prefetch.OFF);
    return filtered
        ? new ArrivalCursor(
            cursor,
            read.beyond() ? shared.position : null,
            read.mixed() ? since : null,
            read.key().shard())
        : cursor;
  }

  /// True when another cursor reads what is left of the partition.
  boolean isReplaced() {
    return replaced;
  }

  /// A cursor over what is left of the partition, in order, after a segment was found to be gone.
  EventCursor replacement(SegmentFetch missing) {
    EventId bound = missing.bound;
    Scan left =
        scan.descending()
            ? scan.withRange(scan.from(), EventId.min(scan.until(), after(bound)))
            : scan.withRange(bound, scan.until());
    return new LaterCursor<>(
        newDirectory(),
        directory -> MergeCursor.of(again(directory, missing, left).cursors(), scan.descending()),
        shared.ahead);
  }

  private static EventId after(EventId id) {
    return id.equals(EventId.LIMIT) ? id : id.next();
  }

  /// The same when nothing of the partition was shown yet, in any order.
  EventCursor replacementUnordered(SegmentFetch missing) {
    return new LaterCursor<>(
        newDirectory(),
        directory -> new WholeCursor(again(directory, missing, scan)),
        shared.ahead);
  }

  private CompletableFuture<Directory> newDirectory() {
    replaced = true;
    fetches.stream().filter(fetch -> !fetch.isOpen()).forEach(SegmentFetch::close);
    return shared.directories.anew(read.key(), shared.position, shared.ahead.counts());
  }

  /// @throws StorageException.Corrupt when the segment is gone, and nothing has its events
  private PartitionReader again(Directory directory, SegmentFetch missing, Scan left) {
    SegmentKey key = missing.row.key();
    if (!shared.expired.test(read.key())) { // else it may be half deleted, and is not shown
      if (directory.isShown(key)) {
        boolean listed = directory.rows().stream().anyMatch(row -> row.key().equals(key));
        throw corrupt(
            key,
            listed
                ? "the directory names it, and no replica of a quorum has it"
                : "it is gone from the directory too, and no merged segment replaces it");
      }
      if (key.tier() == SegmentKey.MERGED && directory.generation() < generation) {
        throw corrupt(key, "the directory has gone back to an earlier generation");
      }
    }
    PartitionReader again = new PartitionReader(shared, directory, left, since);
    shared.ahead.add(again.fetches);
    return again;
  }

  private StorageException.Corrupt corrupt(SegmentKey key, String found) {
    return new StorageException.Corrupt(key.toString(), 0, found).in(read.key());
  }
}
