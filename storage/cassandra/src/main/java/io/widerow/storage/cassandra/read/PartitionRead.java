package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The segments of a partition that a view shows, from a directory that was read after the view's
/// position: of the applied segments those of rounds up to the position that no merge covers, and
/// the merged ones in force.
///
/// ```
///   rounds of a daemon     1    2    3    4    5    6
///   covered by the merge   ====== merged ======           up to 4
///   the view's position                    ^              after 4: the merge, and 5
///   the view's position              ^                    after 3: the merge, without events of 4
/// ```
///
/// A merge may have gone beyond the position of the view, and the rows that it covers may be gone.
/// Then its events are looked at one by one: [ClusterArrivals#isNew] to the position says which are
/// not shown yet, and the rest is what the view has always shown.
///
/// @param rows in the order of the directory
/// @param beyond true when events of merged segments may be later than the view
/// @param mixed true when events of merged segments may be earlier than `since`
record PartitionRead(PartitionKey key, List<DirectoryRow> rows, boolean beyond, boolean mixed) {

  /// @param since only segments that may hold events that arrived later; null for all
  static PartitionRead of(
      Directory directory, ClusterArrivals position, @Nullable ClusterArrivals since) {
    boolean mergedIsNew = since != null && !covers(since, directory);
    List<DirectoryRow> shown = new ArrayList<>();
    for (DirectoryRow row : directory.rows()) {
      SegmentKey key = row.key();
      if (!directory.isShown(key)) {
        continue;
      }
      boolean wanted =
          key.tier() == SegmentKey.MERGED
              ? since == null || mergedIsNew
              : key.seq() <= position.stampOf(key.daemon())
                  && (since == null || key.seq() > since.stampOf(key.daemon()));
      if (wanted) {
        shown.add(row);
      }
    }
    return new PartitionRead(
        directory.partition(), shown, !covers(position, directory), mergedIsNew);
  }

  /// True when every event of the merged segments was shown at a position, as far as the directory
  /// says it.
  private static boolean covers(ClusterArrivals position, Directory directory) {
    return !directory.covered().isEmpty()
        && directory.covered().entrySet().stream()
            .allMatch(covered -> covered.getValue() <= position.stampOf(covered.getKey()));
  }

  /// The same, without the segments that have nothing in the range of a scan.
  PartitionRead within(Scan scan) {
    return new PartitionRead(
        key, rows.stream().filter(row -> overlaps(row, scan)).toList(), beyond, mixed);
  }

  private static boolean overlaps(DirectoryRow row, Scan scan) {
    return scan.from().compareTo(scan.until()) < 0
        && row.first().compareTo(scan.until()) < 0
        && row.last().compareTo(scan.from()) >= 0;
  }

  /// True when events of a segment must be looked at one by one, to see whether they are shown.
  boolean isFiltered(DirectoryRow row) {
    return row.key().tier() == SegmentKey.MERGED && (beyond || mixed);
  }

  /// True when an event may replace another.
  boolean hasOwnIds() {
    return rows.stream().anyMatch(DirectoryRow::own);
  }

  long bytes() {
    return rows.stream().mapToLong(DirectoryRow::bytes).sum();
  }

  /// The partition's information; null when it has no events to show.
  @Nullable PartitionInfo info() {
    if (rows.isEmpty()) {
      return null;
    }
    long events = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (DirectoryRow row : rows) {
      events += row.events();
      first = Math.min(first, TimeUuid.tickNanos(row.first().time()));
      last = Math.max(last, TimeUuid.tickNanos(row.last().time()) + TimeUuid.NANOS_PER_TICK - 1);
    }
    return new PartitionInfo(key, events, first, last);
  }

  /// A bound that no event of a segment comes before, in the direction of reading.
  static EventId bound(DirectoryRow row, Scan scan) {
    return scan.descending()
        ? EventId.min(row.last(), scan.until())
        : EventId.max(row.first(), scan.from());
  }
}
