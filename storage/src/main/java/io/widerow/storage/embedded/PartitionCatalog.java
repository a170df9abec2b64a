package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.storage.live.Kept;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The partitions of an open store and what is in them: from the manifest, the indexes of segments
/// and the open rows. Reads no block and estimates no number of events.
///
/// Of an id that was written several times, each write counts until a merge keeps the last one: so
/// numbers of events are exact for types without own ids, and an upper bound for others.
///
/// - Threads: any. A call costs a look at every partition.
public final class PartitionCatalog {
  /// Bytes at rest of a byte of records, until sealed files of the type tell it.
  static final double REST_OF_RECORD = 0.1;

  private final StoreContents contents;

  PartitionCatalog(StoreContents contents) {
    this.contents = contents;
  }

  /// Which form a partition has.
  public enum State {
    /// Some of its events are in open rows.
    OPEN,
    /// All are in segments, and a merge will write some of them once more.
    SEALED,
    /// All are in merged segments.
    FINAL
  }

  /// A partition and what is in it.
  ///
  /// @param events events in it
  /// @param bytes bytes in sealed files, with its share of their indexes; what is open has none
  /// @param restBytes the same, and an estimate for what is open
  public record Entry(PartitionKey key, long events, long bytes, long restBytes, State state) {
    private static Entry of(PartitionKey key) {
      return new Entry(key, 0, 0, 0, State.FINAL);
    }

    private Entry sealed(long moreEvents, long moreBytes, boolean merged) {
      return new Entry(
          key,
          events + moreEvents,
          bytes + moreBytes,
          restBytes + moreBytes,
          merged || state == State.OPEN ? state : State.SEALED);
    }

    private Entry open(long moreEvents, long recordBytes) {
      long rest = (long) (recordBytes * REST_OF_RECORD);
      return new Entry(key, events + moreEvents, bytes, restBytes + rest, State.OPEN);
    }
  }

  /// The partitions that queries show, in ascending order of keys. None of them is empty.
  ///
  /// @param fromNanos only those whose bucket ends after this, nanoseconds since the Unix epoch
  /// @param untilNanos only those whose bucket begins before this
  public List<Entry> entries(Predicate<String> types, long fromNanos, long untilNanos) {
    Kept kept = contents.retentions().shown();
    Predicate<PartitionKey> wanted =
        key ->
            key.untilNanos() > fromNanos
                && key.fromNanos() < untilNanos
                && types.test(key.type())
                && !kept.isPast(key.type(), key.untilNanos());
    List<Entry> found = null;
    while (found == null) {
      found = entries(contents.state(), wanted);
    }
    return found;
  }

  /// Null when a part of the state was freed meanwhile, so that there is a newer one.
  private static @Nullable List<Entry> entries(StoreState state, Predicate<PartitionKey> wanted) {
    TreeMap<PartitionKey, Entry> found = new TreeMap<>();
    for (LiveSegment live : state.segments().all()) {
      long[] bytes = live.partitionBytes();
      boolean merged = live.entry().merged();
      int at = 0;
      for (SegmentSummary.Partition partition : live.partitions()) {
        long of = bytes[at++];
        if (wanted.test(partition.key())) {
          found.compute(
              partition.key(),
              (key, had) ->
                  (had == null ? Entry.of(key) : had).sealed(partition.events(), of, merged));
        }
      }
    }
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view == null) {
          return null;
        }
        for (OpenRow row : view.rows()) {
          long events = wanted.test(row.key) ? view.info(row).events() : 0;
          if (events > 0) {
            found.compute(
                row.key,
                (key, had) -> (had == null ? Entry.of(key) : had).open(events, row.recordBytes()));
          }
        }
      }
    }
    return List.copyOf(found.values());
  }
}
